// What bench/many-leads.ts times of the programs that read, write or erase everything: the team's commands, as an operator types them; the
// exports of the inbox; and the erasures. Each command is a process of its own, and its memory is read from the system. Each run erases the
// leads of five people and of the oldest twenty days, so a database that is used again has fewer leads.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { addressOfDatabase, type Sql } from "../database/connect.ts";
import { carryOutRetention } from "../delivery/scheduled-jobs.ts";
import { askAsOperator } from "../team/ask.ts";
import { tables } from "../team/backup-file.ts";
import { eraseLeads, findErasable } from "../team/erase-leads.ts";
import { exportedAuditPages, exportedLeadPages, recordAuditExport, recordExport } from "../team/managing.ts";
import type { TimingContext } from "./many-leads-tasks.ts";
import { median } from "./median.ts";

interface ProgramTimingContext extends TimingContext {
  /** The address of the database, as its owner. */
  url: string;
  /** Where the backup is written. */
  folder: string;
}

export async function timePrograms(programs: ProgramTimingContext): Promise<void> {
  await timeExports(programs);
  await timeBackupAndRestore(programs);
  await timeErasures(programs);
}

async function timeExports({ sql, url, say }: ProgramTimingContext): Promise<void> {
  const leads = await countRows(sql, ["public.leads"]);
  await sayRate(say, "copy of the leads to nowhere", async () => {
    const stream = await sql`copy public.leads to stdout`.readable();
    for await (const _ of stream);
    return { rows: leads };
  });
  for (const [what, words] of [
    ["leads export --format csv", ["--format", "csv"]],
    ["leads export --format json", ["--format", "json"]],
    ["leads export --permission", ["--permission", "--format", "csv"]],
  ] as const) {
    await sayRate(say, what, async () => ({ rows: leads, ...(await run(url, "export", ...words)) }));
  }
  const ask = askAsOperator(sql);
  const period = { since: "2000-01-01", until: "2100-01-01", zone: "America/New_York" };
  await sayRate(say, "inbox: export of the leads", async () =>
    countPages(exportedLeadPages(ask, await recordExport(ask, period))),
  );
  await sayRate(say, "inbox: export of the audit log", async () =>
    countPages(exportedAuditPages(ask, await recordAuditExport(ask, {}))),
  );
}

async function countPages(pages: AsyncIterable<unknown[]>): Promise<{ rows: number }> {
  let rows = 0;
  for await (const page of pages) rows += page.length;
  return { rows };
}

/** The backup is restored into a second database, which is dropped at the end. */
async function timeBackupAndRestore({ sql, url, folder, say }: ProgramTimingContext): Promise<void> {
  const rows = await countRows(sql, tables);
  const file = join(folder, "copy.backup");
  const restored = "restored";
  await rm(file, { force: true });
  await sql.unsafe(`drop database if exists ${restored}`);
  try {
    await sayRate(say, "leads backup", async () => ({ rows, ...(await run(url, "backup", file)) }));
    await sql.unsafe(`create database ${restored} encoding 'UTF8' template template0`);
    await sayRate(say, "leads restore", async () => ({
      rows,
      ...(await run(addressOfDatabase(url, restored), "restore", file)),
    }));
  } finally {
    await rm(file, { force: true });
    await sql.unsafe(`drop database if exists ${restored}`);
  }
}

async function timeErasures({ sql, url, say }: ProgramTimingContext): Promise<void> {
  const durations: number[] = [];
  for (const email of await oldestEmails(sql)) {
    const started = performance.now();
    const found = await findErasable(sql, { email });
    await eraseLeads(
      sql,
      found.map(({ id }) => id),
    );
    durations.push(performance.now() - started);
  }
  say(
    `${"erase --email".padEnd(48)} ${median(durations).toFixed(1)} ms, ${Math.max(...durations).toFixed(1)} ms`,
  );
  const days = await ageToErase(sql);
  const before = await countRows(sql, ["public.leads"]);
  await sayRate(say, "leads erase --older-than, ten days", async () => {
    const { memory } = await run(url, "erase", "--older-than", `${days}`, "--yes");
    return { rows: before - (await countRows(sql, ["public.leads"])), memory };
  });
  // The retention plans for the next day, on which the leads are a day older.
  await timeRetention(sql, say, (await ageToErase(sql)) + 1);
}

/** Times one run of the retention, of five minutes at most; what a second run would erase is not timed. */
async function timeRetention(sql: Sql, say: TimingContext["say"], days: number): Promise<void> {
  await sql`update private.settings set retention_days = ${days}, permission_days = ${days}`;
  await sql`delete from private.retention_plan`;
  await carryOutRetention(sql, () => {});
  await sql`update private.retention_plan set planned_at = now() - interval '25 hours'`;
  await sayRate(say, "retention: leads erased, with permissions emptied", async () => {
    let rows = 0;
    await carryOutRetention(sql, (event, facts) => {
      if (event === "leads-erased") rows += Number(facts?.count ?? 0);
    });
    return { rows };
  });
  await sql`update private.settings set retention_days = null, permission_days = null`;
  await sql`delete from private.retention_plan`;
}

const oldestEmails = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ email: string }[]>`
    select w.email_key as email from private.lead_work w order by w.created_at, w.lead_id limit 5`;
  return rows.map(({ email }) => email);
};

/** The age in days of a lead that came ten days after the oldest; at least 1. */
async function ageToErase(sql: Sql): Promise<number> {
  const [row] = await sql<{ days: number }[]>`
    select (extract(epoch from now() - min(created_at)) / 86400)::int - 10 as days from private.lead_work`;
  return Math.max(row?.days ?? 1, 1);
}

async function countRows(sql: Sql, names: readonly string[]): Promise<number> {
  let rows = 0;
  for (const name of names) {
    const [counted] = await sql.unsafe<{ rows: number }[]>(`select count(*)::float as rows from ${name}`);
    rows += counted?.rows ?? 0;
  }
  return rows;
}

/** Says how many rows a second some work took, and the most memory of its process, in megabytes, where it has one of its own. */
async function sayRate(
  say: TimingContext["say"],
  what: string,
  act: () => Promise<{ rows: number; memory?: number }>,
): Promise<void> {
  const started = performance.now();
  const { rows, memory } = await act();
  const seconds = (performance.now() - started) / 1000;
  const figures = `${rows} rows in ${seconds.toFixed(1)} s: ${Math.round(rows / seconds)} a second`;
  say(`${what.padEnd(48)} ${figures}${memory === undefined ? "" : `; ${memory} MB at most`}`);
}

/** Runs a command to its end, with its results going nowhere. Returns the most memory that it had, in megabytes. @throws when it fails. */
async function run(url: string, ...words: string[]): Promise<{ memory: number }> {
  const child = spawn(process.execPath, ["--max-semi-space-size=4", "bin/leads.ts", ...words], {
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr?.on("data", (text) => (said += text));
  const status = `/proc/${child.pid}/status`;
  let memory = 0;
  const watch = setInterval(() => {
    const kilobytes = existsSync(status)
      ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]
      : undefined;
    memory = Math.max(memory, Math.round(Number(kilobytes ?? 0) / 1024));
  }, 50);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearInterval(watch));
  if (code !== 0) throw new Error(`leads ${words[0]} ended with ${code}: ${said}`);
  return { memory };
}
