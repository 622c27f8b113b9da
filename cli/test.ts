// `leads test`: sends a test message through every channel, and prints what each answered.
import { howToSetUp, makeChannels } from "../delivery/channels/registry.ts";
import { type Log, makeLog } from "../log/log.ts";
import { Refusal } from "../team/refusal.ts";
import { type Tested, testChannels } from "../team/test-channels.ts";
import { type AddCommand, counted } from "./command.ts";

export const test: AddCommand = (program, run) => {
  program
    .command("test")
    .summary("send a marked message down every channel, and say what each answered")
    .description(
      "Sends a marked message down every channel that the settings name, and says what each answered. Nothing is stored. A webhook gets it with the type `test`.",
    )
    .action(() =>
      run(async ({ config, out, tell, signal }) => {
        const { channels } = config.delivery;
        let rejected = 0;
        // A mail server that rejects some of the mailboxes is a log event and no outcome, because the team has the message.
        const log: Log = (event, facts = {}) => {
          if (event === "mailbox-rejected") rejected = Number(facts.count);
          if (event === "bug") makeLog((line) => tell(line.trimEnd()))(event, facts);
        };
        const made = makeChannels(channels, { log, linkTo: () => undefined });
        const tested = await testChannels(made, signal, log);
        if (tested.length === 0) {
          throw new Refusal(`No channel is set up. ${howToSetUp()} and start the server again.`);
        }
        const width = Math.max(...tested.map(({ channel }) => channel.length)) + 2;
        const mailboxes = { rejected, all: channels.NOTIFY_EMAIL?.length ?? 0 };
        for (const one of tested) await out(`${one.channel.padEnd(width)}${answerOf(one, mailboxes)}\n`);
        if (signal.aborted) return 130;
        return rejected === 0 && tested.every(({ outcome }) => outcome.kind === "delivered") ? 0 : 1;
      }),
    );
};

function answerOf(
  { channel, outcome }: Tested,
  { rejected, all }: { rejected: number; all: number },
): string {
  if (outcome.kind !== "delivered") return `DID NOT take it: ${outcome.reason}`;
  if (channel !== "email" || rejected === 0) return "took the test message";
  return `took the test message, but the mail server rejected ${rejected} of the ${counted(all, "mailbox", "mailboxes")} in NOTIFY_EMAIL`;
}
