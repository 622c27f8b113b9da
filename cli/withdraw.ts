// `leads withdraw <id>`: a person withdrew the permission to be phoned. It is recorded with its time, and the channels are told.
import { reference } from "../lead/lead.ts";
import { withdrawPermission } from "../team/withdraw-permission.ts";
import type { AddCommand } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";

export const withdraw: AddCommand = (program, run) => {
  program
    .command("withdraw")
    .summary("record that the person withdrew the permission to be phoned; the channels are told")
    .description("Records that the person withdrew the permission to be phoned. The channels are told.")
    .argument("<id>", idHelp, readId)
    .action((part: string) =>
      run(async ({ sql, out }) => {
        const id = await findOne(sql, part);
        const ended = await withdrawPermission(sql, id);
        const what = ended.length > 0 ? "Permission withdrawn" : "The permission was withdrawn before";
        await out(`${what}: ${reference(id)}. Do not phone.\n`);
        return 0;
      }),
    );
};
