// Reads what was typed after `leads`: which subcommand, and what it is to do.
import { backup } from "./backup.ts";
import { erase } from "./erase.ts";
import { exportLeads } from "./export.ts";
import { list } from "./list.ts";
import { restore } from "./restore.ts";
import { retry } from "./retry.ts";
import { review } from "./review.ts";
import { show } from "./show.ts";
import { status } from "./status.ts";
import { type Act, Misuse, typed } from "./subcommand.ts";
import { watch } from "./watch.ts";
import { withdraw } from "./withdraw.ts";

const subcommands: Record<string, (words: readonly string[]) => Act> = {
  list,
  show,
  review,
  withdraw,
  status,
  watch,
  retry,
  export: exportLeads,
  erase,
  backup,
  restore,
};

/** Returns what to do, or "help" when that was asked for. @throws Misuse */
export function readCommand(words: readonly string[]): Act | "help" {
  const [name, ...rest] = words;
  if (name === "help" || words.includes("--help") || words.includes("-h")) return "help";
  if (name === undefined)
    throw new Misuse(`What shall it do? For example: ${typed("list")}\nHelp: ${typed("--help")}`);
  if (Object.hasOwn(subcommands, name)) return (subcommands[name] as (words: readonly string[]) => Act)(rest);
  throw new Misuse(`There is no command ${JSON.stringify(name)}.\nHelp: ${typed("--help")}`);
}
