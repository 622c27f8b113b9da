// `leads erase`: erases a person's leads for good, with everything stored about them and every pending delivery. It shows first what
// would be erased, and asks. A receipt without personal data stays.

import { reference } from "../lead/lead.ts";
import { auditOperator } from "../team/audit-operator.ts";
import { type ErasableLead, eraseLeads, findErasable } from "../team/erase-leads.ts";
import { Refusal } from "../team/refusal.ts";
import { type AddCommand, type CommandContext, typed, UsageError } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";
import { printable } from "./terminal.ts";
import { clock } from "./times.ts";

export const erase: AddCommand = (program, run) => {
  program
    .command("erase")
    .summary("remove a lead for good with all about it; asks first")
    .description("Removes a lead for good with all about it: permission, deliveries, review. Asks first.")
    .argument("[id]", idHelp, readId)
    .option("--email <address>", "instead of an id: all leads with this e-mail address", readEmail)
    .option("--yes", "do not ask")
    .action((id: string | undefined, { email, yes }: { email?: string; yes?: true }) => {
      if (id && email)
        throw new UsageError(`Either an <id> or --email, not both.\nHelp: ${typed("erase --help")}`);
      if (!id && !email) throw new UsageError(`Which <id>?\nHelp: ${typed("erase --help")}`);
      run((context) => eraseFound(context, id, email ?? "", yes === true));
    });
};

async function eraseFound(context: CommandContext, id: string | undefined, email: string, yes: boolean) {
  const { sql, out, tell } = context;
  const found = await findErasable(sql, id ? { id: await findOne(sql, id) } : { email });
  if (found.length === 0) throw new Refusal("No lead has this e-mail address. Nothing was erased.");
  if (!yes && !(await confirm(context, found))) return 1;
  const ids = found.map((lead) => lead.id);
  await auditOperator(sql, "erased lead", ids);
  const erased = await eraseLeads(sql, ids);
  await out(erased.map((one) => `Erased ${one}\n`).join(""));
  tell("Channels that had been told of it are told to erase it too. Backups made before still hold it.");
  return 0;
}

async function confirm({ ask, out, tell }: CommandContext, found: ErasableLead[]): Promise<boolean> {
  const lines = found.map(
    ({ id, created_at, name, email }) =>
      `  ${reference(id)}  ${clock(created_at)}  ${printable(name)}  ${printable(email)}\n`,
  );
  await out(`To be erased for good, with permission, deliveries and review:\n${lines.join("")}`);
  const answer = await ask(
    `Erase ${found.length === 1 ? "this lead" : `these ${found.length} leads`}? Type yes:`,
  );
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
