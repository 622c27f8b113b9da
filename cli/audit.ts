// `leads audit`: who did what in the inbox or by command, and when. The log names no visitor, only the reference of a lead.
import { askAsOperator } from "../team/ask.ts";
import { type AuditEntry, auditLog } from "../team/managing.ts";
import type { AddCommand } from "./command.ts";
import { json } from "./json.ts";
import { printable } from "./terminal.ts";
import { dayAndTime, readSince, sinceHelp } from "./times.ts";

/** Entries of one page. The log is read a page at a time. */
const pageSize = 1_000;

export const audit: AddCommand = (program, run) => {
  program
    .command("audit")
    .summary("who opened, called, exported or erased what, in the inbox or by command, and when")
    .description("Prints the audit log of the inbox and of the commands, the newest entry first.")
    .option("--since <time>", `only what was done ${sinceHelp}`, (text) => readSince(text, new Date()))
    .option("--json", "print JSON, one entry a line")
    .action((options: { since?: Date; json?: boolean }) =>
      run(async ({ sql, out, tell }) => {
        const filter = options.since ? { from: options.since.toISOString() } : {};
        const lineOf = options.json ? (entry: AuditEntry) => `${json(entry)}\n` : plainLineOf;
        for (let before: number | null = null; ; ) {
          const page: Awaited<ReturnType<typeof auditLog>> = await auditLog(
            askAsOperator(sql),
            filter,
            before,
            pageSize,
          );
          await out(page.entries.map(lineOf).join(""));
          if (before === null && page.entries.length === 0) tell("No entries.");
          before = page.next;
          if (before === null) return 0;
        }
      }),
    );
};

function plainLineOf({ at, who, action, lead, details }: AuditEntry): string {
  const more = Object.entries(details).map(([name, value]) => `${name}=${printable(String(value))}`);
  const words = [dayAndTime(new Date(at)), printable(who.name), action, lead?.reference ?? "", ...more];
  return `${words.filter(Boolean).join("  ")}\n`;
}
