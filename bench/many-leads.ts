// `node bench/many-leads.ts --leads 500000`: fills a database with what years of leads leave behind, and times what people and processes
// wait for: lists, searches, the queue, a lead page, reports, campaigns, the status, claims, exports, backup, restore, erasures, the
// retention run. Prints one line each: the median and the maximum of several tries, or the rate of one run. `--folder` keeps the database
// there and uses it again; each time the erasures take its oldest days away. The restore needs as much disk again. The figures stand in
// docs/scaling.md.
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { timePrograms } from "./many-leads-programs.ts";
import { timeQueries } from "./many-leads-tasks.ts";
import { fillDatabase } from "./years-of-leads.ts";

const { values } = parseArgs({
  options: {
    leads: { type: "string", default: "10000" },
    /** Leads of the last day that nobody has reviewed: the queue. */
    open: { type: "string", default: "2000" },
    /** Over how many days they came. */
    days: { type: "string", default: "700" },
    tries: { type: "string", default: "5" },
    folder: { type: "string" },
    /** Leaves out the exports, the backup, the restore, the erasures and the retention run. */
    quick: { type: "boolean", default: false },
  },
});
const [leads, open, days, tries] = [values.leads, values.open, values.days, values.tries].map(Number) as [
  number,
  number,
  number,
  number,
];
const say = (line: string) => process.stdout.write(`${line}\n`);

const folder = values.folder ? resolve(values.folder) : await mkdtemp(join(tmpdir(), "many-leads-"));
await mkdir(folder, { recursive: true });
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const sql = connect(database.url, { max: 1, name: "many leads" });
try {
  await migrate(sql);
  await syncChannels(sql, ["email", "webhook"]);
  const mark = join(folder, "filled");
  const isEmpty = (await sql`select from private.members limit 1`).count === 0;
  if (isEmpty && !existsSync(mark)) {
    await fill();
    await writeFile(mark, "");
  } else if (!existsSync(mark)) {
    throw new Error(`The leads in ${folder} are not all there: its fill was broken off. Remove the folder.`);
  }
  await timeQueries({ sql, tries, say });
  if (!values.quick) await timePrograms({ sql, url: database.url, folder, say });
} finally {
  await sql.end({ timeout: 1 });
  await database.stop();
  if (!values.folder) await rm(folder, { recursive: true });
}

async function fill(): Promise<void> {
  const started = performance.now();
  await fillDatabase(sql, { leads, open: Math.min(open, leads), days }, (rows) =>
    process.stderr.write(`\r${rows} leads`),
  );
  const [size] = await sql<
    { bytes: string }[]
  >`select pg_size_pretty(pg_database_size(current_database())) as bytes`;
  say(
    `${leads} leads, ${Math.min(open, leads)} of them open: ${size?.bytes} in ${Math.round((performance.now() - started) / 1000)} s`,
  );
}
