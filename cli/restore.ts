// `leads restore FILE`: puts a backup into an empty database, in one transaction: all of it or nothing. Nothing fires on the
// way: no lead is taken for a new one, and nobody is told again of what was delivered.
import type postgres from "postgres";
import { newestVersion } from "../database/migrate.ts";
import { transaction } from "../database/transaction.ts";
import { codeOf } from "../log/log.ts";
import { damaged, readBackup, type Table, tables } from "../team/backup-file.ts";
import { type Act, counted, Refusal, readWords } from "./subcommand.ts";

/** Letters of JSON that go to the database in one statement. */
const batchSize = 500_000;

export function restore(words: readonly string[]): Act {
  const { positionals } = readWords("restore <file>", words, {});
  const path = positionals[0] as string;
  return async ({ sql, out, tell }) => {
    const schema = await newestVersion();
    const rows = await transaction(sql, (tx) => restoreAll(tx, path, schema));
    // What the planner knows of an empty table makes `list --suspect` look at each lead for each.
    await sql`analyze public.leads, private.permissions, private.deliveries`;
    await out(
      `Restored ${counted(rows["public.leads"] ?? 0, "lead")} and ${counted(rows["private.deliveries"] ?? 0, "delivery", "deliveries")} from ${path}\n`,
    );
    tell("If the server runs, start it again, so that its own wording and channels are in force.");
    return 0;
  };
}

async function restoreAll(
  tx: postgres.TransactionSql,
  path: string,
  schema: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = Object.fromEntries(tables.map((table) => [table, 0]));
  await makeRoom(tx);
  // `session_replication_role` would need a superuser; the owner may do this. References are still checked.
  await tx`alter table public.leads disable trigger user`;
  let batch: { table: Table; rows: string[]; size: number } = { table: tables[0], rows: [], size: 0 };
  const send = async (next: Table) => {
    if (batch.rows.length > 0) await insert(tx, batch.table, batch.rows);
    batch = { table: next, rows: [], size: 0 };
  };
  const lines = readBackup(path, (heading) => {
    if (heading.schema === schema) return;
    throw new Refusal(
      `This backup has version ${heading.schema} of the tables and this program ${schema}. Restore it with the program's version that made it, then bring that one up to date.`,
    );
  });
  for await (const { table, row } of lines) {
    if (table !== batch.table || batch.size > batchSize) await send(table);
    batch.rows.push(row);
    batch.size += row.length;
    counts[table] = (counts[table] ?? 0) + 1;
  }
  await send(batch.table);
  await tx`alter table public.leads enable trigger user`;
  return counts;
}

/** Refuses a database that holds anything of its own, and clears what each start writes anew. */
async function makeRoom(tx: postgres.TransactionSql): Promise<void> {
  await tx`lock table public.leads in access exclusive mode`;
  const [held] = await tx<{ leads: number; erasures: number }[]>`
    select (select count(*)::int from public.leads) as leads, (select count(*)::int from private.erasures) as erasures`;
  if (held && held.leads + held.erasures > 0) {
    throw new Refusal(
      `This database holds ${counted(held.leads, "lead")} and ${counted(held.erasures, "receipt")} of erased ones already. Nothing was restored: restore into an empty database (another DATA_DIR or DATABASE_URL, started once with: npm start).`,
    );
  }
  for (const table of [...tables].reverse()) await tx`delete from ${tx(table)}`;
}

async function insert(tx: postgres.TransactionSql, table: Table, rows: string[]): Promise<void> {
  try {
    await tx`insert into ${tx(table)} select * from json_populate_recordset(null::${tx(table)}, ${`[${rows.join(",")}]`}::text::json)`;
  } catch (error) {
    // A row that refers to one which is missing (SQLSTATE class 23): the file is not what was written.
    if (/^23/.test(codeOf(error))) throw damaged("what is in it is not what was put in");
    throw error;
  }
}
