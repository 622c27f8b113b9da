// `leads campaigns costs add`: records what campaigns cost, from a file or typed in.
import { constants, createReadStream, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { isatty, ReadStream } from "node:tty";
import type { Command } from "commander";
import { codeOf } from "../log/log.ts";
import { type Cost, readCost, readCostsCsv, recordCosts } from "../team/campaign-costs.ts";
import { campaignRows } from "../team/campaigns.ts";
import { Refusal } from "../team/refusal.ts";
import { dollars, nameOf } from "./campaigns-table.ts";
import { counted, type Run, readFileName, typed, UsageError } from "./command.ts";
import { printable } from "./terminal.ts";

/** Adds the command `add` to `leads campaigns costs`. */
export function addCosts(costs: Command, run: Run): void {
  costs
    .command("add")
    .description(
      "Records what campaigns cost on days in US dollars, from a CSV file (date, campaign, amount) or typed in. What was recorded before for the same day, campaign, source and medium is replaced; 0 takes it away.",
    )
    .argument("[csv]", "the file, or - for one that comes through a pipe", readFileName)
    .option("--date <day>", "instead of a file: the day, such as 2026-01-31")
    .option("--campaign <campaign>", "the campaign, as utm_campaign names it")
    .option("--amount <dollars>", "what it cost on that day in US dollars, such as 12.50")
    .option("--source <source>", "instead of a file: only of this utm_source")
    .option("--medium <medium>", "instead of a file: only of this utm_medium")
    .action((file: string | undefined, options: TypedCost) => {
      const [option] = Object.keys(options);
      if (file !== undefined && option)
        throw new UsageError(`Either a file or --${option}, not both. A file has a column for it.`);
      const ofOptions = file === undefined ? typedCost(options) : undefined;
      run(async ({ sql, out, tell, now, signal }) => {
        const given = ofOptions ?? (await costsIn(file as string, signal));
        const result = await recordCosts(sql, given);
        if ("problem" in result) throw new Refusal(`Nothing was recorded.\n${result.problem}`);
        const { recorded, removed } = result;
        const takenAway = removed > 0 ? ` and took ${counted(removed, "cost")} away` : "";
        const source = ofOptions ? "" : `${takenAway && ","} from ${counted(given.length, "line")}`;
        await out(`Recorded ${counted(recorded, "cost")}${takenAway}${source}.\n`);
        const unmatched = (await campaignRows(sql, undefined, now)).filter(({ is_matched }) => !is_matched);
        if (unmatched.length > 0) tell("Of all costs so far, these belong to no page load and no lead:");
        for (const row of unmatched) tell(`  ${printable(nameOf(row))} (${dollars(row.cost)})`);
        return 0;
      });
    });
}

type TypedCost = Partial<Record<"date" | "campaign" | "amount" | "source" | "medium", string>>;

function typedCost({ date, campaign, amount, source = "", medium = "" }: TypedCost): Cost[] {
  if (date === undefined || campaign === undefined || amount === undefined) {
    throw new UsageError(
      `Which costs? ${typed("campaigns costs add costs.csv")}, or with --date, --campaign and --amount, all three.`,
    );
  }
  const cost = readCost({ day: date, campaign, amount, lastDay: "", currency: "", source, medium });
  if ("problem" in cost) throw new UsageError(cost.problem);
  return [cost];
}

/** A pipe, or a terminal, may stay open for ever, so Ctrl-C ends the reading. */
const textIn = async (file: string, signal: AbortSignal): Promise<string> =>
  textOf(addAbortSignal(signal, inputFrom(file)));

/** Reads a pipe through a socket, because a read of a file cannot be aborted and keeps the process from ending. */
function inputFrom(file: string): Readable {
  if (file === "-") return process.stdin;
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isatty(fd)) return new ReadStream(fd);
  return fstatSync(fd).isFIFO() ? new Socket({ fd }) : createReadStream(file, { fd });
}

async function costsIn(file: string, signal: AbortSignal): Promise<Cost[]> {
  const text = await textIn(file, signal).catch((cause) => {
    throw new Refusal(`The file ${printable(file)} cannot be read (${codeOf(cause)}).`, { cause });
  });
  const found = readCostsCsv(text);
  if ("costs" in found) return found.costs;
  const lines = found.problems.slice(0, 10).map(({ line, problem }) => `Line ${line}: ${problem}`);
  const more = found.problems.length - lines.length;
  if (more > 0) lines.push(`And ${counted(more, "line")} more.`);
  throw new Refusal(`Nothing was recorded.\n${lines.join("\n")}`);
}
