// `leads list`: who is waiting, as a table for a person or as JSON for a program.
import { reference } from "../lead/lead.ts";
import { type LeadRow, readLeads, reviewBy } from "../team/stored-leads.ts";
import { jsonArray } from "./json.ts";
import { type Act, readWords, typed, wholeNumber } from "./subcommand.ts";
import { cell } from "./terminal.ts";
import { clock, readSince, timeLeft } from "./times.ts";

/** A table is for looking at; whoever wants them all says so. */
const tableLimit = 50;

export function list(words: readonly string[]): Act {
  const { values } = readWords("list [--since 24h] [--due] [--suspect] [--limit 50] [--json]", words, {
    since: { type: "string" },
    due: { type: "boolean" },
    suspect: { type: "boolean" },
    limit: { type: "string" },
    json: { type: "boolean" },
  });
  const limit = wholeNumber("--limit", values.limit);
  const since = readSince(values.since, new Date());
  const which = { since, due: values.due, suspect: values.suspect };
  return async ({ sql, now, out, tell, columns }) => {
    await sql`select private.index_new_leads(100000)`;
    if (values.json) {
      const array = jsonArray(out);
      await readLeads(sql, { ...which, limit }, (page) => array.add(page));
      await array.end();
      return 0;
    }
    const most = limit ?? tableLimit;
    let count = 0;
    // One more than is shown tells whether there are more.
    await readLeads(sql, { ...which, limit: most + 1 }, async (page) => {
      if (count === 0) await out(heading(columns));
      const shown = page.slice(0, most - count);
      count += page.length;
      await out(shown.map((lead) => line(lead, now, columns)).join(""));
    });
    if (count === 0) tell("No leads.");
    if (count > most)
      tell(`There are more than these ${most}. To see more: ${typed(`list --limit ${most * 10}`)}`);
    return 0;
  };
}

/** The columns in order; a narrow terminal does without the last ones. The name takes what is left over. */
const table: { title: string; cells: number; of(lead: LeadRow, now: Date): string }[] = [
  { title: "ID", cells: 8, of: ({ id }) => reference(id) },
  { title: "CAME IN", cells: 16, of: ({ created_at }) => clock(created_at) },
  { title: "REVIEW", cells: 11, of: review },
  { title: "NAME", cells: 12, of: ({ name }) => name },
  { title: "PHONE", cells: 14, of: ({ phone, withdrawn_at }) => (withdrawn_at ? "DO NOT PHONE" : phone) },
  { title: "ZIP", cells: 6, of: ({ zip_code }) => zip_code },
  { title: "MEDICARE", cells: 8, of: ({ has_medicare }) => (has_medicare ? "yes" : "no") },
  { title: "DIABETES", cells: 8, of: ({ has_diabetes }) => (has_diabetes ? "yes" : "no") },
];

function review({ withdrawn_at, reviewed_at, created_at }: LeadRow, now: Date): string {
  if (withdrawn_at) return "WITHDRAWN";
  return reviewed_at ? "reviewed" : timeLeft(reviewBy(created_at), now);
}

const heading = (columns: number) => joined(columns, ({ title }) => title);

function line(lead: LeadRow, now: Date, columns: number): string {
  const row = joined(columns, (column) => column.of(lead, now));
  return lead.marks.length === 0 ? row : `${row}${" ".repeat(10)}looks like spam: ${lead.marks.join(", ")}\n`;
}

function joined(columns: number, text: (column: (typeof table)[number]) => string): string {
  const most = Math.min(Math.max(columns, 80), 120);
  let width = -2;
  const fitting = table.filter(({ cells }) => (width += cells + 2) <= most);
  const spare = most - fitting.reduce((sum, { cells }) => sum + cells + 2, -2);
  const cells = fitting.map((column) =>
    cell(text(column), column.cells + (column.title === "NAME" ? spare : 0)),
  );
  return `${cells.join("  ").trimEnd()}\n`;
}
