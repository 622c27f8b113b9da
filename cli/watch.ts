// `leads watch`: the status, live, until Ctrl-C. On a terminal it stays in place; elsewhere it prints what changed.
import { setTimeout as wait } from "node:timers/promises";
import { codeOf } from "../log/log.ts";
import { json } from "./json.ts";
import { describe, inSnakeCase, readStatus } from "./status.ts";
import { type Act, type Desk, readWords } from "./subcommand.ts";

/** In milliseconds. */
const interval = 1_000;

const clearTerminal = "\x1b[H\x1b[2J\x1b[3J";

export function watch(words: readonly string[]): Act {
  const { values } = readWords("watch [--json]", words, { json: { type: "boolean" } });
  return async (desk) => {
    let before = "";
    while (!desk.stop.aborted) {
      const text = await look(desk, values.json === true);
      if (desk.stop.aborted) break;
      if (desk.onTerminal && !values.json) {
        await desk.out(
          `${clearTerminal}${text}\n${new Date().toLocaleTimeString("sv-SE")}  Ctrl-C ends this.\n`,
        );
      } else if (text !== before) {
        await desk.out(text);
      }
      before = text;
      await wait(interval, undefined, { signal: desk.stop }).catch(() => {});
    }
    return 0;
  };
}

// A database that is away is part of what there is to watch.
async function look({ sql }: Desk, asJson: boolean): Promise<string> {
  try {
    const state = await readStatus(sql);
    return asJson ? `${json(inSnakeCase(state))}\n` : describe(state, new Date());
  } catch (error) {
    return asJson
      ? `${json({ ok: false, error: codeOf(error) })}\n`
      : `The database does not answer (${codeOf(error)}).\n`;
  }
}
