// `leads export`: the leads for another program, as one JSON array or as CSV; with --permission, the record of what each
// person agreed to. (The rule for reading the CSV back is in docs/export.md.)

import { connect, type Sql, withLoginOf } from "../database/connect.ts";
import { codeOf } from "../log/log.ts";
import { auditOperator } from "../team/audit-operator.ts";
import { type Cell, csvLine } from "../team/csv.ts";
import { makeCsvEncoder } from "../team/csv-encoder.ts";
import { exportLeads, leadColumns } from "../team/export-leads.ts";
import { exportPermissions, permissionColumns } from "../team/export-permissions.ts";
import { waitForEntry } from "../team/standby.ts";
import {
  type AddCommand,
  type CommandContext,
  noAuditEntryMessage,
  typedForPlainOutput,
  UsageError,
} from "./command.ts";
import { jsonArray } from "./json.ts";
import { progressOf } from "./progress.ts";
import { printable } from "./terminal.ts";
import { readSince, sinceHelp } from "./times.ts";

type Format = "csv" | "json";

interface Options {
  format?: string;
  since?: Date;
  permission?: true;
}

export const exportCommand: AddCommand = (program, run) => {
  program
    .command("export")
    .summary("all leads for another program (see docs/export.md)")
    .description("Prints all leads for another program. docs/export.md says what each column is.")
    .option("--format <format>", "csv for a spreadsheet, or json for one JSON array")
    .option("--since <time>", `only those that came in ${sinceHelp}`, (text) => readSince(text, new Date()))
    .option("--permission", "instead of the leads, the record of what each person agreed to")
    .addHelpText(
      "after",
      `\nExample:\n  ${typedForPlainOutput("export --format csv --since 7d")} > leads.csv`,
    )
    .action(({ format, since, permission }: Options) => {
      if (format !== "csv" && format !== "json")
        throw new UsageError("In which format? Add --format csv or --format json.");
      run(async (context) => {
        const { tell, onTerminal } = context;
        // The progress line would mix with the results where both go to the same terminal.
        const onProgress = onTerminal ? undefined : progressOf(context, "Exporting");
        const write = makeWriter(format, permission ? permissionColumns : leadColumns, context);
        const details = { since: since?.toISOString(), what: permission ? "permissions" : "leads" };
        const [entry] = (await auditOperator(context.sql, "exported leads", [null], details)) ?? [];
        if (!entry) tell(noAuditEntryMessage);
        const exportAll = permission ? exportPermissions : exportLeads;
        await withStandby(context, entry, (sql) => exportAll(sql, { since, onProgress }, write.add));
        await write.end();
        return 0;
      });
    });
};

/** Reads on the standby that STANDBY_URL names, once it has the entry of the audit log; else on the database in use. */
async function withStandby(
  { sql, url, config: { standbyUrl }, tell, signal }: CommandContext,
  entry: string | undefined,
  read: (sql: Sql) => Promise<unknown>,
): Promise<void> {
  if (!standbyUrl || !entry) return void (await read(sql));
  const standby = connect(withLoginOf(standbyUrl, url), { max: 2, name: "leads export" });
  signal.addEventListener("abort", () => void standby.end({ timeout: 0 }));
  try {
    const problem = await waitForEntry(standby, entry).then(
      (isThere) => (isThere ? undefined : "is seconds behind"),
      (error) => `cannot be read (${codeOf(error)})`,
    );
    if (problem) tell(`The standby ${problem}. The primary is read.`);
    await read(problem ? sql : standby);
  } finally {
    await standby.end({ timeout: 1 });
  }
}

/** Makes a writer of one format. It takes some hundred records at a time; a record is its cells in the order of `columns`. */
function makeWriter(
  format: Format,
  columns: readonly string[],
  { out, onTerminal }: Pick<CommandContext, "out" | "onTerminal">,
) {
  if (format === "json") {
    const { add, end } = jsonArray(out);
    return { add: (records: unknown[][]) => add(records.map((cells) => named(columns, cells))), end };
  }
  const encode = makeCsvEncoder();
  const print = (page: Cell[][]) => out(onTerminal ? page.map(lineForTerminal).join("") : encode(page));
  let heading: Cell[][] = [[...columns]];
  return {
    async add(records: unknown[][]) {
      await print([...heading, ...records.map((cells) => cells.map(flat))]);
      heading = [];
    },
    end: () => print(heading),
  };
}

function named(columns: readonly string[], cells: unknown[]): object {
  const record: Record<string, unknown> = {};
  for (const [at, name] of columns.entries()) record[name] = cells[at];
  return record;
}

/** A record as one line for a terminal. What a visitor typed is escaped here, because a terminal could obey it; a file gets it as it is. */
const lineForTerminal = (cells: Cell[]): string =>
  `${printable(csvLine(cells).slice(0, -"\r\n".length))}\r\n`;

/** A value as one cell: a list of spam flags is joined, any other object becomes JSON. */
function flat(value: unknown): Cell {
  if (typeof value !== "object" || value === null) return value as Cell;
  return Array.isArray(value) ? value.join("; ") : JSON.stringify(value);
}
