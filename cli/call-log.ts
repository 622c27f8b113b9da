// `leads call-log <id>`: when a person was called, by whom, and with which outcome.
import { askAsOperator } from "../team/ask.ts";
import { callLog } from "../team/managing.ts";
import { partsOf } from "./calls.ts";
import type { AddCommand } from "./command.ts";
import { json } from "./json.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";

export const callLogCommand: AddCommand = (program, run) => {
  program
    .command("call-log")
    .summary("calls and outcomes of one lead")
    .description(
      "Prints when a person was called from the inbox, by whom, and the outcomes recorded, oldest first.",
    )
    .argument("<id>", idHelp, readId)
    .option("--json", "print JSON")
    .action((part: string, options: { json?: boolean }) =>
      run(async ({ sql, out }) => {
        const calls = await callLog(askAsOperator(sql), await findOne(sql, part));
        if (options.json) await out(`${json(calls, 2)}\n`);
        else
          await out(
            calls.length > 0
              ? calls.map((call) => `${partsOf(call).join("  ")}\n`).join("")
              : "Not called yet.\n",
          );
        return 0;
      }),
    );
};
