// PostgreSQL as Supabase prepares it: its roles are there, `postgres` owns the database and is no superuser, and (on
// projects made before 30 May 2026) whatever is created in `public` is granted to the API's roles. Written from what
// supabase/postgres does when a project is created; hosted Supabase itself was not looked at.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type Sql } from "../../database/connect.ts";
import { embeddedOptions } from "../../database/embedded.ts";
import { migrate } from "../../database/migrate.ts";
import { openRoleLogins, roleAddress } from "../../database/role-logins.ts";
import { syncChannels } from "../../delivery/outbox.ts";
import { accountFor, asAccount } from "../../packages/embedded-postgres/account.ts";
import { setUp } from "../../packages/embedded-postgres/options.ts";
import { programsFor } from "../../packages/embedded-postgres/programs.ts";
import { atTheEnd } from "./at-the-end.ts";
import type { TestDatabase } from "./database.ts";
import { freePort } from "./free-port.ts";

const setup = setUp(embeddedOptions(undefined));

/** A PostgreSQL on this machine: its major version and the folder of its programs. */
export interface Installed {
  major: number;
  bin: string;
}

/**
 * The PostgreSQL servers that can be tried here: the embedded one, those of Debian's packages, and any folder of
 * programs listed in SPEC_POSTGRESQL.
 */
export function installedServers(): Installed[] {
  const { SPEC_POSTGRESQL = "" } = process.env;
  const debian = "/usr/lib/postgresql";
  const folders = [
    embeddedBin(),
    ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : []),
    ...SPEC_POSTGRESQL.split(":").filter(Boolean),
  ];
  return folders.flatMap((bin) => {
    const { stdout } = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" });
    const major = Number(/\b(\d{1,3})(?:\.\d|beta|rc|devel)/.exec(stdout ?? "")?.[1]);
    // The migrations need PostgreSQL 14.
    const isUsable = major >= 14 && existsSync(join(bin, "initdb"));
    if (!isUsable && SPEC_POSTGRESQL.split(":").includes(bin))
      throw new Error(
        `SPEC_POSTGRESQL names ${bin}, which holds no postgres and initdb of version 14 or newer.`,
      );
    return isUsable ? [{ major, bin }] : [];
  });
}

function embeddedBin(): string {
  const folder = tmpdir();
  return join(programsFor(accountFor(folder, setup), folder, setup).postgres, "..");
}

/** A database on such a server, with a connection for each login that a test needs. */
export interface SupabaseLike extends TestDatabase {
  /** PostgREST's login, which becomes `anon` for a request. */
  authenticator: Sql;
  /** The platform's own superuser; no project has its password. */
  platform: Sql;
}

/** Starts a server for a chapter, prepared as Supabase prepares one, and removes it after the chapter. */
export async function startSupabaseLike(server = installedServers()[0] as Installed) {
  const port = await startCluster(server);
  const address = (role: string, database: string) =>
    `postgres://${role}:trusted@127.0.0.1:${port}/${database}`;
  const connections: Sql[] = [];
  const open = (role: string, database: string) => {
    const sql = connect(address(role, database));
    connections.push(sql);
    return sql;
  };
  atTheEnd(() => Promise.all(connections.map((sql) => sql.end({ timeout: 1 }))));
  const platform = open("supabase_admin", "postgres");
  await platform.unsafe(roles(server.major));
  let made = 0;
  return {
    /** Makes a migrated database; `everythingGranted` is how projects made before 30 May 2026 began. */
    async makeDatabase({ everythingGranted = true } = {}): Promise<SupabaseLike> {
      const name = `project_${++made}`;
      await platform.unsafe(`create database ${name} owner postgres`);
      const url = address("postgres", name);
      const [owner, onPlatform] = [open("postgres", name), open("supabase_admin", name)];
      await onPlatform.unsafe("grant usage on schema public to postgres, anon, authenticated, service_role");
      if (everythingGranted) await owner.unsafe(grantEverything);
      await migrate(owner);
      await syncChannels(owner, []);
      await openRoleLogins(owner, url);
      const intakeUrl = roleAddress(url, "leads_intake");
      return {
        url,
        intakeUrl,
        owner,
        intake: open("leads_intake", name),
        authenticator: open("authenticator", name),
        platform: onPlatform,
      };
    },
  };
}

async function startCluster({ bin }: Installed): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "supabase-like-"));
  const account = accountFor(folder, setup);
  if (account) chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  const as = asAccount(account);
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "supabase_admin", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
    { ...as, encoding: "utf8" },
  );
  if (made.status !== 0) throw made.error ?? new Error(made.stderr);
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "fsync=off",
    "shared_buffers=16MB",
  ];
  const postgres = spawn(join(bin, "postgres"), ["-D", data, ...settings.flatMap((one) => ["-c", one])], {
    ...as,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  postgres.stderr.on("data", (words) => (said += words));
  const ended = new Promise<void>((resolve) => postgres.once("exit", () => resolve()));
  atTheEnd(async () => {
    postgres.kill("SIGINT");
    await ended;
    rmSync(folder, { recursive: true });
  });
  while (!isReady(join(data, "postmaster.pid"))) {
    if (postgres.exitCode !== null || postgres.signalCode !== null)
      throw new Error(`PostgreSQL in ${bin} did not start: ${said}`);
    await wait(10);
  }
  return port;
}

const isReady = (pidFile: string) => existsSync(pidFile) && /^ready/m.test(readFileSync(pidFile, "utf8"));

// From version 16 a role may grant another only with the admin option, which Supabase gives to `postgres`.
const roles = (major: number) => `
  create role postgres nosuperuser createdb createrole login replication bypassrls;
  create role anon nologin inherit;
  create role authenticated nologin inherit;
  create role service_role nologin inherit bypassrls;
  create role authenticator login noinherit;
  grant anon, authenticated, service_role to authenticator;
  alter role anon set statement_timeout = '3s';
  alter role authenticated set statement_timeout = '8s';
  grant anon, authenticated, service_role to postgres ${major >= 16 ? "with admin option" : ""}`;

const grantEverything = ["tables", "functions", "sequences"]
  .map(
    (kind) =>
      `alter default privileges in schema public grant all on ${kind} to anon, authenticated, service_role;`,
  )
  .join("\n");

// Stubs of pg_cron and pg_net: what the migration calls of them, with their names and types.
export const extensionStubs = `
  create schema cron;
  create table cron.job (
    jobid bigserial primary key, schedule text not null, command text not null, active boolean not null default true,
    jobname text unique
  );
  create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql
  begin atomic
    insert into cron.job (jobname, schedule, command) values (job_name, schedule, command)
    on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command returning jobid;
  end;
  create function cron.unschedule(job_id bigint) returns boolean language sql
  begin atomic
    delete from cron.job where jobid = job_id returning true;
  end;
  create schema net;
  create table net.http_request_queue (id bigserial, url text, headers jsonb, body jsonb, timeout_milliseconds integer);
  create function net.http_post(
    url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}',
    timeout_milliseconds integer default 5000
  ) returns bigint language sql
  begin atomic
    insert into net.http_request_queue (url, headers, body, timeout_milliseconds)
    values (url, headers, body, timeout_milliseconds) returning id;
  end;
  grant usage on schema cron, net to postgres;
  grant all on all tables in schema cron, net to postgres;
  grant all on all sequences in schema cron, net to postgres;`;
