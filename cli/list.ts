// `leads list`: the leads, as a table for a person or as JSON for a program.
import { reference, shown } from "../lead/lead.ts";
import { auditOperator } from "../team/audit-operator.ts";
import { type LeadRow, reviewBy } from "../team/lead-row.ts";
import { type LeadFilter, listLeads } from "../team/list-leads.ts";
import {
  type AddCommand,
  type CommandContext,
  noAuditEntryMessage,
  readCount,
  typed,
  typedForPlainOutput,
} from "./command.ts";
import { jsonArray } from "./json.ts";
import { cell } from "./terminal.ts";
import { dayAndTime, readSince, sinceHelp, timeLeft } from "./times.ts";

/** Rows of a table when --limit is not given. */
const tableLimit = 50;

interface Options extends LeadFilter {
  json?: true;
}

export const list: AddCommand = (program, run) => {
  program
    .command("list")
    .summary("the newest leads; of these, those who withdrew their permission first")
    .description(
      "Lists the newest leads: of these, those who withdrew their permission first, then the newest first.",
    )
    .option("--since <time>", `only those that came in ${sinceHelp}`, (text) => readSince(text, new Date()))
    .option(
      "--due",
      "only those not reviewed yet whose permission stands; the one with the least of its 24 hours left first",
    )
    .option("--suspect", "only those that look like spam")
    .option(
      "--limit <count>",
      `the newest so many, or with --due the most urgent (a table shows ${tableLimit} unless told otherwise)`,
      (text) => readCount("--limit", text),
    )
    .option("--json", "print a JSON array")
    .addHelpText(
      "after",
      `\nExamples:\n  ${typed("list --due")}\n  ${typedForPlainOutput("list --since 24h --json")}`,
    )
    .action(({ json, ...filter }: Options) =>
      run(async (context) => {
        const details = { since: filter.since?.toISOString(), due: filter.due, suspect: filter.suspect };
        if (!(await auditOperator(context.sql, "listed leads", [null], details)))
          context.tell(noAuditEntryMessage);
        return json ? printJson(context, filter) : printTable(context, filter);
      }),
    );
};

async function printJson({ sql, out }: CommandContext, filter: LeadFilter): Promise<number> {
  const array = jsonArray(out);
  await listLeads(sql, filter, array.add);
  await array.end();
  return 0;
}

async function printTable(context: CommandContext, filter: LeadFilter): Promise<number> {
  const { sql, now, out, tell, columns } = context;
  const limit = filter.limit ?? tableLimit;
  let isEmpty = true;
  const hasMore = await listLeads(sql, { ...filter, limit }, async (page) => {
    if (isEmpty) await out(heading(columns));
    isEmpty = false;
    await out(page.map((lead) => line(lead, now, columns)).join(""));
  });
  if (isEmpty) tell("No leads.");
  if (hasMore) tell(`There are more than these ${limit}. To see more, add: --limit ${limit * 10}`);
  return 0;
}

interface Column {
  title: string;
  cells: number;
  /** How many cells more it may get of the width that is left. The name gets the rest. */
  more?: number;
  text(lead: LeadRow, now: Date): string;
}

/** The columns in order. A narrow terminal shows the first ones only. */
const tableColumns: Column[] = [
  { title: "ID", cells: 8, text: ({ id }) => reference(id) },
  { title: "CAME IN", cells: 16, text: ({ created_at }) => dayAndTime(created_at) },
  { title: "REVIEW", cells: 12, more: 1, text: review },
  { title: "NAME", cells: 12, text: ({ name }) => shown("name", name) },
  {
    title: "PHONE",
    cells: 17,
    more: 3,
    text: ({ phone, withdrawn_at }) => (withdrawn_at ? "DO NOT PHONE" : phone),
  },
  { title: "ZIP", cells: 5, more: 5, text: ({ zip_code }) => zip_code },
  { title: "MEDICARE", cells: 8, text: ({ has_medicare }) => (has_medicare ? "yes" : "no") },
  { title: "DIABETES", cells: 8, text: ({ has_diabetes }) => (has_diabetes ? "yes" : "no") },
];

function review({ withdrawn_at, reviewed_at, created_at }: LeadRow, now: Date): string {
  if (withdrawn_at) return "WITHDRAWN";
  return reviewed_at ? "reviewed" : timeLeft(reviewBy(created_at), now);
}

const heading = (terminalWidth: number) => joined(terminalWidth, ({ title }) => title);

function line(lead: LeadRow, now: Date, terminalWidth: number): string {
  const row = joined(terminalWidth, (column) => column.text(lead, now));
  return lead.marks.length === 0 ? row : `${row}${" ".repeat(10)}looks like spam: ${lead.marks.join(", ")}\n`;
}

function joined(terminalWidth: number, text: (column: Column) => string): string {
  const max = Math.min(Math.max(terminalWidth, 80), 120);
  let width = -2;
  const fitting = tableColumns.filter(({ cells }) => (width += cells + 2) <= max);
  let spare = max - fitting.reduce((sum, { cells }) => sum + cells + 2, -2);
  const widths = fitting.map(({ cells, more = 0 }) => {
    const added = Math.min(more, spare);
    spare -= added;
    return cells + added;
  });
  const cells = fitting.map((column, at) =>
    cell(text(column), (widths[at] ?? 0) + (column.title === "NAME" ? spare : 0)),
  );
  return `${cells.join("  ").trimEnd()}\n`;
}
