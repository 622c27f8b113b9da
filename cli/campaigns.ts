// `leads campaigns`: what the ads brought, from the page load to the outcome, and what it cost; `costs add` records costs.
import { readFile } from "node:fs/promises";
import { botsInWords } from "../campaigns/bots-in-words.ts";
import { type Cost, readCost, readCostsCsv, recordCosts } from "../team/campaign-costs.ts";
import { type CampaignRow, type CountedRow, campaignRows } from "../team/campaigns.ts";
import { Refusal } from "../team/refusal.ts";
import { type AddCommand, counted, typed, UsageError } from "./command.ts";
import { jsonArray } from "./json.ts";
import { cell, printable } from "./terminal.ts";
import { clock, readSince, sinceHelp, zoneHere } from "./times.ts";

export const campaigns: AddCommand = (program, run) => {
  const command = program
    .command("campaigns")
    .summary("what the ads brought and cost: page loads, leads, outcomes (see docs/campaigns.md)")
    .description(
      "What the ads brought, by campaign. Counts are page loads, not people: nobody is recognised. Days are those of this machine's time zone (TZ), costs are in US dollars.",
    )
    .option("--since <time>", `only ${sinceHelp}`, (text) => readSince(text, new Date()))
    .option("--json", "print a JSON array, one row for each campaign, variant and kind of device")
    .addHelpText("after", `\nExample:\n  ${typed("campaigns --since 7d")}`)
    .action(({ since, json }: { since?: Date; json?: true }) =>
      run(async ({ sql, out, now }) => {
        const rows = await campaignRows(sql, since, now);
        if (!json) {
          await out(tableOf(rows, since));
          return 0;
        }
        const array = jsonArray(out);
        await array.add(rows.map(rowForPrograms));
        await array.end();
        return 0;
      }),
    );
  addCosts(command.command("costs").description("What campaigns cost."), run);
};

function addCosts(costs: Parameters<AddCommand>[0], run: Parameters<AddCommand>[1]): void {
  costs
    .command("add")
    .description(
      "Records what campaigns cost on days in US dollars, from a CSV file (date, campaign, amount) or typed in. What was recorded before for the same day and campaign is replaced; 0 takes it away.",
    )
    .argument("[csv]", "the file")
    .option("--date <day>", "instead of a file: the day, such as 2026-01-31")
    .option("--campaign <campaign>", "the campaign, as utm_campaign names it")
    .option("--amount <dollars>", "what it cost on that day in US dollars, such as 12.50")
    .option("--source <source>", "only of this utm_source")
    .option("--medium <medium>", "only of this utm_medium")
    .action((file: string | undefined, options: TypedCost) => {
      const ofOptions = file === undefined ? typedCost(options) : undefined;
      run(async ({ sql, out, tell, now }) => {
        const given = ofOptions ?? (await costsIn(file as string));
        const recorded = await recordCosts(sql, given);
        await out(`Recorded ${counted(recorded, "cost")} of ${counted(given.length, "line")}.\n`);
        for (const { campaign, cost } of (await campaignRows(sql, undefined, now)).filter(
          ({ is_matched }) => !is_matched,
        ))
          tell(`No page load and no lead has the campaign ${printable(campaign)} (${dollars(cost)}).`);
        return 0;
      });
    });
}

type TypedCost = Partial<Record<"date" | "campaign" | "amount" | "source" | "medium", string>>;

function typedCost({ date, campaign, amount, source = "", medium = "" }: TypedCost): Cost[] {
  if (date === undefined || campaign === undefined || amount === undefined) {
    throw new UsageError(
      `Which costs? ${typed("campaigns costs add costs.csv")}, or with --date, --campaign and --amount.`,
    );
  }
  const cost = readCost({ day: date, campaign, amount, currency: "", source, medium });
  if ("problem" in cost) throw new UsageError(cost.problem);
  return [cost];
}

async function costsIn(file: string): Promise<Cost[]> {
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new Refusal(`The file ${printable(file)} cannot be read.`, { cause });
  });
  const read = readCostsCsv(text);
  if ("costs" in read) return read.costs;
  const lines = read.problems.slice(0, 10).map(({ line, problem }) => `Line ${line}: ${problem}`);
  const more = read.problems.length - lines.length;
  if (more > 0) lines.push(`And ${counted(more, "line")} more.`);
  throw new Refusal(`Nothing was recorded.\n${lines.join("\n")}`);
}

const keys = [
  ...["source", "medium", "campaign", "variant", "device", "served", "views", "half_read", "form_seen"],
  ...["began", "pressed", "stored", "reviewed", "outcomes", "cost"],
] as (keyof CampaignRow)[];

const rowForPrograms = (row: CountedRow) => Object.fromEntries(keys.map((key) => [key, row[key]]));

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

/** One line for each campaign, all devices and variants together, the one with the most loads first; then what is counted apart. */
function tableOf(rows: readonly CountedRow[], since: Date | undefined): string {
  if (rows.length === 0) return "Nothing was counted.\n";
  const matched = rows.filter(({ is_matched }) => is_matched);
  const names = Map.groupBy(
    matched.filter(({ device, cost }) => device !== "bot" || cost > 0),
    ({ source, medium, campaign }) => [source, medium, campaign].map((word) => word || "-").join(" / "),
  );
  const lines = [...names]
    .map(([name, rowsOfName]): [string, Sums] => [name, sumsOf(rowsOfName)])
    .toSorted(([, one], [, another]) => another.views - one.views);
  const total = (
    key: "served" | "prefetched" | "reloaded" | "returned" | "views",
    selected: readonly CountedRow[],
  ) => selected.reduce((sum, row) => sum + row[key], 0).toLocaleString("en-US");
  const device = (name: string) => matched.filter((row) => row.device === name);
  return [
    line(
      "SOURCE / MEDIUM / CAMPAIGN",
      columns.map(({ title }) => title),
    ),
    ...lines.map(([name, sums]) =>
      line(
        name,
        columns.map(({ value }) => value(sums)),
      ),
    ),
    `\n${since ? `Since ${clock(since)}` : "Since the beginning"}, by the days of ${zoneHere}. Costs are in US dollars.\n`,
    "Counts are page loads, not people.",
    ` Documents served: ${total("served", matched)}; fetched ahead by browsers: ${total("prefetched", matched)};`,
    ` reloads: ${total("reloaded", matched)}; returns: ${total("returned", matched)}.`,
    ` ${botsInWords(botSums(matched))}`,
    ` Loads without script, which the table holds: ${total("views", device("no-script"))}.\n`,
    ...rows
      .filter(({ is_matched }) => !is_matched)
      .map(({ campaign, cost }) => `Cost without a campaign: ${printable(campaign)} ${dollars(cost)}\n`),
  ].join("");
}

const botSums = (rows: readonly CountedRow[]) => {
  const bots = rows.filter(({ device }) => device === "bot");
  const sum = (value: (row: CountedRow) => number) => bots.reduce((total, row) => total + value(row), 0);
  return {
    views: sum((row) => row.views),
    served: sum((row) => row.served),
    stored: sum((row) => row.stored),
  };
};

/** The sums of all rows but those of bots; the cost is that of all rows. */
const sumsOf = (rows: readonly CountedRow[]): Sums => {
  const readers = rows.filter(({ device }) => device !== "bot");
  const sum = (value: (row: CountedRow) => number) => readers.reduce((total, row) => total + value(row), 0);
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

const line = (name: string, cells: readonly string[]) =>
  `${[cell(name, 36), ...cells.map((text, index) => text.padStart(columns[index]?.cells ?? 0))].join(" ").trimEnd()}\n`;

const dollars = (amount: number) =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

const each = (cost: number, count: number) => (cost && count ? dollars(cost / count) : "-");
