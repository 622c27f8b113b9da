// What campaigns cost, as the provider types it in or as an ad network exports it: a CSV file with a date, a campaign and an amount in US
// dollars a line. A file is recorded as a whole or not at all.
import type { Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import type { Ask } from "./ask.ts";
import { readCsv } from "./read-csv.ts";

export interface Cost {
  /** As YYYY-MM-DD. */
  day: string;
  campaign: string;
  /** Which utm_source and utm_medium the cost is for; "" for whichever has the campaign. */
  source: string;
  medium: string;
  /** In cents of the US dollar. */
  amount_cents: number;
}

/** A line that cannot be recorded, and why. */
export interface CostProblem {
  line: number;
  problem: string;
}

/** How many costs are recorded, and how many were taken away. */
export interface Recorded {
  recorded: number;
  removed: number;
}

/** Why nothing was recorded, in a sentence. */
export interface NotRecorded {
  problem: string;
}

/** What the database says; `to_come`: the first day that has begun nowhere yet. Nothing was recorded where there is one. */
type Answer = (Recorded & { to_come?: null }) | { to_come: string };

/** Replaces the costs of the same day, campaign, source and medium; an amount of 0 takes the cost away. */
export async function recordCosts(sql: Sql, costs: readonly Cost[]): Promise<Recorded | NotRecorded> {
  const [row] = await retryDeadlock(
    async () => sql<Answer[]>`
      select recorded, removed, to_come::text from private.record_campaign_costs(${JSON.stringify(costs)}::text::jsonb)`,
  );
  return resultOf(row ?? { recorded: 0, removed: 0 });
}

/** Records costs as a manager, with an entry in the audit log. */
export const recordCostsAs = async (ask: Ask, costs: readonly Cost[]) =>
  resultOf(
    (await ask((sql) => sql`team.record_campaign_costs(${JSON.stringify(costs)}::text::jsonb)`)) as Answer,
  );

function resultOf(answer: Answer): Recorded | NotRecorded {
  if (typeof answer.to_come === "string")
    return { problem: `The day ${answer.to_come} has not begun, so nothing can have been spent on it.` };
  const { recorded, removed } = answer;
  return { recorded, removed };
}

/** For a file that has problems. @throws Refused 403 for a member who may not record costs. Counts as activity. */
export const requireRightToCosts = (ask: Ask) => ask((sql) => sql`team.require_right_to_costs()`);

/** Lines of a file: a year of some 27 campaigns. */
const maxLines = 10_000;

/** The names that a column may have in the first line, in lower case. */
const columnNames = {
  day: ["date", "day", "reporting starts"],
  lastDay: ["reporting ends"],
  campaign: ["campaign", "campaign name", "utm_campaign"],
  amount: [
    "amount",
    "cost",
    "spend",
    "amount spent",
    "amount (usd)",
    "cost (usd)",
    "spend (usd)",
    "amount spent (usd)",
  ],
  currency: ["currency", "currency code"],
  source: ["source", "utm_source"],
  medium: ["medium", "utm_medium"],
} as const satisfies Record<string, readonly string[]>;
type Column = keyof typeof columnNames;

/** Reads a CSV file. With any problem, nothing of it is to be recorded. */
export function readCostsCsv(text: string): { costs: Cost[] } | { problems: CostProblem[] } {
  const { records, openQuote } = readCsv(text.replace(/^\ufeff/, ""));
  if (openQuote !== undefined)
    return problemOf(openQuote, "A quotation mark is opened here and never closed.");
  const [heading, ...lines] = records;
  const names = (heading?.cells ?? []).map((name) => name.trim().toLowerCase());
  const indexOf = (column: Column) =>
    names.findIndex((name) => (columnNames[column] as readonly string[]).includes(name));
  const problem = problemOfHeading(names, indexOf);
  if (problem) return problemOf(1, problem);
  const tooMany = lines[maxLines];
  if (tooMany)
    return problemOf(
      tooMany.line,
      "A file has at most 10,000 lines. Please divide it between days, because lines of one campaign and day have to stay in one file.",
    );
  const costs: Cost[] = [];
  const problems: CostProblem[] = [];
  for (const { cells, line } of lines) {
    const cellOf = (column: Column) => (cells[indexOf(column)] ?? "").trim();
    const cost = readCost({
      day: cellOf("day"),
      lastDay: cellOf("lastDay"),
      campaign: cellOf("campaign"),
      amount: cellOf("amount"),
      currency: cellOf("currency"),
      source: cellOf("source"),
      medium: cellOf("medium"),
    });
    if ("problem" in cost) problems.push({ line, ...cost });
    else costs.push(cost);
  }
  if (problems.length > 0) return { problems };
  const sum = costs.reduce((cents, { amount_cents }) => cents + amount_cents, 0);
  // Lines of one day and campaign are added up, and the database keeps no larger cost.
  if (sum > 100_000_000_000)
    return problemOf(1, "The amounts of a file add up to at most 1,000,000,000 dollars.");
  return { costs };
}

const problemOf = (line: number, problem: string) => ({ problems: [{ line, problem }] });

function problemOfHeading(names: readonly string[], indexOf: (column: Column) => number): string | undefined {
  const foreign = names.find((name) => /^(amount|cost|spend|amount spent) \((?!usd)[a-z]{3}\)$/.test(name));
  // Beside an amount in another currency, a column is in US dollars only if its name says so.
  if (foreign !== undefined && !names[indexOf("amount")]?.endsWith("(usd)"))
    return `The column "${foreign}" is not in US dollars. ${onlyDollars}`;
  if ((["day", "campaign", "amount"] as const).some((column) => indexOf(column) < 0))
    return "The first line has to name the columns: date, campaign, amount (source and medium may be there).";
  return undefined;
}

const onlyDollars = "Costs are recorded in US dollars and not converted.";

/** Reads one cost from what a person typed or a file holds. An empty currency is US dollars. */
export function readCost(typed: Record<Column, string>): Cost | { problem: string } {
  const day = readDay(typed.day);
  if (!day) return { problem: "The date has to look like 2026-01-31 or 1/31/2026." };
  if (typed.lastDay !== "" && readDay(typed.lastDay) !== day)
    return { problem: "This cost is of more than one day. Export the report with a line for each day." };
  if (typed.campaign === "") return { problem: "The campaign is missing." };
  for (const word of ["campaign", "source", "medium"] as const) {
    // The first stands for each character that is no UTF-8; PostgreSQL cannot keep the second.
    if (typed[word].includes("\ufffd") || typed[word].includes("\0"))
      return { problem: `The ${word} cannot be read. A file has to be in UTF-8.` };
    if (typed[word] !== "" && !hasName(typed[word]))
      return { problem: `The ${word}'s name has to have a letter from A to Z or a digit.` };
  }
  if (!["", "USD"].includes(typed.currency.toUpperCase()) || namesOtherCurrency(typed.amount))
    return { problem: `The amount is not in US dollars. ${onlyDollars}` };
  const amount_cents = readCents(typed.amount);
  if (amount_cents === undefined)
    return { problem: "The amount has to be in US dollars, such as 12.50 or $1,204.50, up to 100,000,000." };
  const { campaign, source, medium } = typed;
  return { day, campaign, source, medium, amount_cents };
}

/**
 * Whether private.clean_campaign_word leaves anything of a word: it keeps A to Z and digits, and may drop percent-encoded ones. Accents are
 * taken off first, because that may make such a code: %2á becomes %2a.
 */
function hasName(word: string): boolean {
  const part = word.slice(0, 200);
  const read = part.length < 200 ? part : withoutCutNumber(part);
  // It becomes "(removed)" where it was a number alone.
  if (read === "") return /\d/.test(withoutCodes(part.replace(/%(25)?[\da-f]?$/i, "")));
  const plain = read.replaceAll(/[áàâãäéèêëíìîïóòôõöúùûüñç]/gi, (letter) =>
    letter.normalize("NFD").charAt(0),
  );
  const kept = withoutCodes(plain).replace(/^[^a-z\d]+/i, "");
  // A number of more than 60 digits is dropped.
  return /[a-z\d]/i.test(kept) && !/^\d{61}/.test(kept);
}

const withoutCodes = (text: string): string => text.replaceAll(/%(25)?[\da-f]{2}/gi, "");

/** Without the number at the end of a word that is cut, because a part of it may be missing. */
function withoutCutNumber(part: string): string {
  for (let end = part.length; ; ) {
    const rest = part.slice(0, end);
    const [code = ""] = /%(25)?[\da-f]{0,2}$/i.exec(rest) ?? [];
    if (code === "" && !/[^a-z%]/i.test(rest.slice(-1))) return rest;
    end -= code.length || 1;
  }
}

function readDay(text: string): string | undefined {
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const [year, month, date] = (iso?.slice(1) ?? [american?.[3], american?.[1], american?.[2]]).map(Number);
  const day = new Date(Date.UTC(year ?? Number.NaN, (month ?? 0) - 1, date));
  // A 31st of February would silently become a day in March, and the year 26 be 1926.
  const isThatDay =
    day.getUTCFullYear() === year && day.getUTCMonth() + 1 === month && day.getUTCDate() === date;
  if (!isThatDay) return undefined;
  return day.toISOString().slice(0, 10);
}

/** Whether an amount is written with letters or a currency's sign that are not those of US dollars: "12 EUR", "€12", "CA$12". */
function namesOtherCurrency(text: string): boolean {
  const rest = text
    .toUpperCase()
    .replaceAll(/(?<!\p{L})USD?(?!\p{L})/gu, "")
    .replace("$", "");
  return /\d/.test(rest) && /[\p{L}\p{Sc}]/u.test(rest);
}

// A comma stands only before three digits: 12,50 would otherwise become 1250.
function readCents(text: string): number | undefined {
  const amount = /^(?:USD?)? ?\$? ?(\d{1,9}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?(?: ?USD)?$/i.exec(text);
  if (!amount) return undefined;
  const [, whole = "", cents = ""] = amount;
  const dollars = whole.replaceAll(",", "");
  const inCents = Number(dollars) * 100 + Number(cents.padEnd(2, "0"));
  return inCents <= 10_000_000_000 ? inCents : undefined;
}
