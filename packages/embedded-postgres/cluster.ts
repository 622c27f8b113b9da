// Makes PostgreSQL's cluster, once: beside its place, on disk, and then renamed into it, so that a crash
// half-way leaves nothing that looks like a database.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
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
import type { DataFolder } from "./data-folder.ts";
import { type Account, EmbeddedDatabaseError, environment, type Programs } from "./unprivileged.ts";

const ownerRole = "leads_owner";
const databaseName = "leads";

/** Makes the cluster where there is none. One that is there is kept, and given to the account if root had it. */
export async function makeCluster(folder: DataFolder, programs: Programs, account: Account | undefined) {
  const { cluster } = folder;
  clearUnfinished(cluster);
  if (!existsSync(join(cluster, "PG_VERSION"))) {
    try {
      await initialise({ ...folder, programs, account });
    } finally {
      clearUnfinished(cluster);
    }
  } else if (account && statSync(cluster).uid !== account.uid) giveTo(account, cluster);
  if (existsSync(folder.password)) return;
  throw new EmbeddedDatabaseError(
    `The password of the database is missing: put ${folder.password} back from a backup.`,
  );
}

/** The initdb of a start that was killed may still be writing: hence a new name each time, and patience. */
function clearUnfinished(cluster: string) {
  const unfinished = readdirSync(dirname(cluster)).filter((name) =>
    name.startsWith(`${basename(cluster)}.new-`),
  );
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };
  for (const name of unfinished) rmSync(join(dirname(cluster), name), options);
}

type Making = DataFolder & { programs: Programs; account: Account | undefined };

async function initialise(making: Making) {
  const { cluster, password, programs, account } = making;
  const fresh = mkdtempSync(`${cluster}.new-`);
  const passwordFile = `${fresh}.password`;
  const secret = randomBytes(24).toString("base64url");
  // A file, because initdb takes a password from nowhere else that no other process can see.
  writeDurably(passwordFile, secret);
  if (account) for (const path of [fresh, passwordFile]) chownSync(path, account.uid, account.gid);

  const place = ["-D", fresh];
  await run(
    programs.initdb,
    [...place, "--username", ownerRole, "--pwfile", passwordFile, ...clusterOptions],
    making,
  );
  const single = ["--single", "-F", "-j", "-c", "exit_on_error=on", ...place, "postgres"];
  await run(programs.postgres, single, making, ourDatabaseAlone);
  // Nothing was flushed so far; once, at the end, is as good and half a second shorter.
  const method = process.platform === "linux" ? ["--sync-method=syncfs"] : [];
  await run(programs.initdb, [...place, "--sync-only", ...method], making);

  writeDurably(password, secret);
  renameSync(fresh, cluster);
  flush(dirname(cluster));
  flush(dirname(dirname(cluster)));
}

/**
 * Makes our database. Nobody but the owner has any business in those that come with the server. An empty line ends each
 * statement.
 */
const ourDatabaseAlone = `create database ${databaseName};

revoke connect on database postgres from public;

revoke connect on database template1 from public;

`;

/** The builtin C.UTF-8 sorts and compares alike on every machine, so an index outlives a change of system. */
const clusterOptions = [
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--data-checksums",
  "--no-sync",
  "--no-instructions",
];

async function run(program: string, args: string[], { log, account }: Making, input = "") {
  const out = openSync(log, "a", 0o600);
  const child = spawn(program, args, {
    ...(account && { uid: account.uid, gid: account.gid }),
    env: environment,
    cwd: "/",
    stdio: ["pipe", out, out],
  });
  closeSync(out);
  child.stdin?.on("error", () => {}).end(input);
  const [code] = await once(child, "exit");
  if (code === 0) return;
  throw new EmbeddedDatabaseError(
    `PostgreSQL could not make its database. It says why at the end of ${log}.`,
  );
}

function writeDurably(path: string, text: string) {
  writeFileSync(path, text, { mode: 0o600, flush: true });
}

function flush(folder: string) {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

/** A cluster that root restored from a backup, say. */
function giveTo({ uid, gid }: Account, cluster: string) {
  for (const entry of readdirSync(cluster, { recursive: true }))
    lchownSync(join(cluster, String(entry)), uid, gid);
  chownSync(cluster, uid, gid);
  chmodSync(cluster, 0o700);
}

/** The owner's address, as libpq has it: the host is the folder of the socket. */
export function ownerUrl(folder: DataFolder, sockets: string): string {
  const secret = readFileSync(folder.password, "utf8").trim();
  return `postgres://${ownerRole}:${secret}@${encodeURIComponent(sockets)}/${databaseName}`;
}
