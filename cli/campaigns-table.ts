// The table that `leads campaigns` prints: a line for each campaign, and what is counted apart.
import { botsInWords, erasedLeadsInWords } from "../campaigns/notes-in-words.ts";
import type { ReportedRow } from "../team/campaigns.ts";
import { cell, printable } from "./terminal.ts";
import { dayAndTime, zoneHere } from "./times.ts";

/** Page loads older than eight days are kept by the day of UTC. */
const zones = () =>
  zoneHere() === "UTC" ? "UTC" : `${zoneHere()}, and of UTC for page loads older than eight days`;

/**
 * One line for each campaign, all devices and variants together, the one with the most loads first; then what is counted apart.
 * `erasedBefore` is the day that `leadsErasedBefore` returned.
 */
export function tableOf(
  rows: readonly ReportedRow[],
  since: Date | undefined,
  erasedBefore: string | null,
): string {
  if (rows.length === 0) return "Nothing was counted.\n";
  const matched = rows.filter(({ is_matched }) => is_matched);
  const people = matched.filter(({ device }) => device !== "bot");
  const byName = Map.groupBy(
    matched.filter(({ device, cost }) => device !== "bot" || cost > 0),
    nameOf,
  );
  const lines = [...byName]
    .map(([name, rowsOfName]): [string, Sums] => [name, sumsOf(rowsOfName)])
    .toSorted(([, one], [, another]) => another.views - one.views);
  const total = (
    key: "served" | "prefetched" | "reloaded" | "returned" | "views",
    selected: readonly ReportedRow[],
  ) => selected.reduce((sum, row) => sum + row[key], 0).toLocaleString("en-US");
  const width = widthFor(lines.map(([name]) => name));
  const rowsOfDevice = (name: string) => matched.filter((row) => row.device === name);
  return [
    line(
      "SOURCE / MEDIUM / CAMPAIGN",
      width,
      columns.map(({ title }) => title),
    ),
    ...lines.map(([name, sums]) =>
      line(
        name,
        width,
        columns.map(({ value }) => value(sums)),
      ),
    ),
    `\n${since ? `Since ${dayAndTime(since)}` : "Since the beginning"}, by the days of ${zones()}. Costs are in US dollars.\n`,
    ...(erasedBefore === null ? [] : [`${erasedLeadsInWords(erasedBefore)}\n`]),
    "Counts up to PRESSED are page loads, not people.",
    ` Documents served: ${total("served", people)}; fetched ahead by browsers: ${total("prefetched", people)};`,
    ` reloads: ${total("reloaded", people)}; returns: ${total("returned", people)}.`,
    ` ${botsInWords(botSums(matched))}`,
    ` Loads without script, which the table holds: ${total("views", rowsOfDevice("no-script"))}.\n`,
    ...rows
      .filter(({ is_matched }) => !is_matched)
      .map((row) => `Cost without a campaign: ${printable(nameOf(row))} ${dollars(row.cost)}\n`),
  ].join("");
}

/** Such as "facebook / paid / spring", with a hyphen for each word that the link or the cost did not have. */
export const nameOf = ({
  source,
  medium,
  campaign,
}: Pick<ReportedRow, "source" | "medium" | "campaign">): string =>
  [source, medium, campaign].map((word) => word || "-").join(" / ");

/** The columns of the table, after the campaign. */
const columns: { title: string; cells: number; value(sums: Sums): string }[] = [
  { title: "LOADS", cells: 7, value: ({ views }) => String(views) },
  { title: "HALF READ", cells: 9, value: ({ half_read }) => String(half_read) },
  { title: "SAW FORM", cells: 8, value: ({ form_seen }) => String(form_seen) },
  { title: "BEGAN", cells: 6, value: ({ began }) => String(began) },
  { title: "PRESSED", cells: 7, value: ({ pressed }) => String(pressed) },
  { title: "LEADS", cells: 6, value: ({ stored }) => String(stored) },
  { title: "REVIEWED", cells: 8, value: ({ reviewed }) => String(reviewed) },
  { title: "QUALIFY", cells: 7, value: ({ qualify }) => String(qualify) },
  { title: "COST", cells: 11, value: ({ cost }) => (cost ? dollars(cost) : "-") },
  { title: "A LEAD", cells: 9, value: ({ cost, stored }) => each(cost, stored) },
  { title: "A REVIEWED", cells: 10, value: ({ cost, reviewed }) => each(cost, reviewed) },
  { title: "A QUALIFYING", cells: 12, value: ({ cost, qualify }) => each(cost, qualify) },
];

type Sums = Record<
  "views" | "half_read" | "form_seen" | "began" | "pressed" | "stored" | "reviewed" | "cost",
  number
> & { qualify: number };

const botSums = (rows: readonly ReportedRow[]) => {
  const bots = rows.filter(({ device }) => device === "bot");
  const sum = (value: (row: ReportedRow) => number) => bots.reduce((total, row) => total + value(row), 0);
  return {
    views: sum((row) => row.views),
    served: sum((row) => row.served),
    stored: sum((row) => row.stored),
  };
};

/** The sums of all rows but those of bots; the cost is that of all rows. */
const sumsOf = (rows: readonly ReportedRow[]): Sums => {
  const readers = rows.filter(({ device }) => device !== "bot");
  const sum = (value: (row: ReportedRow) => number) => readers.reduce((total, row) => total + value(row), 0);
  return {
    views: sum(({ views }) => views),
    half_read: sum(({ half_read }) => half_read),
    form_seen: sum(({ form_seen }) => form_seen),
    began: sum(({ began }) => began),
    pressed: sum(({ pressed }) => pressed),
    stored: sum(({ stored }) => stored),
    reviewed: sum(({ reviewed }) => reviewed),
    qualify: sum(({ outcomes }) => outcomes.likely_qualifies ?? 0),
    cost: rows.reduce((total, { cost }) => total + cost, 0),
  };
};

/** Characters of the terminal for the names: few, unless two campaigns would then have one name. */
function widthFor(names: readonly string[]): number {
  const few = 36;
  const shown = new Set(names.map((name) => cell(name, few)));
  return shown.size === names.length ? few : Math.max(...names.map((name) => name.length));
}

const line = (name: string, width: number, cells: readonly string[]) =>
  `${[cell(name, width), ...cells.map((text, index) => text.padStart(columns[index]?.cells ?? 0))].join(" ").trimEnd()}\n`;

const each = (cost: number, count: number) => (cost && count ? dollars(cost / count) : "-");

/** An amount of US dollars, such as $1,204.50. */
export const dollars = (amount: number) =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
