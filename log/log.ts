// Logs events of a closed list (log/events.ts), as text or as JSON lines. Facts are counts, times, ids, codes and names of our
// own. No fact is another program's message, because PostgreSQL and mail servers quote in theirs what a visitor typed.
import { events } from "./events.ts";

/** A fact about an event: short, ours, and never personal. */
type Fact = string | number | boolean | undefined;

/** What each JSON line has of its own. A fact of one of these names would overwrite it. */
type OwnKey = "time" | "level" | "event" | "message";

export type EventName = keyof typeof events;
export type Log = (event: EventName, facts?: Record<string, Fact> & { [Key in OwnKey]?: never }) => void;

/** How a line is written: `text` for a person at a terminal, `json` (one object a line) for a program that collects logs. */
export type LogFormat = "text" | "json";

/**
 * Makes a log that writes one line for each event.
 * - text: `2026-11-21T12:00:00.000Z info listening: Open this address in a browser. address=http://localhost:3000`
 * - json: `{"time":"...","level":"info","event":"listening","message":"...","address":"http://localhost:3000"}`
 */
export function makeLog(
  write: (line: string) => void,
  { format = "text", now = () => new Date() }: { format?: LogFormat; now?: () => Date } = {},
): Log {
  return (event, facts = {}) => {
    const { level, sentence } = events[event];
    const time = now().toISOString();
    if (format === "json") {
      write(`${JSON.stringify({ time, level, event, message: sentence, ...facts })}\n`);
      return;
    }
    const given = Object.entries(facts).filter(([, value]) => value !== undefined);
    const tail = given.map(([key, value]) => ` ${key}=${oneLine(value as Fact)}`).join("");
    write(`${time} ${level} ${event}: ${sentence}${tail}\n`);
  };
}

/** What may be logged of a thrown value: its code or its class, never its message. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string" && error.code)
    return error.code;
  return error instanceof Error ? error.name : typeof error;
}

const oneLine = (value: Fact) => {
  const text = String(value).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?");
  return text.includes(" ") ? JSON.stringify(text) : text;
};
