// `leads retry`: has deliveries that failed, or wait, sent again now. The server, or `npm run deliver`, sends them.
import { reference } from "../lead/lead.ts";
import { Refusal } from "../team/refusal.ts";
import { retryFailed, retryLead } from "../team/retry-deliveries.ts";
import { type AddCommand, type CommandContext, typed, UsageError } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";

export const retry: AddCommand = (program, run) => {
  program
    .command("retry")
    .summary("send again what is owed and not delivered: about a lead, or all that failed")
    .description("Has the server send again what is owed and not delivered.")
    .argument("[id]", idHelp, readId)
    .option("--failed", "all that failed, instead of one lead's")
    .action((id: string | undefined, { failed }: { failed?: true }) => {
      if (id && failed)
        throw new UsageError(`Either an <id> or --failed, not both.\nHelp: ${typed("retry --help")}`);
      if (failed) run(retryAll);
      else if (id) run((context) => retryOne(context, id));
      else
        throw new UsageError(
          `What shall be sent again?\nType: ${typed("retry <id>")}\nor:   ${typed("retry --failed")}`,
        );
    });
};

async function retryAll({ sql, out }: CommandContext): Promise<number> {
  const due = await retryFailed(sql);
  await out(due === 0 ? "Nothing has failed.\n" : dueNow(due));
  return 0;
}

async function retryOne({ sql, out }: CommandContext, part: string): Promise<number> {
  const id = await findOne(sql, part, { erased: true });
  const retried = await retryLead(sql, id);
  if ("nothing" in retried) {
    throw new Refusal(
      retried.nothing === "delivered"
        ? `There is nothing to send again: the channels have been told of ${reference(id)}.`
        : "No channel is set up. Set WEBHOOK_URL or NOTIFY_EMAIL (see .env.example) and start the server again.",
    );
  }
  await out(dueNow(retried.due));
  return 0;
}

const dueNow = (count: number) =>
  `${count === 1 ? "1 delivery is due now." : `${count} deliveries are due now.`}\n`;
