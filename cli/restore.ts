// `leads restore <file>`: puts a backup into an empty database, all of it or nothing.
import { Refusal } from "../team/refusal.ts";
import { restore as restoreFile, UsedDatabase } from "../team/restore.ts";
import { type AddCommand, counted } from "./command.ts";

export const restore: AddCommand = (program, run) => {
  program
    .command("restore")
    .summary("put a backup into an empty database")
    .description(
      "Puts a backup into an empty database, all of it or nothing. Nobody is told again of what was delivered.",
    )
    .argument("<file>", "a file that `leads backup` made")
    .action((file: string) =>
      run(async ({ sql, out, tell }) => {
        const rows = await restoreFile(sql, file).catch(explainUsed);
        const { "public.leads": leads = 0, "private.deliveries": deliveries = 0 } = rows;
        await out(
          `Restored ${counted(leads, "lead")} and ${counted(deliveries, "delivery", "deliveries")} from ${file}\n`,
        );
        tell("If the server runs, start it again, so that its own wording and channels are in force.");
        return 0;
      }),
    );
};

function explainUsed(error: unknown): never {
  if (!(error instanceof UsedDatabase)) throw error;
  throw new Refusal(
    `This database holds ${counted(error.leads, "lead")} and ${counted(error.receipts, "receipt")} of erased ones already. Nothing was restored: restore into an empty database (another DATA_DIR or DATABASE_URL, started once with: npm start).`,
    { cause: error },
  );
}
