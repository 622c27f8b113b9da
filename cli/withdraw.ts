// `leads withdraw <id>`: a person withdrew the permission to be phoned. It is recorded with its time, and the channels are notified.
import { reference } from "../lead/lead.ts";
import { erasedMeanwhile } from "../team/refusal.ts";
import { withdrawPermission } from "../team/withdraw-permission.ts";
import type { AddCommand } from "./command.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";

export const withdraw: AddCommand = (program, run) => {
  program
    .command("withdraw")
    .summary("record that the person withdrew the permission to be phoned; the channels are told")
    .description(
      "Records that the person withdrew the permission to be phoned, also for every lead that was given with one of its numbers so far. The channels are told.",
    )
    .argument("<id>", idHelp, readId)
    .action((part: string) =>
      run(async ({ sql, out }) => {
        const id = await findOne(sql, part);
        const { ended, isErased } = await withdrawPermission(sql, id);
        const what = ended.includes(id) ? "Permission withdrawn" : "No permission stood any more";
        if (!isErased) await out(`${what}: ${reference(id)}. Do not phone.\n`);
        const others = ended.filter((one) => one !== id);
        if (others.length > 0) {
          const has = others.length === 1 ? "which has" : "which have";
          await out(
            `Permission withdrawn: also of ${others.map(reference).join(", ")}, ${has} the same number.\n`,
          );
        }
        if (isErased) throw erasedMeanwhile(id);
        return 0;
      }),
    );
};
