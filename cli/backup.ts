// `leads backup <file>`: a copy of everything at one moment, while the server runs.
import { backUp } from "../team/backup.ts";
import { type AddCommand, counted, readFileName } from "./command.ts";
import { progressOf } from "./progress.ts";

export const backup: AddCommand = (program, run) => {
  program
    .command("backup")
    .summary("copy everything into a new file that only you can read")
    .description(
      "Copies everything into a new file that only you can read, also while the server runs. Ctrl-C leaves no file behind. With BACKUP_DIR the server makes one each day by itself, and verifies it.",
    )
    .argument("<file>", "the file, which must not be there yet", readFileName)
    .action((file: string) =>
      run(async (context) => {
        const rows = await backUp(context.sql, file, { onProgress: progressOf(context, "Backing up") });
        const { "public.leads": leads = 0, "private.deliveries": deliveries = 0 } = rows;
        await context.out(
          `Backed up ${counted(leads, "lead")} and ${counted(deliveries, "delivery", "deliveries")} to ${file}\n`,
        );
        return 0;
      }),
    );
};
