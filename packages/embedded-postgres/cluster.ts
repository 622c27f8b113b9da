// Makes PostgreSQL's cluster, once: in a folder beside its place, which is flushed to disk and then renamed, so that a crash half-way
// leaves nothing that looks like a database. Refuses a cluster of another major version.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Account, asAccount } from "./account.ts";
import { flush, majorOf } from "./cluster-place.ts";
import type { DataFolder } from "./data-folder.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import type { Setup } from "./options.ts";
import type { Programs } from "./programs.ts";

/**
 * Makes the cluster where there is none. One that is there is kept, and given to the account if another user has it.
 * @throws EmbeddedPostgresError when the cluster is another major version's, or its password is missing.
 */
export async function makeCluster(
  folder: DataFolder,
  programs: Programs,
  account: Account | undefined,
  setup: Setup,
) {
  const { cluster } = folder;
  clearUnfinished(cluster);
  const major = majorOf(cluster);
  if (major === undefined || Number.isNaN(major)) {
    requireEmpty(folder);
    try {
      await createCluster(cluster, folder, programs, account, setup);
    } finally {
      clearUnfinished(cluster);
    }
  } else if (major !== programs.major) throw otherMajor(folder.path, major, programs.major, setup);
  else giveTo(account, cluster);
  requirePassword(folder);
}

/**
 * An interrupted copy or restoration leaves data without PG_VERSION, or with an empty one. A new cluster there would overwrite the password
 * of that data.
 */
function requireEmpty({ cluster, password }: DataFolder): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return;
  throw new EmbeddedPostgresError(
    `${cluster} holds something, and no PG_VERSION that says of which PostgreSQL it is. If it is a copy, make it anew; else move it away together with ${password}, and start again.`,
  );
}

/** @throws EmbeddedPostgresError when the owner's password is not in the folder, or cannot be read there. */
export function requirePassword({ password }: Pick<DataFolder, "password">): void {
  let kept: string;
  try {
    kept = readFileSync(password, "utf8");
  } catch (cause) {
    const isMissing = codeOf(cause) === "ENOENT";
    throw new EmbeddedPostgresError(
      isMissing
        ? `The password of the database is missing: put ${password} back from a backup.`
        : `The password of the database in ${password} cannot be read (${codeOf(cause)}). Let the user who starts this read it.`,
      { cause },
    );
  }
  if (kept.trim() === "")
    throw new EmbeddedPostgresError(
      `The password of the database is missing: ${password} is empty, as after a copy that was broken off. Put it back from a backup.`,
    );
}

function otherMajor(path: string, data: number, programs: number, { advice }: Setup) {
  const what = `The data folder ${path} holds data of PostgreSQL ${data}, and this program brings PostgreSQL ${programs}`;
  return new EmbeddedPostgresError(
    data < programs
      ? `${what}: ${advice.upgrade}.`
      : `${what}. Use the version of the program that wrote the data.`,
  );
}

/** Removes what killed starts and upgrades left. Their initdb may still write, so the removal is retried, and each uses a new folder name. */
export function clearUnfinished(cluster: string) {
  const unfinished = readdirSync(dirname(cluster)).filter((name) =>
    name.startsWith(`${basename(cluster)}.new-`),
  );
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };
  for (const name of unfinished) rmSync(join(dirname(cluster), name), options);
}

/**
 * Makes a cluster at `place`, whole or not at all. The folder's own cluster gets a new password for its owner. One that is made beside
 * it, for an upgrade, keeps the password that the folder has.
 */
export async function createCluster(
  place: string,
  folder: DataFolder,
  programs: Programs,
  account: Account | undefined,
  setup: Setup,
) {
  const { cluster, password, log } = folder;
  const fresh = mkdtempSync(`${cluster}.new-`);
  const passwordFile = `${fresh}.password`;
  const secret = place === cluster ? randomBytes(24).toString("base64url") : readFileSync(password, "utf8");
  // initdb takes the password from a file, because other processes can see its arguments.
  writeDurably(passwordFile, secret);
  if (account) for (const path of [fresh, passwordFile]) chownSync(path, account.uid, account.gid);

  const where = ["-D", fresh];
  const options = ["--username", setup.owner, "--pwfile", passwordFile, ...clusterOptions(programs.major)];
  await run(programs.initdb, [...where, ...options], account, log);
  const single = ["--single", "-F", "-j", "-c", "exit_on_error=on", ...where, "postgres"];
  await run(programs.postgres, single, account, log, createDatabaseSql(setup));
  // initdb and postgres ran without fsync, because one flush at the end is as safe and half a second faster.
  const method = process.platform === "linux" && programs.major >= 17 ? ["--sync-method=syncfs"] : [];
  await run(programs.initdb, [...where, "--sync-only", ...method], account, log);

  // Only for a new password, because a crash while an old one is written again could lose the password of a cluster that is in use.
  if (place === cluster) writeDurably(password, secret);
  renameSync(fresh, place);
  flush(dirname(cluster));
  flush(dirname(dirname(cluster)));
}

/**
 * Makes the database, and lets no other role connect to those that come with the server. In single-user mode an empty line ends a
 * statement.
 */
const createDatabaseSql = ({ database }: Setup) => `create database "${database}";

revoke connect on database postgres from public;

revoke connect on database template1 from public;

`;

/** The builtin C.UTF-8 sorts and compares alike on every machine, so an index outlives a change of system. */
const clusterOptions = (major: number) => [
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  ...(major >= 17 ? ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : ["--locale=C"]),
  "--data-checksums",
  "--no-sync",
  "--no-instructions",
];

async function run(program: string, args: string[], account: Account | undefined, log: string, input = "") {
  const out = openSync(log, "a", 0o600);
  const child = spawn(program, args, { ...asAccount(account), stdio: ["pipe", out, out] });
  closeSync(out);
  child.stdin?.on("error", () => {}).end(input);
  const [code] = await once(child, "exit");
  if (code === 0) return;
  throw new EmbeddedPostgresError(
    `PostgreSQL could not make its database. It says why at the end of ${log}.`,
  );
}

function writeDurably(path: string, text: string) {
  writeFileSync(path, text, { mode: 0o600, flush: true });
}

/** Gives the account a cluster that is another's, as one that root restored from a backup. */
export function giveTo(account: Account | undefined, cluster: string): void {
  if (!account || statSync(cluster).uid === account.uid) return;
  const { uid, gid } = account;
  for (const entry of readdirSync(cluster, { recursive: true }))
    lchownSync(join(cluster, String(entry)), uid, gid);
  chownSync(cluster, uid, gid);
  chmodSync(cluster, 0o700);
}

/** The owner's address, as libpq has it: the host is the folder of the socket. */
export function ownerUrl(folder: DataFolder, sockets: string, { owner, database }: Setup): string {
  const secret = readFileSync(folder.password, "utf8").trim();
  return `postgres://${owner}:${secret}@${encodeURIComponent(sockets)}/${database}`;
}
