// `leads backup <file>`: a copy of everything at one moment, while the server runs.
import { backUp } from "../team/backup.ts";
import { type AddCommand, counted } from "./command.ts";

export const backup: AddCommand = (program, run) => {
  program
    .command("backup")
    .summary("copy everything into a new file that only you can read")
    .description("Copies everything into a new file that only you can read, also while the server runs.")
    .argument("<file>", "the file, which must not be there yet")
    .action((file: string) =>
      run(async ({ sql, out }) => {
        const { "public.leads": leads = 0, "private.deliveries": deliveries = 0 } = await backUp(sql, file);
        await out(
          `Backed up ${counted(leads, "lead")} and ${counted(deliveries, "delivery", "deliveries")} to ${file}\n`,
        );
        return 0;
      }),
    );
};
