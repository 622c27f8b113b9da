// `leads retry`: makes deliveries that failed, or are pending, due now. The server, or `npm run deliver`, then sends them.
import type { Sql } from "../database/connect.ts";
import { howToSetUp } from "../delivery/channels/registry.ts";
import { reference } from "../lead/lead.ts";
import { Refusal } from "../team/refusal.ts";
import {
  type AllRetried,
  countDueWithoutChannel,
  type Retried,
  retryFailed,
  retryLead,
  retryPending,
} from "../team/retry-deliveries.ts";
import { type AddCommand, type CommandContext, counted, typed, UsageError } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";

interface Options {
  failed?: true;
  pending?: true;
}

export const retry: AddCommand = (program, run) => {
  program
    .command("retry")
    .summary("send again what is owed and not delivered: about a lead, all that failed, or all that waits")
    .description("Has the server send again what is owed and not delivered.")
    .argument("[id]", idHelp, readId)
    .option("--failed", "all that failed, instead of one lead's")
    .option("--pending", "all that waits for a later attempt, such as after a channel was fixed")
    .action((id: string | undefined, { failed, pending }: Options) => {
      const given = [id && "an <id>", failed && "--failed", pending && "--pending"].filter(Boolean);
      if (given.length > 1)
        throw new UsageError(`Either ${given.join(" or ")}, not both.\nHelp: ${typed("retry --help")}`);
      if (failed) run((context) => retryAll(context, retryFailed, () => "Nothing has failed."));
      else if (pending) run((context) => retryAll(context, retryPending, nothingWaits));
      else if (id) run((context) => retryOne(context, id));
      else
        throw new UsageError(
          `What shall be sent again?\nType: ${typed("retry <id>")}\nor:   ${typed("retry --failed")}\nor:   ${typed("retry --pending")}`,
        );
    });
};

async function retryAll(
  { sql, out, tell }: CommandContext,
  requeue: (sql: Sql) => Promise<AllRetried>,
  none: (wereDue: number) => string,
): Promise<number> {
  const { due, wereDue } = await requeue(sql);
  await out(due === 0 ? `${none(wereDue)}\n` : dueNow(due, wereDue));
  if (due > 0) tellWaiting(await countDueWithoutChannel(sql), tell);
  return 0;
}

function tellWaiting(waiting: number, tell: CommandContext["tell"]): void {
  if (waiting === 0) return;
  tell(
    `${counted(waiting, "due delivery", "due deliveries")} of a channel that is not set up: sent when it is set up again. To look: ${typed("status")}`,
  );
}

async function retryOne({ sql, out, tell }: CommandContext, part: string): Promise<number> {
  const id = await findOne(sql, part, { erased: true });
  const retried = await retryLead(sql, id);
  if ("nothing" in retried) throw new Refusal(whyNothing(retried.nothing, reference(id)));
  await out(dueNow(retried.due));
  tellWaiting(await countDueWithoutChannel(sql, id), tell);
  return 0;
}

type Reason = Extract<Retried, { nothing: string }>["nothing"];

const whyNothing = (reason: Reason, lead: string): string =>
  ({
    delivered: `There is nothing to send again: the channels have been told of ${lead}.`,
    "not owed": `There is nothing to send: no channel is owed a message about ${lead}.`,
    "erasure waits": `There is nothing to send again: the message that ${lead} was erased waits for its first attempt.`,
    "channel not set up": `What is owed about ${lead} goes to a channel that is not set up: it is sent when that channel is set up again.`,
    "no channel": `No channel is set up. ${howToSetUp()} and start the server again.`,
  })[reason];

const dueNow = (count: number, wereDue = 0) =>
  `${deliveries(count)} ${count === 1 ? "is" : "are"} due now${wereDue > 0 ? `; ${counted(wereDue, "more was", "more were")} due already` : ""}.\n`;

const nothingWaits = (wereDue: number): string =>
  `Nothing waits for a later attempt.${wereDue > 0 ? ` ${deliveries(wereDue)} ${wereDue === 1 ? "was" : "were"} due already.` : ""}`;

const deliveries = (count: number): string => counted(count, "delivery", "deliveries");
