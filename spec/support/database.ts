// A database for one chapter: a fresh copy of the schema on the shared PostgreSQL, with a connection of the owner
// and one of the intake. It is gone when that PostgreSQL ends.
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { addressOfDatabase, connect, type Sql } from "../../database/connect.ts";
import { retryDeadlock } from "../../database/retry-transaction.ts";
import { roleAddress } from "../../database/role-logins.ts";
import { atTheEnd } from "./at-the-end.ts";
import { templateName } from "./postgresql.ts";

export interface TestDatabase {
  /** The owner's address, as DATABASE_URL takes it. */
  url: string;
  /** The intake's address, as INTAKE_DATABASE_URL takes it. */
  intakeUrl: string;
  owner: Sql;
  intake: Sql;
}

/** Makes a database with the schema, or an empty one, for the chapter that calls it. */
export async function makeDatabase({ schema = true } = {}): Promise<TestDatabase> {
  const server = inject("postgresql");
  const name = `spec_${randomBytes(6).toString("hex")}`;
  const maintenance = connect(server, { max: 1 });
  await maintenance.unsafe(
    `create database ${name}${schema ? ` template ${templateName} strategy file_copy` : ""}`,
  );
  await maintenance.end();
  const url = addressOfDatabase(server, name);
  const owner = connect(url);
  const intakeUrl = roleAddress(url, "leads_intake");
  const intake = connect(intakeUrl);
  // A copy has the id of its template.
  if (schema) await owner`update private.database_ids set id = default`;
  atTheEnd(() => Promise.all([owner, intake].map((sql) => sql.end({ timeout: 1 }))));
  return { url, intakeUrl, owner, intake };
}

/**
 * Deletes all leads and what belongs to them from a database, for the next test. Not by `truncate`, which takes 13 milliseconds instead
 * of one, and after which each session plans its queries anew. Tries again after a deadlock with a program that still works on them, such as
 * an inbox that is indexing new leads.
 */
export async function removeLeads(owner: Sql): Promise<void> {
  const remove = () =>
    owner.begin((tx) => [
      tx`delete from public.leads`,
      tx`delete from private.deliveries`,
      tx`delete from private.stop_list`,
      tx`delete from private.erasures`,
      tx`update private.lead_tallies set erased = 0 where erased <> 0`,
    ]);
  await retryDeadlock(remove, 10);
}

/** The code with which PostgreSQL refused this, such as 42501, or "allowed". */
export const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "allowed",
    (error: { code: string }) => error.code,
  );

/**
 * The process ids of the sessions that wait for a lock in this database, of one program or of all. Chapters ask here, because sessions of
 * other chapters wait on the same server.
 */
export const sessionsWaitingForLocks = async (owner: Sql, program: string | null = null) =>
  (
    await owner<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and application_name = coalesce(${program}, application_name)`
  ).map(({ pid }) => pid);

/** A lead that an honest visitor could send, with `differences` in it. Without them, all have the same number and e-mail address. */
export const aLead = (differences: Record<string, unknown> = {}) => ({
  name: "Rosa Martinez",
  email: "rosa@example.com",
  phone: "(305) 555-0142",
  zip_code: "33101",
  has_medicare: true,
  has_diabetes: false,
  ...differences,
});
