// `leads export`: the leads for another program, as one JSON array or as CSV; with --permission, the evidence of what
// each person agreed to. (The rule for reading the CSV back is in docs/export.md.)
import { fields } from "../lead/lead.ts";
import { type Cell, csvLine } from "./csv.ts";
import { jsonArray } from "./json.ts";
import { type LeadRow, readLeads } from "./stored-leads.ts";
import { type Act, type Desk, Misuse, readWords } from "./subcommand.ts";
import { readSince } from "./times.ts";

const usage = "export --format csv|json [--since 24h]";

export function exportLeads(words: readonly string[]): Act {
  const { values } = readWords(usage, words, {
    format: { type: "string" },
    since: { type: "string" },
  });
  const { format } = values;
  if (format !== "csv" && format !== "json")
    throw new Misuse("In which format? Add --format csv or --format json.");
  const since = readSince(values.since, new Date());
  return async ({ sql, out }) => {
    const write = writer(format, out);
    await readLeads(sql, { since }, (page) => write.add(page.map(record)));
    await write.end();
    return 0;
  };
}

const columns = [
  "id",
  "created_at",
  ...fields.map(({ name }) => name),
  "withdrawn_at",
  "reviewed_at",
  "outcome",
  "marks",
] as const satisfies (keyof LeadRow)[];

const record = (lead: LeadRow) => Object.fromEntries(columns.map((name) => [name, lead[name]]));

function writer(format: "csv" | "json", out: Desk["out"]) {
  if (format === "json") return jsonArray(out);
  let heading = csvLine(columns);
  return {
    async add(records: Record<string, Cell | string[]>[]) {
      await out(heading + records.map((each) => csvLine(columns.map((name) => flat(each[name])))).join(""));
      heading = "";
    },
    end: () => out(heading),
  };
}

const flat = (value: Cell | string[] | undefined): Cell =>
  Array.isArray(value) ? value.join("; ") : (value ?? null);
