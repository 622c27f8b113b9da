// PgBouncer in front of a PostgreSQL, in transaction pooling: each transaction may run on another session, as with many
// hosted databases.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loginRoles, roleAddress } from "../../database/role-logins.ts";
import { freePort } from "./free-port.ts";

export interface Pooler {
  /** The owner's address through the pooler. */
  url: string;
  stop(): Promise<void>;
}

const program = process.env.PGBOUNCER ?? "/usr/sbin/pgbouncer";

export const hasPgBouncer = (): boolean => existsSync(program);

/** Starts a pooler for a database behind a socket; it runs as the user who may use the socket. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const { hostname, username, password, pathname } = new URL(databaseUrl);
  const sockets = decodeURIComponent(hostname);
  const { uid, gid } = statSync(sockets);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "leads-pooler-"));
  const [settings, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  const logins = [
    [username, password],
    ...loginRoles.map((role) => [role, new URL(roleAddress(databaseUrl, role)).password]),
  ];
  writeFileSync(users, logins.map(([user, secret]) => `"${user}" "${secret}"\n`).join(""));
  const lines = [
    "[databases]",
    `* = host=${sockets}`,
    "[pgbouncer]",
    "pool_mode = transaction",
    // The next transaction is given another session, whenever there is one.
    "server_round_robin = 1",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${users}`,
  ];
  writeFileSync(settings, `${lines.join("\n")}\n`);
  for (const path of [folder, settings, users]) chownSync(path, uid, gid);
  const child = spawn(program, [settings], { uid, gid, stdio: "ignore" });
  process.once("exit", () => child.kill("SIGKILL"));
  // Versions before 1.21 cannot keep prepared statements.
  const url = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}?prepare=false`;
  return { url, stop: () => stop(child, folder) };
}

async function stop(child: ChildProcess, folder: string) {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGINT");
    await exited;
  }
  rmSync(folder, { recursive: true });
}
