// Moves everything into another database: from the embedded one to a server of one's own or to Supabase, or back. All is copied as it
// is at one moment and compared, in one transaction of the other database. The old one is only read.
import { randomInt } from "node:crypto";
import type { TransactionSql } from "postgres";
import type { Sql } from "../database/connect.ts";
import { type CopiedRows, CopyError, copyTables, type Table, tablesOf } from "../database/copy-database.ts";
import { MigrationError, migrate, newestVersion, schemaVersion } from "../database/migrate.ts";
import { refusalOf, requireUtf8 } from "../database/prepare.ts";
import { oneMoment, transaction } from "../database/transaction.ts";
import { isReadOnly } from "../database/trouble.ts";
import { programCommand } from "../log/installation.ts";
import { codeOf } from "../log/log.ts";
import type { Progress } from "./backup.ts";
import { lockAndCountRows, UsedDatabase } from "./held-rows.ts";
import { Refusal } from "./refusal.ts";

export interface MoveProgress {
  onCopied: Progress;
  onCompared: Progress;
}

/**
 * Moves all that `from` holds into `to`, which must hold nothing, and returns the number of rows of each table. Both pools are the
 * owners'. Aborted, it leaves `from` untouched and `to` without a row.
 * @throws Refusal when a program still works on one of the two, somebody waits to write to `from` or the target cannot be used, UsedDatabase when the target holds
 * something, CopyError when a table of the copy is not as the one it was copied from.
 */
export async function moveDatabase(
  from: Sql,
  to: Sql,
  { onCopied, onCompared }: MoveProgress,
): Promise<CopiedRows> {
  await requireNoWriter(from, "source");
  await requireNoNewerTables(from);
  await requireNoSubmitLead(from);
  await prepareTarget(from, to);
  const tables = (await transaction(from, tablesOf)).filter(({ name }) => !notMoved.has(name));
  const copy = async (source: TransactionSql) => {
    // Before the first query, because from then on the transaction sees the database as it was at that query. SET and LOCK are no queries.
    await lockOutWriters(source, tables);
    return transaction(to, async (target) => {
      await requireEmpty(target);
      const rows = await copyTables(source, target, tables, onCopied);
      await compare(source, target, tables, onCompared);
      // A server of the old database may have claimed the next backup, and would keep the servers of the new one from making it.
      await target`update private.backup_state set claimed_until = null`;
      // Until a table is analyzed, the planner knows nothing of the values in its columns.
      await target`analyze`;
      // Both fail where the source's connection was lost meanwhile, and its locks with it, so that somebody may have written there.
      await requireNoWriter(source, "source");
      await requireNobodyWaits(source);
      return rows;
    });
  };
  return transaction(from, copy, oneMoment);
}

/** A newer release may have tables that this one does not know. */
async function requireNoNewerTables(from: Sql): Promise<void> {
  const [found, known] = [await schemaVersion(from), await newestVersion()];
  if (found > known)
    throw new Refusal(
      `The database to move has version ${found} of the tables and this program ${known}. Nothing was moved. Move it with the newer release.`,
    );
}

/**
 * Refuses while a project's submit-lead delivers the leads. It logs in as the owner, and the schedule wakes it up each minute, so that no
 * session tells of it; after the move it would send what was pending a second time.
 */
async function requireNoSubmitLead(from: Sql): Promise<void> {
  if ((await from`select from private.wake_up_call`).count > 0)
    throw new Refusal(
      "The project's submit-lead still delivers the leads, and would go on after the move. Nothing was moved. Delete it:\n  supabase functions delete submit-lead\nThen end its schedule, in the project's SQL editor, and type it again:\n  delete from private.wake_up_call;",
    );
}

/** Refuses a target of an older schema that holds something. One of the newest schema is looked at later, with the lock that it needs. */
async function requireUnusedIfOlder(to: Sql): Promise<void> {
  const [found] = await to<{ table: string | null }[]>`select to_regclass('public.leads')::text as table`;
  if (!found?.table || (await schemaVersion(to).catch(() => "")) === (await newestVersion())) return;
  await transaction(to, requireEmpty);
}

/** Refuses two addresses of one database. A lock that is taken through one of them is seen through the other, and needs no right. */
async function requireAnother(from: Sql, to: Sql): Promise<void> {
  const key = randomInt(2 ** 31);
  await transaction(from, async (source) => {
    await source`select pg_advisory_xact_lock(${key}::int, 0)`;
    const [lock] = await to<{ is_free: boolean }[]>`
      select pg_try_advisory_xact_lock(${key}::int, 0) as is_free`;
    if (!lock?.is_free)
      throw new Refusal("--to names the database in use. Nothing was moved. Name another one.");
  });
}

/** Tables that belong to one database and are not moved: where its own submit-lead is. */
const notMoved = new Set(["private.wake_up_call"]);

/** Refuses while one of our programs is logged in, and on the source also Supabase's API where visitors may add leads through it. */
async function requireNoWriter(sql: Sql | TransactionSql, which: "source" | "target"): Promise<void> {
  const writers = await sql<{ name: string }[]>`
    select distinct coalesce(r.role, usename) as name
    from pg_stat_activity
    -- The role of ours that it has, itself or as a member: operators may give a program a login of their own.
    left join lateral (
      select o.rolname as role from pg_roles o
      where o.rolname in ('leads_intake', 'leads_delivery', 'leads_team')
        and (o.oid = usesysid or usename <> current_user and exists (
          select from pg_auth_members m where m.roleid = o.oid and m.member = usesysid
        ))
      limit 1
    ) r on true
    where datname = current_database() and pid <> pg_backend_pid()
      and (
        r.role is not null
        or ${which === "source"} and usename = 'authenticator'
          and has_any_column_privilege('anon', 'public.leads', 'insert')
      )
    order by 1`;
  if (writers.length === 0) return;
  const names = writers.map(({ name }) => programs[name] ?? name);
  const isHosted = writers.some(({ name }) => name === "authenticator");
  const isOurs = writers.some(({ name }) => name !== "authenticator");
  throw new Refusal(
    [
      `Still at work on the database to move${which === "target" ? " to" : ""}: ${names.join(", ")}. Nothing was moved.`,
      isHosted &&
        `Let no visitor add a lead meanwhile (their form says that it cannot be sent now, and keeps what was typed), in the project's SQL editor:\n  revoke insert on public.leads from anon;\nand for the way back: grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;`,
      isOurs &&
        `Stop the server, and \`${programCommand("deliver")}\` and \`${programCommand("inbox")}\` where they run, and type it again.`,
    ]
      .filter(Boolean)
      .join("\n"),
  );
}

const programs: Record<string, string> = {
  leads_intake: "the intake",
  leads_delivery: "the delivery",
  leads_team: "the inbox",
  authenticator: "Supabase's API",
};

/**
 * Brings the target to the newest schema. A database of somebody else's, or one that is not ours to change, is refused; so is one at which a
 * program is at work or that holds something, before anything is changed in it, because it may have been named by mistake.
 */
async function prepareTarget(from: Sql, to: Sql): Promise<void> {
  try {
    await requireUtf8(to);
    await requireAnother(from, to);
    await requireNoWriter(to, "target");
    await requireUnusedIfOlder(to);
    await migrate(to);
  } catch (error) {
    const refusal = error instanceof MigrationError ? error : refusalOf(error, "--to");
    const reason = refusal?.message ?? whyNotUsable(error);
    throw reason ? new Refusal(`Nothing was moved. ${reason}`, { cause: error }) : error;
  }
}

/** What of the target `refusalOf` does not know, because a server waits where this is so of its own database. */
function whyNotUsable(error: unknown): string | undefined {
  if (isReadOnly(error)) return "The database in --to takes no writes: it is a standby, or set to read only.";
  const code = codeOf(error);
  return /^(E[A-Z]*(REFUSED|NOTFOUND|TIMEDOUT|UNREACH|AI_AGAIN|NOENT)|CONNECT_TIMEOUT)$/.test(code)
    ? `The database in --to does not answer (${code}).`
    : undefined;
}

/** What is written after the moment of the copy would be missing in it, so nobody may write until it is whole. */
async function lockOutWriters(source: TransactionSql, tables: readonly Table[]): Promise<void> {
  await source`set local lock_timeout = '10s'`;
  await source
    .unsafe(`lock table ${tables.map(({ name }) => name).join(", ")} in share mode`)
    .catch((error) => {
      if (codeOf(error) !== "55P03") throw error;
      throw new Refusal(
        "Somebody is writing to the database to move. Nothing was moved. Type it again later.",
        {
          cause: error,
        },
      );
    });
}

/** Who waits for the lock writes to the old database when it is released: a stop that a command was given would be lost. */
async function requireNobodyWaits(source: TransactionSql): Promise<void> {
  const waiting = await source`
    select from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())
      -- An autovacuum does not write.
      and mode <> 'ShareUpdateExclusiveLock'`;
  if (waiting.count > 0)
    throw new Refusal(
      "Somebody waits to write to the database to move, and the copy would not have it. Nothing was moved. Type it again later.",
    );
}

async function requireEmpty(target: TransactionSql): Promise<void> {
  await target`set local lock_timeout = '10s'`;
  const held = await lockAndCountRows(target).catch((error) => {
    if (codeOf(error) !== "55P03") throw error;
    throw new Refusal(
      "Somebody is at work on the database to move to. Nothing was moved. Type it again later.",
      { cause: error },
    );
  });
  if (held.leads > 0 || held.others.length > 0) throw new UsedDatabase(held);
}

/** Compares the rows of each table by a sum of their hashes, whatever order they are in. */
async function compare(
  source: TransactionSql,
  target: TransactionSql,
  tables: readonly Table[],
  onProgress: Progress,
): Promise<void> {
  for (const [index, table] of tables.entries()) {
    const [read, written] = await Promise.all([sumOf(table, source), sumOf(table, target)]);
    if (read !== written)
      throw new CopyError(`The table ${table.name} is not as the one it was copied from.`);
    onProgress((index + 1) / tables.length);
  }
}

async function sumOf({ name, columns }: Table, tx: TransactionSql): Promise<string> {
  const [row] = await tx.unsafe<{ sum: string }[]>(
    `select concat_ws(' ', count(*), sum(('x' || left(md5(row(${columns})::text), 15))::bit(60)::bigint)) as sum from ${name}`,
  );
  return row?.sum ?? "";
}
