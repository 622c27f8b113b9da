// `leads erase`: erases a person's leads, or all leads of an age, for good, with everything stored about them and every pending
// delivery. It shows first what would be erased, and asks. A receipt without personal data stays.

import { connect } from "../database/connect.ts";
import { reference, shown } from "../lead/lead.ts";
import { auditOperator } from "../team/audit-operator.ts";
import { countByAge, eraseByAge } from "../team/erase-by-age.ts";
import { type ErasableLead, eraseLeads, findErasable, findWithAddress } from "../team/erase-leads.ts";
import { erasedMeanwhile, Refusal } from "../team/refusal.ts";
import {
  type AddCommand,
  type CommandContext,
  counted,
  noAuditEntryMessage,
  readCount,
  typed,
  UsageError,
} from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";
import { progressOf } from "./progress.ts";
import { printable } from "./terminal.ts";
import { dayAndTime } from "./times.ts";

export const erase: AddCommand = (program, run) => {
  program
    .command("erase")
    .summary("remove a lead for good with all about it, or all leads of an age; asks first")
    .description(
      "Removes a lead for good with all about it: permission, deliveries, review. Asks first. With --older-than Ctrl-C stops it between two portions; what was erased until then stays erased.",
    )
    .argument("[id]", idHelp, readId)
    .option("--email <address>", "instead of an id: all leads with this e-mail address", readEmail)
    .option(
      "--older-than <days>",
      "instead of an id: all leads that came more than so many days ago",
      readDays,
    )
    .option("--yes", "do not ask")
    .action((id: string | undefined, { email, olderThan, yes }: Options) => {
      const help = `Help: ${typed("erase --help")}`;
      if (id && email) throw new UsageError(`Either an <id> or --email, not both.\n${help}`);
      if (olderThan && (id || email))
        throw new UsageError(`Either --older-than, or an <id> or --email.\n${help}`);
      if (olderThan) return run((context) => eraseOlder(context, olderThan, yes === true));
      if (!id && !email) throw new UsageError(`Which <id>?\n${help}`);
      run((context) => eraseFound(context, id, email ?? "", yes === true));
    });
};

interface Options {
  email?: string;
  olderThan?: number;
  yes?: true;
}

async function eraseFound(context: CommandContext, id: string | undefined, email: string, yes: boolean) {
  const { sql, out, tell, signal } = context;
  const whole = id && (await findOne(sql, id));
  const found = await findErasable(sql, whole ? { id: whole } : { email });
  const further = id ? [] : furtherLeads(await findWithAddress(sql, email));
  if (found.length === 0)
    throw whole
      ? erasedMeanwhile(whole)
      : new Refusal(["No lead has this e-mail address. Nothing was erased.", ...further].join("\n"));
  for (const words of further) tell(words);
  // The question shows who they are.
  if (
    !yes &&
    !(await auditOperator(
      sql,
      "opened lead",
      found.map(({ id }) => id),
    ))
  )
    tell(noAuditEntryMessage);
  if (!yes && !(await confirm(context, found))) return signal.aborted ? 130 : 1;
  const ids = found.map((lead) => lead.id);
  const erased = await eraseLeads(sql, ids);
  if (erased.length === 0) throw erasedMeanwhile(ids[0] ?? "");
  await out(erased.map((one) => `Erased ${one}\n`).join(""));
  tell(toldToo(erased.length));
  return 0;
}

function toldToo(erased: number): string {
  const them = erased === 1 ? "it" : "them";
  return `Channels that had been told of ${them} are told to erase ${them} too, except retired ones. Backups made before still hold ${them}.`;
}

/** What a person is told of leads in which the address stands with something else. */
function furtherLeads(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const have = ids.length === 1 ? "1 lead has it" : `${ids.length} leads have it`;
  return [
    `${have} beside another address or words, and may be somebody else's. To look: ${typed("show <id>")}. To erase: ${typed("erase <id>")}`,
    ...ids.map((one) => `  ${one}`),
  ];
}

/** Ctrl-C takes effect between two portions, so that the number printed is the number erased. */
async function eraseOlder(context: CommandContext, days: number, yes: boolean): Promise<number> {
  const { sql, url, out, tell, signal } = context;
  const found = await countByAge(sql, days);
  if (found.older === 0)
    throw new Refusal(`No lead is older than ${counted(days, "day")}. Nothing was erased.`);
  const those = `${counted(found.older, "lead")} that came before ${dayAndTime(found.before)}`;
  const rest = found.newer === 0 ? "No lead is newer." : `${counted(found.newer, "newer lead")} will stay.`;
  if (!yes) {
    await out(`To be erased for good, with permission, deliveries and review: ${those}. ${rest}\n`);
    if (!(await isYes(context, `Erase ${found.older === 1 ? "it" : "them"}? Type yes:`)))
      return signal.aborted ? 130 : 1;
  }
  // A separate connection, because Ctrl-C closes the command's own in the middle of a statement.
  const separate = connect(url, { max: 1, name: "leads command" });
  try {
    const { erased, isBrokenOff } = await eraseByAge(separate, days, found, {
      signal,
      onProgress: progressOf(context, "Erasing", "stops; what is erased stays erased"),
    });
    if (erased === 0 && !isBrokenOff) throw new Refusal("Another process erased them meanwhile.");
    await out(`Erased ${counted(erased, "lead")}.\n`);
    tell(isBrokenOff ? "Broken off. Type it again to erase the rest." : toldToo(erased));
    return isBrokenOff ? 130 : 0;
  } finally {
    await separate.end({ timeout: 1 });
  }
}

async function confirm(context: CommandContext, found: ErasableLead[]): Promise<boolean> {
  const lines = found.map(
    ({ id, created_at, name, email }) =>
      `  ${reference(id)}  ${dayAndTime(created_at)}  ${printable(shown("name", name))}  ${printable(shown("email", email))}\n`,
  );
  await context.out(`To be erased for good, with permission, deliveries and review:\n${lines.join("")}`);
  return isYes(
    context,
    `Erase ${found.length === 1 ? "this lead" : `these ${found.length} leads`}? Type yes:`,
  );
}

async function isYes({ ask, tell }: CommandContext, question: string): Promise<boolean> {
  const answer = await ask(question);
  if (answer === undefined) {
    throw new UsageError(
      `Nothing was erased: nobody is here to ask. Add --yes, or look first: ${typed("show <id>")}`,
    );
  }
  if (answer.trim().toLowerCase() === "yes") return true;
  tell("Nothing was erased.");
  return false;
}

function readEmail(text: string): string {
  if (text.trim()) return text;
  throw new UsageError("--email takes an address, such as --email rosa@example.com.");
}

/** As RETENTION_DAYS takes them, because a far greater number leaves PostgreSQL's range of times. */
const maxDays = 36_500;

const readDays = (text: string): number => readCount("--older-than", text, maxDays);
