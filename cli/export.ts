// `leads export`: the leads for another program, as one JSON array or as CSV; with --permission, the evidence of what
// each person agreed to. (The rule for reading the CSV back is in docs/export.md.)
import { fields } from "../lead/lead.ts";
import { type Evidence, evidenceColumns, readEvidence } from "../team/evidence.ts";
import { type LeadRow, readLeads } from "../team/stored-leads.ts";
import { type Cell, csvLine } from "./csv.ts";
import { jsonArray } from "./json.ts";
import { type Act, type Desk, Misuse, readWords } from "./subcommand.ts";
import { readSince } from "./times.ts";

export function exportLeads(words: readonly string[]): Act {
  const { values } = readWords("export --format csv [--since 24h] [--permission]", words, {
    format: { type: "string" },
    since: { type: "string" },
    permission: { type: "boolean" },
  });
  const { format, permission } = values;
  if (format !== "csv" && format !== "json")
    throw new Misuse("In which format? Add --format csv or --format json.");
  const since = readSince(values.since, new Date());
  return async ({ sql, out }) => {
    const write = writer(format, permission ? evidenceColumns : leadColumns, out);
    if (permission) await readEvidence(sql, since, (page: Evidence[]) => write.add(page));
    else await readLeads(sql, { since }, (page) => write.add(page));
    await write.end();
    return 0;
  };
}

const leadColumns = [
  "id",
  "created_at",
  ...fields.map(({ name }) => name),
  "withdrawn_at",
  "reviewed_at",
  "outcome",
  "marks",
] as const satisfies (keyof LeadRow)[];

/** Takes records a page at a time and writes them out in one format, with these columns in this order. */
function writer(format: "csv" | "json", columns: readonly string[], out: Desk["out"]) {
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

/** A value as one cell: a list of marks joined, anything else that is no cell as JSON. */
function flat(value: unknown): Cell {
  if (Array.isArray(value)) return value.join("; ");
  if (value === null || value instanceof Date || typeof value !== "object") return value as Cell;
  return JSON.stringify(value);
}
