// `leads move --to <database>`: copies everything into another database, and compares it there. The old database stays as it is.
import * as v from "valibot";
import { databaseAddress } from "../config/addresses.ts";
import { connect } from "../database/connect.ts";
import { CopyError } from "../database/copy-database.ts";
import { findDataFolder, findRunning, startEmbedded } from "../database/embedded.ts";
import { beforeSetting } from "../log/installation.ts";
import { UsedDatabase } from "../team/held-rows.ts";
import { moveDatabase } from "../team/move-database.ts";
import { Refusal } from "../team/refusal.ts";
import { type AddCommand, type CommandContext, counted, typed, UsageError } from "./command.ts";
import { stopUnused } from "./database.ts";
import { progressOf } from "./progress.ts";
import { heldBy } from "./used-database.ts";

export const move: AddCommand = (program, run) => {
  program
    .command("move")
    .summary("copy everything into another database: your own server, Supabase, or the embedded one")
    .description(
      "Copies everything from the database in use (DATABASE_URL, or the embedded one) into another that holds nothing, compares each table, and says which setting to change. Stop the server first. The old database is only read; Ctrl-C leaves the other without a row.",
    )
    .option(
      "--to <database>",
      "embedded, or an address as DATABASE_URL takes it; its password may stand in PGPASSWORD",
    )
    .addHelpText(
      "after",
      `\nExamples:\n  ${beforeSetting}PGPASSWORD=... ${typed("move --to postgres://leads_owner@db.example.com/leads")}\n  ${typed("move --to embedded")}`,
    )
    .action(({ to }: { to?: string }) => {
      const target = readTarget(to);
      run((context) => moveTo(target, context));
    });
};

type Target = "embedded" | { address: string };

function readTarget(text: string | undefined): Target {
  if (text === "embedded") return text;
  const read = v.safeParse(databaseAddress, text ?? "");
  if (read.success) return { address: read.output };
  throw new UsageError(
    `${text ? `--to ${read.issues[0].message}` : "Where to? Add --to embedded, or --to postgres://user:password@host:port/name"}\nHelp: ${typed("move --help")}`,
  );
}

async function moveTo(target: Target, context: CommandContext): Promise<number> {
  const { sql, config, out, tell, signal } = context;
  const opened = await openTarget(target, context);
  const to = connect(opened.url, { max: 2, name: "leads command" });
  signal.addEventListener("abort", () => void to.end({ timeout: 0 }));
  try {
    const progress = {
      onCopied: progressOf(context, "Copying"),
      onCompared: progressOf(context, "Comparing"),
    };
    const rows = await moveDatabase(sql, to, progress).catch(explain);
    const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
    await out(
      `Moved ${counted(rows["public.leads"] ?? 0, "lead")}, ${counted(all, "row")} in all, and compared each table.\n`,
    );
    for (const line of whatNext(target, config)) tell(line);
    return 0;
  } finally {
    await to.end({ timeout: 1 });
    await opened.close();
  }
}

/** The embedded database is made when it is not there. */
async function openTarget(target: Target, { config, tell, signal }: CommandContext) {
  if (target !== "embedded") return { url: target.address, close: async () => {} };
  const { databaseUrl, dataDir } = config;
  if (!databaseUrl) throw new Refusal("The leads are in the embedded database already. Nothing was moved.");
  const { path } = findDataFolder(dataDir);
  if (await findRunning({ dataDir }))
    throw new Refusal(`A server runs on the embedded database in ${path}. Stop it, and type it again.`);
  tell(`The embedded database in ${path} is started for this command, and made when it is not there.`);
  const { url, stop } = await startEmbedded({ dataDir, log: () => {}, cancel: signal });
  return { url, close: () => stopUnused(url, stop, tell) };
}

function explain(error: unknown): never {
  if (error instanceof UsedDatabase)
    throw new Refusal(
      `The database to move to holds ${heldBy(error)} already. Nothing was moved. Name an empty one.`,
      { cause: error },
    );
  if (error instanceof CopyError)
    throw new Refusal(
      `${error.message} Nothing was moved: the old database is as before, and the other holds no row.`,
      { cause: error },
    );
  throw error;
}

function whatNext(target: Target, { databaseUrl, ...config }: CommandContext["config"]): string[] {
  const others = [
    ...(config.intakeDatabaseUrl ? ["INTAKE_DATABASE_URL"] : []),
    ...(config.deliveryDatabaseUrl ? ["DELIVERY_DATABASE_URL"] : []),
    ...(config.inboxDatabaseUrl ? ["INBOX_DATABASE_URL"] : []),
    ...(config.standbyUrl ? ["STANDBY_URL"] : []),
  ];
  const [name, them] = others.length > 1 ? ["name", "them"] : ["names", "it"];
  return [
    target === "embedded"
      ? "Now take DATABASE_URL out of the settings, and start the server."
      : `Now set DATABASE_URL=${withoutPassword(target.address)} (with its password), and start the server.`,
    ...(others.length > 0
      ? [
          `${others.join(", ")} in the settings still ${name} the old database: ${target === "embedded" ? `take ${them} out` : `change ${them}`}, too.`,
        ]
      : []),
    `The old database${databaseUrl ? "" : " in DATA_DIR"} is as it was. A server that is started on it by mistake would send what waits a second time: delete it when the leads have been looked at in the new one.`,
  ];
}

const withoutPassword = (address: string) => address.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, "$1:...@");
