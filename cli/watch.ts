// `leads watch`: the status, live, until Ctrl-C. On a terminal it stays in place; elsewhere, and with --json, it is printed again when
// something but its ages has changed.
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "../database/connect.ts";
import { makeResilientConnection, type ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { codeOf } from "../log/log.ts";
import { readStatus } from "../team/status.ts";
import type { AddCommand, CommandContext } from "./command.ts";
import { json } from "./json.ts";
import { describe, inSnakeCase } from "./status.ts";

/** Milliseconds between two looks at the status. */
const interval = 1_000;

/** Milliseconds after which a database that has not answered counts as one that does not answer. */
const longestWait = 5_000;

/** Clears the screen, but not the lines that a person can scroll back to. */
const clearScreen = "\x1b[H\x1b[2J";

export const watch: AddCommand = (program, run) => {
  program
    .command("watch")
    .summary("the status, live, until Ctrl-C")
    .description(
      "Shows the status until Ctrl-C: in place on a terminal; elsewhere, and with --json, again whenever something but its ages has changed. While the database does not answer, JSON has ok: false and an error code.",
    )
    .option("--json", "print JSON, one object a line")
    .action((options: { json?: true }) => run((context) => watchStatus(context, options.json === true)));
};

async function watchStatus(context: CommandContext, asJson: boolean): Promise<number> {
  const { url, signal, out, onTerminal } = context;
  // A connection to a machine that was switched off would wait for a quarter of an hour, and the status of before would stand there.
  const database = makeResilientConnection(
    () => connect(url, { max: 1, name: "leads command", timeZone: "UTC" }),
    // An outage is shown and not logged.
    () => {},
    longestWait,
  );
  // Ends a query that is under way, too.
  signal.addEventListener("abort", () => void database.end());
  try {
    let before = "";
    while (!signal.aborted) {
      const { text, state } = await readTexts(database);
      if (signal.aborted) break;
      if (onTerminal && !asJson) {
        await out(`${clearScreen}${text}\n${new Date().toLocaleTimeString("sv-SE")}  Ctrl-C ends this.\n`);
      } else if (state !== before) {
        await out(asJson ? state : text);
      }
      before = state;
      await wait(interval, undefined, { signal }).catch(() => {});
    }
  } finally {
    await database.end();
  }
  return 0;
}

/** The status in words, with ages, and as JSON, with times. An outage of the database is told in place of it, and watching goes on. */
async function readTexts(database: ResilientConnection): Promise<{ text: string; state: string }> {
  try {
    const now = new Date();
    const status = await database.query(readStatus);
    return { text: describe(status, now), state: `${json(inSnakeCase(status))}\n` };
  } catch (error) {
    if (!isDatabaseTrouble(error)) throw error;
    const code = codeOf(error);
    return {
      text: `The database does not answer (${code}).\n`,
      state: `${json({ ok: false, error: code })}\n`,
    };
  }
}
