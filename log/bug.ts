// Logs an unexpected exception as the bug it is, so that an engineer finds the line without a word of what a visitor typed.
import { codeOf, type Log } from "./log.ts";

/** This repository's folder as a stack names it: percent-encoded, because the frames of modules are URLs. */
const root = new URL("..", import.meta.url).pathname;

/**
 * Logs `bug` with the exception's class, its code where it has one, and the frames of this repository that its stack names
 * (`web/app.ts:12`, the innermost first). Its message is left out: it may quote a lead.
 */
export function logBug(log: Log, error: unknown): void {
  const code = codeOf(error);
  const name = error instanceof Error ? error.name : typeof error;
  const frames = ownFrames(error).join(" ") || undefined;
  log("bug", { class: name, code: code === name ? undefined : code, frames });
}

/** Returns at most six frames, because the innermost show the cause and a log entry is one line. */
function ownFrames(error: unknown): string[] {
  if (!(error instanceof Error) || !error.stack) return [];
  // A stack opens with the message, which may itself look like a frame.
  const afterMessage = error.stack.slice(error.stack.indexOf(error.message) + error.message.length);
  return afterMessage.split("\n").flatMap(ownFrame).slice(0, 6);
}

/** The frame in `    at name (file:///root/web/app.ts:12:3)`, or none when it is not a file of this repository. */
function ownFrame(line: string): string[] {
  const at = line.indexOf(root);
  if (at < 0 || !line.trimStart().startsWith("at ")) return [];
  const [address = "", row = ""] = line.slice(at + root.length).split(":");
  // A module may have been imported with a query.
  const [path = ""] = address.split("?");
  const isOwn = /^[\w./-]{1,100}$/.test(path) && /^\d{1,6}$/.test(row) && !path.startsWith("node_modules/");
  return isOwn ? [`${path}:${row}`] : [];
}
