// `leads restore <file>`: puts a backup into an empty database, all of it or nothing, and makes an embedded database when there is none.
import { beforeSetting } from "../log/installation.ts";
import { DamagedBackup, requireBackup, UnusableBackup } from "../team/backup-file.ts";
import { UsedDatabase } from "../team/held-rows.ts";
import { Refusal } from "../team/refusal.ts";
import { restore as restoreFile } from "../team/restore.ts";
import { type AddCommand, type CommandContext, counted, readFileName, typed } from "./command.ts";
import { progressOf } from "./progress.ts";
import { dayAndTime } from "./times.ts";
import { heldBy } from "./used-database.ts";

export const restore: AddCommand = (program, run) => {
  program
    .command("restore")
    .summary("put a backup into an empty database")
    .description(
      "Puts a backup into an empty database, all of it or nothing. An embedded database that is not there yet is made; one in DATABASE_URL must be there, and gets its tables. Nobody is told again of what was delivered before the backup was made. After Ctrl-C nothing is restored.",
    )
    .argument("<file>", "a file that `leads backup` made", readFileName)
    .option(
      "--keep",
      "keep beside it the leads and counts that visitors have left in this database meanwhile",
    )
    .action((file: string, { keep }: { keep?: true }) => {
      let takenAt: Date;
      run(
        async (context) => {
          const onProgress = progressOf(context, "Restoring");
          const rows = await restoreFile(context.sql, file, { keep, onProgress }).catch(
            explain(context, file, keep === true),
          );
          const { "public.leads": leads = 0, "private.deliveries": deliveries = 0 } = rows;
          await context.out(
            `Restored ${counted(leads, "lead")} and ${counted(deliveries, "delivery", "deliveries")} from ${file}\n`,
          );
          context.tell(
            `All is as it was at ${dayAndTime(takenAt)}. Do again what came after that: people who asked to stop (\`${typed("withdraw")}\`), and members who were removed or got a new link (\`${typed("team")}\`). Otherwise those people are called, and those members get in.`,
          );
          context.tell(
            "If the server runs, start it again: it then adds its own permission notice and sets up its own channels. The notices of the backup stay.",
          );
          return 0;
        },
        // A mistyped name leaves no empty database behind.
        {
          makesDatabase: true,
          requirePossible: async () => {
            takenAt = await requireBackup(file).catch(refuseUnusable);
          },
        },
      );
    });
};

function refuseUnusable(error: unknown): never {
  if (!(error instanceof UnusableBackup)) throw error;
  const advice = error instanceof DamagedBackup ? " Take another one." : "";
  throw new Refusal(`${error.message} Nothing was restored.${advice}`, { cause: error });
}

/** Says what a refusal means for the restoration, and what can be done instead. */
const explain =
  ({ config }: Pick<CommandContext, "config">, file: string, keeps: boolean) =>
  (error: unknown) => {
    if (!(error instanceof UsedDatabase)) return refuseUnusable(error);
    const lines = [
      `This database holds ${heldBy(error)} already. Nothing was restored.`,
      ...(keeps ? ["Nothing can be restored beside work of the team."] : []),
      `Restore into another one, which ${config.databaseUrl ? "must be there" : "is made"}, and start the server with the same setting:`,
      `  ${beforeSetting}${config.databaseUrl ? "DATABASE_URL=<the address of an empty database>" : "DATA_DIR=<a new folder>"} ${typed(`restore ${asWord(file)}`)}`,
      ...(error.held.others.includes("work of the team")
        ? []
        : [
            "Or restore beside what it holds, so that both stay:",
            `  ${typed(`restore --keep ${asWord(file)}`)}`,
          ]),
    ];
    throw new Refusal(lines.join("\n"), { cause: error });
  };

/** The name of a file as a shell reads it. */
const asWord = (file: string): string =>
  /^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
