// `leads stop <phone>`: a person asked not to be called. It takes effect at once for every lead that was given with the number so far,
// and the channels are notified.
import { askAsOperator } from "../team/ask.ts";
import { type StopRefusal, stopNumber } from "../team/working-leads.ts";
import { type AddCommand, counted, UsageError } from "./command.ts";

export const stop: AddCommand = (program, run) => {
  program
    .command("stop")
    .summary("a number must not be called: withdraws the permission of every lead with it")
    .description(
      "Puts a number on the stop list and withdraws the permission of every lead that was given with it so far. The channels are told. A lead that the person gives later is a new permission.",
    )
    .argument("<phone>", "the number, however it is written")
    .action((phone: string) =>
      run(async ({ sql, out, tell }) => {
        const stopped = await stopNumber(askAsOperator(sql), phone);
        if ("refused" in stopped) throw new UsageError(refusals[stopped.refused]);
        const { leads } = stopped;
        await out(`On the stop list. Permission withdrawn of ${counted(leads, "lead")}. Do not phone.\n`);
        if (leads === 0)
          tell(
            "No lead with this number had a permission that stood. If you expected one, compare the digits.",
          );
        return 0;
      }),
    );
};

const refusals: Record<StopRefusal, string> = {
  "no number": 'A number has 7 to 20 digits, such as "(305) 555-0142".',
  "too many numbers": "At most five numbers can be stopped at once.",
};
