// `leads test`: sends a test message through every channel, and prints what each answered.
import { makeChannels } from "../delivery/channels/registry.ts";
import { Refusal } from "../team/refusal.ts";
import { testChannels } from "../team/test-channels.ts";
import type { AddCommand } from "./command.ts";

export const test: AddCommand = (program, run) => {
  program
    .command("test")
    .summary("send a marked message down every channel, and say what each answered")
    .description(
      "Sends a marked message down every channel that the settings name, and says what each answered. Nothing is stored. A webhook gets it with the type `test`.",
    )
    .action(() =>
      run(async ({ config, out, signal }) => {
        const context = { log: () => {}, linkTo: () => undefined };
        const tested = await testChannels(makeChannels(config.delivery.channels, context), signal);
        if (tested.length === 0) {
          throw new Refusal(
            "No channel is set up. Set WEBHOOK_URL, NOTIFY_EMAIL or CHAT_URL (see .env.example) and start the server again.",
          );
        }
        const width = Math.max(...tested.map(({ channel }) => channel.length)) + 2;
        for (const { channel, outcome } of tested) {
          const answer =
            outcome.kind === "delivered" ? "took the test message" : `DID NOT take it: ${outcome.reason}`;
          await out(`${channel.padEnd(width)}${answer}\n`);
        }
        return tested.every(({ outcome }) => outcome.kind === "delivered") ? 0 : 1;
      }),
    );
};
