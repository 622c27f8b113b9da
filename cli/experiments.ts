// `leads experiments`: what each experiment with the article has brought so far, as ranges, and how much longer it takes.
import type { ExperimentResult, Side, Verdict } from "../campaigns/experiment-results.ts";
import { splitLimit } from "../campaigns/statistics.ts";
import { askAsOperator } from "../team/ask.ts";
import { experiments } from "../team/experiments.ts";
import { type AddCommand, counted } from "./command.ts";
import { json } from "./json.ts";
import { cell } from "./terminal.ts";

export const experimentsCommand: AddCommand = (program, run) => {
  program
    .command("experiments")
    .summary("what variants of the article bring: ranges, loads needed, days left")
    .description(
      "Prints what each experiment with the article has brought so far, the newest first. The ranges may be looked at every day.",
    )
    .option("--json", "print JSON")
    .action((options: { json?: true }) =>
      run(async ({ sql, out, tell }) => {
        const results = await experiments(askAsOperator(sql));
        if (options.json) await out(`${json(results, 2)}\n`);
        else if (results.length === 0)
          tell(
            "There is no experiment. docs/experiments.md says how to write one; it is here after the next start of the server.",
          );
        else await out(results.map(textOf).join("\n"));
        return 0;
      }),
    );
};

function textOf(result: ExperimentResult): string {
  const { variant, language, original, changed } = result;
  const lines = [
    `${variant} (${language}), ${periodInWords(result)}`,
    row(["", "loads", "leads", "of 100", "reviewed", "likely qualify", "of 100"]),
    sideRow("original", original),
    sideRow(variant, changed),
    verdicts[result.verdict],
    ...(result.stored ? [`Leads: ${rangeInWords(result.stored)}.`] : []),
    ...(result.qualified ? [`Likely qualify: ${rangeInWords(result.qualified)}.`] : []),
    `The split: chi-square ${result.split_chi_square.toFixed(2)}; above ${splitLimit} it is broken.`,
    sizeLine(result),
  ];
  return `${lines.join("\n")}\n`;
}

const verdicts: Record<Verdict, string> = {
  more: "The variant brings more leads.",
  fewer: "The variant brings fewer leads.",
  "not yet": "No difference can be told so far.",
  "none found":
    "Both have the loads that were planned, and it cannot be told whether the variant brings more or fewer leads.",
  "split broken":
    "NO RESULT: the loads are not split evenly, so the assignment or the counting is broken (see docs/experiments.md).",
  "no loads": "Nothing to compare: no page load of one of the two was counted.",
};

const nameWidth = 24;
const widths = [9, 7, 7, 9, 15, 7];
const row = ([name = "", ...others]: string[]): string =>
  `  ${cell(name, nameWidth)}${others.map((text, nth) => text.padStart(widths[nth] ?? 0)).join("")}`;

const sideRow = (name: string, { loads, stored, reviewed, qualified }: Side): string =>
  row([
    name,
    whole(loads),
    whole(stored),
    percent(stored, loads),
    whole(reviewed),
    whole(qualified),
    percent(qualified, loads),
  ]);

const whole = (number: number): string => number.toLocaleString("en-US");
const percent = (part: number, loads: number): string =>
  loads > 0 ? ((100 * part) / loads).toFixed(2) : "-";

function rangeInWords({ low, high }: { low: number; high: number }): string {
  return `between ${signed(low)} and ${signed(high)} of 100 loads`;
}

function periodInWords({ started_on, ended_on }: ExperimentResult): string {
  if (!ended_on) return `from ${started_on}`;
  if (ended_on === started_on) return `from ${started_on}, stopped on its first day`;
  return `from ${started_on} to the day before ${ended_on}`;
}

const signed = (rate: number): string =>
  `${(100 * Math.abs(rate)).toFixed(2)} ${rate < 0 ? "fewer" : "more"}`;

function sizeLine({ plan, size_needed, days_left, ended_on, verdict }: ExperimentResult): string {
  const lift = `${plan.lift > 0 ? "+" : ""}${Number((100 * plan.lift).toFixed(2))}%`;
  const needed = `It needs ${whole(size_needed)} loads of each to find ${lift}`;
  if (ended_on) return `${needed}. It has ended.`;
  if (verdict === "more" || verdict === "fewer") return `${needed}. The answer above holds already.`;
  if (days_left === null) return `${needed}.`;
  return days_left === 0
    ? `${needed}, and has them. Decide now.`
    : `${needed}: about ${counted(days_left, "more day")}.`;
}
