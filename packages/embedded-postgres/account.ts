// PostgreSQL refuses to run as root, so for root it runs as a user without privileges: which one, and what it can reach.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { EmbeddedPostgresError } from "./error.ts";
import type { Setup } from "./options.ts";

/** The user as whom PostgreSQL runs, where that is not our own. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The environment of PostgreSQL's programs, which get nothing of our own. TZ spares initdb the search for a time zone. */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", TZ: "UTC", LC_ALL: "C", HOME: "/" };

/**
 * Who runs PostgreSQL on a cluster: its owner unless that is root, else `postgres`, else `nobody`. Undefined when we are
 * not root.
 * @throws EmbeddedPostgresError when there is no such user.
 */
export function accountFor(cluster: string, { advice }: Pick<Setup, "advice">): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const account = named("postgres") ?? named("nobody");
  if (account) return account;
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and this machine has no user postgres or nobody. Start as another user, or ${advice.ownServer}.`,
  );
}

function named(name: string): Account | undefined {
  const { stdout } = spawnSync("id", [name], { env: environment, encoding: "utf8" });
  const [uid, gid] = [/^uid=(\d+)/, / gid=(\d+)/].map((number) => Number(number.exec(stdout)?.[1]));
  return uid && gid ? { name, uid, gid } : undefined;
}

/** Whether the account can pass through a folder, or through the nearest part of its path that exists. */
export function canEnter(folder: string, account: Account): boolean {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return outputAs(account, "test", ["-d", nearest, "-a", "-x", nearest]) !== undefined;
}

/** What a program prints when it runs as the account; undefined when it fails. */
export function outputAs(account: Account | undefined, program: string, args: string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { ...asAccount(account), encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

/** How a child process runs as the account. With the uid Node also gives up root's supplementary groups. */
export const asAccount = (account: Account | undefined) => ({
  ...(account && { uid: account.uid, gid: account.gid }),
  env: environment,
  cwd: "/",
});
