// `leads export`: the leads for another program, as one JSON array or as CSV; with --permission, the record of what each
// person agreed to. (The rule for reading the CSV back is in docs/export.md.)

import { auditOperator } from "../team/audit-operator.ts";
import { type Cell, csvLine } from "../team/csv.ts";
import { exportLeads } from "../team/export-leads.ts";
import { exportPermissions, permissionColumns } from "../team/export-permissions.ts";
import { leadColumns } from "../team/lead-row.ts";
import { type AddCommand, type CommandContext, noAuditEntry, typedQuietly, UsageError } from "./command.ts";
import { jsonArray } from "./json.ts";
import { progressOf } from "./progress.ts";
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
    .addHelpText("after", `\nExample:\n  ${typedQuietly("export --format csv --since 7d")} > leads.csv`)
    .action(({ format, since, permission }: Options) => {
      if (format !== "csv" && format !== "json")
        throw new UsageError("In which format? Add --format csv or --format json.");
      run(async (context) => {
        const { sql, out, tell, onTerminal } = context;
        // The progress line would mix with the results where both go to the same terminal.
        const onProgress = onTerminal ? undefined : progressOf(context, "Exporting");
        const write = makeWriter(format, permission ? permissionColumns : leadColumns, out);
        if (!(await auditOperator(sql, "exported leads"))) tell(noAuditEntry);
        if (permission) await exportPermissions(sql, { since, onProgress }, write.add);
        else await exportLeads(sql, { since, onProgress }, write.add);
        await write.end();
        return 0;
      });
    });
};

/** Takes records a page at a time and writes them out in one format, with these columns in this order. */
function makeWriter(format: Format, columns: readonly string[], out: CommandContext["out"]) {
  const cellOf = (record: object, name: string) => (record as Record<string, unknown>)[name];
  if (format === "json") {
    const array = jsonArray(out);
    const inOrder = (record: object) =>
      Object.fromEntries(columns.map((name) => [name, cellOf(record, name)]));
    return { add: (records: object[]) => array.add(records.map(inOrder)), end: array.end };
  }
  let heading = csvLine(columns);
  return {
    async add(records: object[]) {
      await out(
        heading +
          records.map((record) => csvLine(columns.map((name) => flat(cellOf(record, name))))).join(""),
      );
      heading = "";
    },
    end: () => out(heading),
  };
}

/** A value as one cell: a list of spam flags is joined, any other object becomes JSON. */
function flat(value: unknown): Cell {
  if (Array.isArray(value)) return value.join("; ");
  if (value === null || value instanceof Date || typeof value !== "object") return value as Cell;
  return JSON.stringify(value);
}
