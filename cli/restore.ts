// `leads restore <file>`: puts a backup into an empty database, all of it or nothing, and makes the database when there is none.
import { Refusal } from "../team/refusal.ts";
import { restore as restoreFile, UsedDatabase } from "../team/restore.ts";
import { type AddCommand, counted, typed } from "./command.ts";
import { progressOf } from "./progress.ts";

export const restore: AddCommand = (program, run) => {
  program
    .command("restore")
    .summary("put a backup into an empty database, which is made when there is none")
    .description(
      "Puts a backup into an empty database, all of it or nothing. A database that is not there yet, in DATA_DIR or DATABASE_URL, is made. Nobody is told again of what was delivered. Ctrl-C leaves the database as it was.",
    )
    .argument("<file>", "a file that `leads backup` made")
    .option("--keep", "keep the leads that visitors have sent to this database meanwhile")
    .action((file: string, { keep }: { keep?: true }) =>
      run(
        async (context) => {
          const onProgress = progressOf(context, "Restoring");
          const rows = await restoreFile(context.sql, file, { keep, onProgress }).catch(explainUsed(file));
          const { "public.leads": leads = 0, "private.deliveries": deliveries = 0 } = rows;
          await context.out(
            `Restored ${counted(leads, "lead")} and ${counted(deliveries, "delivery", "deliveries")} from ${file}\n`,
          );
          context.tell(
            "If the server runs, start it again, so that its own wording and channels are in force.",
          );
          return 0;
        },
        { makesDatabase: true },
      ),
    );
};

const explainUsed = (file: string) => (error: unknown) => {
  if (!(error instanceof UsedDatabase)) throw error;
  const { leads, hasTeamWork } = error;
  const held = [...(leads > 0 ? [counted(leads, "lead")] : []), ...(hasTeamWork ? ["work of the team"] : [])];
  const lines = [
    `This database holds ${held.join(" and ")} already. Nothing was restored.`,
    `Restore into another one, which is made when it is not there, and start the server with the same setting:`,
    `  DATA_DIR=<a new folder> ${typed(`restore ${file}`)}`,
    ...(hasTeamWork
      ? []
      : ["Or restore beside these leads, so that both stay:", `  ${typed(`restore --keep ${file}`)}`]),
  ];
  throw new Refusal(lines.join("\n"), { cause: error });
};
