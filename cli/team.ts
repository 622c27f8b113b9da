// `leads team`: who works in the inbox. An invitation prints one line, the link. A recovery ends all that the member could get in with:
// passkeys, company accounts, sessions and unused links. A removal takes effect at once, in every session.
import type { Command } from "commander";
import { typed, typedForPlainOutput } from "../log/installation.ts";
import { type Ask, askAsOperator, Refused } from "../team/ask.ts";
import {
  inviteMember,
  linkOf,
  type Member,
  memberNamed,
  members,
  recoverMember,
  removeMember,
} from "../team/managing.ts";
import { Refusal } from "../team/refusal.ts";
import { type AddCommand, type Run, UsageError } from "./command.ts";
import { json } from "./json.ts";
import { cell, printable } from "./terminal.ts";
import { dayAndTime } from "./times.ts";

export const team: AddCommand = (program, run) => {
  const command = program
    .command("team")
    .summary("who works in the inbox: invite, list, recover, remove")
    .description("Who works in the inbox (see docs/inbox.md). A link is valid for 24 hours and works once.");
  addInvite(command, run);
  addList(command, run);
  addRecover(command, run);
  addRemove(command, run);
};

function addInvite(command: Command, run: Run): void {
  command
    .command("invite")
    .description("Invites a member, and prints the link with which they create a passkey.")
    .argument("<name>", "how the team calls them", readName)
    .option("--manager", "may also invite, erase, export, and see reports and the audit log")
    .action((name: string, options: { manager?: boolean }) =>
      run(async ({ sql, out, config }) => {
        const invited = inviteMember(askAsOperator(sql), name, options.manager ? "manager" : "member");
        await out(`${linkOf(config.inbox.url, await invited.catch(explainDuplicate))}\n`);
        return 0;
      }),
    );
}

function addList(command: Command, run: Run): void {
  command
    .command("list")
    .description("Lists the members, with the removed ones at the end.")
    .option("--json", "print JSON")
    .action((options: { json?: boolean }) =>
      run(async ({ sql, out, config }) => {
        const all = await members(askAsOperator(sql), config.inbox.openIdConnect?.issuer);
        await out(options.json ? `${json(all, 2)}\n` : tableOf(all));
        return 0;
      }),
    );
}

function addRecover(command: Command, run: Run): void {
  command
    .command("recover")
    .description(
      "Ends a member's passkeys, company accounts, sessions and unused links, and prints a new link.",
    )
    .argument("<name>", "a member", readName)
    .action((name: string) =>
      run(async ({ sql, out, config }) => {
        const ask = askAsOperator(sql);
        const link = await recoverMember(ask, (await findMember(ask, name)).id);
        await out(`${linkOf(config.inbox.url, link)}\n`);
        return 0;
      }),
    );
}

function addRemove(command: Command, run: Run): void {
  command
    .command("remove")
    .description("Removes a member: at once, everywhere. What they did stays in the audit log.")
    .argument("<name>", "a member", readName)
    .action((name: string) =>
      run(async ({ sql, out }) => {
        const ask = askAsOperator(sql);
        const member = await findMember(ask, name);
        await removeMember(ask, member.id);
        await out(`Removed ${printable(member.name)}.\n`);
        return 0;
      }),
    );
}

function readName(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= 100) return name;
  throw new UsageError('A name has 1 to 100 characters, such as "Dana Kim".');
}

function explainDuplicate(error: unknown): never {
  if (error instanceof Refused && error.status === 409)
    throw new Refusal(
      `This name is taken. Invite under another one, or, for a member of this name: ${typed("team recover <name>")}`,
    );
  throw error;
}

async function findMember(ask: Ask, name: string) {
  const found = await memberNamed(ask, name);
  if (found) return found;
  throw new Refusal(`No member is called ${printable(name)}. Who is in: ${typed("team list")}`);
}

function tableOf(all: Member[]): string {
  if (all.length === 0)
    return `Nobody is invited yet. The first: ${typedForPlainOutput('team invite "Dana Kim" --manager')}\n`;
  const line = (words: string[]) =>
    `${words
      .map((word, index) => cell(word, [28, 9, 10, 17][index] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  const state = ({ removed_at, joined_at }: Member) =>
    removed_at ? "removed" : joined_at ? "joined" : "invited";
  return [
    line(["NAME", "ROLE", "STATE", "LAST SEEN"]),
    ...all.map((member) =>
      line([
        member.name,
        member.role,
        state(member),
        member.last_seen_at ? dayAndTime(new Date(member.last_seen_at)) : "-",
      ]),
    ),
  ].join("");
}
