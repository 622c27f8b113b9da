// `leads watch`: the status, live, until Ctrl-C. On a terminal it stays in place; elsewhere, and with --json, it is printed again when it
// has changed.
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "../database/connect.ts";
import { makeResilientConnection, type ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { codeOf } from "../log/log.ts";
import { readStatus } from "../team/status.ts";
import type { AddCommand, CommandContext } from "./command.ts";
import { json } from "./json.ts";
import { describe, inSnakeCase } from "./status.ts";

/** In milliseconds. */
const interval = 1_000;

/** Milliseconds until a database that does not answer is said not to. */
const longestWait = 5_000;

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
  const { url, signal, out, onTerminal } = context;
  // A connection to a machine that was switched off would wait for a quarter of an hour, and the status of before would stand there.
  const database = makeResilientConnection(
    () => connect(url, { max: 1, name: "leads command", timeZone: "UTC" }),
    () => {},
    longestWait,
  );
  signal.addEventListener("abort", () => void database.end());
  let before = "";
  while (!signal.aborted) {
    const text = await readText(database, asJson);
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
async function readText(database: ResilientConnection, asJson: boolean): Promise<string> {
  try {
    const now = new Date();
    const state = await database.query(readStatus);
    return asJson ? `${json(inSnakeCase(state))}\n` : describe(state, now);
  } catch (error) {
    if (!isDatabaseTrouble(error)) throw error;
    return asJson
      ? `${json({ ok: false, error: codeOf(error) })}\n`
      : `The database does not answer (${codeOf(error)}).\n`;
  }
}
