// `leads channel retire <name>`: retires a channel, so that what is pending on it does not stay pending for ever.
import { Refusal } from "../team/refusal.ts";
import { retireChannel } from "../team/retire-channel.ts";
import { type AddCommand, counted } from "./command.ts";

export const channel: AddCommand = (program, run) => {
  const group = program
    .command("channel")
    .summary("retire a channel that is given up for good")
    .description("Looks after the channels by which the team hears of leads.");
  group
    .command("retire")
    .description(
      "Gives a channel up for good: what waits on it is settled as failed, and no longer counts as stuck. The leads of the last three days that no channel was told of go to those that are set up; `leads retry <id>` sends an older one. A channel that is set up again later is told of new leads as before.",
    )
    .argument("<name>", "the channel, as `leads status` names it, such as webhook")
    .action((name: string) =>
      run(async ({ sql, out }) => {
        const retired = await retireChannel(sql, name);
        if ("settled" in retired) {
          await out(`Retired ${name}: ${counted(retired.settled, "delivery", "deliveries")} settled.\n`);
          return 0;
        }
        throw new Refusal(
          retired.refused === "enabled"
            ? `The channel ${name} is set up. Take its settings out and start the server again, then retire it.`
            : `There is no channel ${JSON.stringify(name)}. Those that can be retired: ${retired.retirable.join(", ") || "none"}.`,
        );
      }),
    );
};
