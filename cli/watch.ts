// `leads watch`: the status, live, until Ctrl-C. On a terminal it stays in place; elsewhere, and with --json, it is printed again when it
// has changed.
import { setTimeout as wait } from "node:timers/promises";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { codeOf } from "../log/log.ts";
import { readStatus } from "../team/status.ts";
import type { AddCommand, CommandContext } from "./command.ts";
import { json } from "./json.ts";
import { describe, inSnakeCase } from "./status.ts";

/** In milliseconds. */
const interval = 1_000;

/** Clears the screen, but not the lines that a person can scroll back to. */
const clearScreen = "\x1b[H\x1b[2J";

export const watch: AddCommand = (program, run) => {
  program
    .command("watch")
    .summary("the status, live, until Ctrl-C")
    .description(
      "Shows the status until Ctrl-C: in place on a terminal; elsewhere, and with --json, again whenever it has changed.",
    )
    .option("--json", "print JSON, one object a line")
    .action((options: { json?: true }) => run((context) => watchStatus(context, options.json === true)));
};

async function watchStatus(context: CommandContext, asJson: boolean): Promise<number> {
  const { signal, out, onTerminal } = context;
  let before = "";
  while (!signal.aborted) {
    const text = await readText(context, asJson);
    if (signal.aborted) break;
    if (onTerminal && !asJson) {
      await out(`${clearScreen}${text}\n${new Date().toLocaleTimeString("sv-SE")}  Ctrl-C ends this.\n`);
    } else if (text !== before) {
      await out(text);
    }
    before = text;
    await wait(interval, undefined, { signal }).catch(() => {});
  }
  return 0;
}

// A failure of the database is shown in place of the status, and watching goes on.
async function readText({ sql }: CommandContext, asJson: boolean): Promise<string> {
  try {
    const now = new Date();
    const state = await readStatus(sql);
    return asJson ? `${json(inSnakeCase(state))}\n` : describe(state, now);
  } catch (error) {
    if (!isDatabaseTrouble(error)) throw error;
    return asJson
      ? `${json({ ok: false, error: codeOf(error) })}\n`
      : `The database does not answer (${codeOf(error)}).\n`;
  }
}
