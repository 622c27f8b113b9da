// The product's embedded PostgreSQL: its names, its settings, and its events in our log.
import { fileURLToPath } from "node:url";
import { typed } from "../log/installation.ts";
import type { Log } from "../log/log.ts";
import { holdsData } from "../packages/embedded-postgres/cluster-place.ts";
import { type DataFolder, findDataFolder as findFolder } from "../packages/embedded-postgres/data-folder.ts";
import { findRunning as find, startPostgres } from "../packages/embedded-postgres/embedded-postgres.ts";
import { EmbeddedPostgresError, FolderInUse } from "../packages/embedded-postgres/error.ts";
import { type Options, type PostgresEvent, setUp } from "../packages/embedded-postgres/options.ts";
import type { RunningPostgres } from "../packages/embedded-postgres/supervise.ts";

export { EmbeddedPostgresError, FolderInUse };

/** Where the data is when DATA_DIR names no other folder. */
const defaultFolder = fileURLToPath(new URL("../data", import.meta.url));

/** The options of the product's embedded PostgreSQL on a data folder (DATA_DIR). */
export const embeddedOptions = (dataDir: string | undefined, log: Log = () => {}): Options => ({
  dataDir: dataDir ?? defaultFolder,
  name: "sponsored-article",
  owner: "leads_owner",
  database: "leads",
  settings,
  onEvent: (event) => logEvent(event, log),
  advice: {
    otherFolder: "name another folder in DATA_DIR",
    ownServer: "set DATABASE_URL to a PostgreSQL of your own",
    upgrade: `bring it over with: ${typed("upgrade")}`,
  },
});

/**
 * Starts the embedded PostgreSQL. With `retry` it returns even if PostgreSQL cannot start on existing data, as on a full disk, and tries until
 * it does; `cancel` ends a start that is under way. @throws EmbeddedPostgresError, in words for the operator.
 */
export const startEmbedded = (options: {
  dataDir?: string | undefined;
  log: Log;
  retry?: boolean;
  cancel?: AbortSignal;
}): Promise<RunningPostgres> => {
  const { dataDir, log, ...rest } = options;
  return startPostgres({ ...embeddedOptions(dataDir, log), ...rest });
};

/**
 * The owner's address on the server that runs on this data folder, whichever process started it; undefined when none runs there, when it is not
 * ready within 5 s, and while the data is being upgraded. @throws EmbeddedPostgresError when the folder cannot be read.
 */
export const findRunning = ({ dataDir }: { dataDir: string | undefined }): Promise<string | undefined> =>
  find(embeddedOptions(dataDir));

/**
 * Finds where the data is on this machine, and returns the paths there.
 * @throws EmbeddedPostgresError when the name is a file's, or when two places hold data.
 */
export const findDataFolder = (dataDir: string | undefined): DataFolder =>
  findFolder(setUp(embeddedOptions(dataDir)));

/** Whether there is an embedded database already, also where a crash interrupted its upgrade. @throws EmbeddedPostgresError as findDataFolder does. */
export const hasEmbedded = (dataDir: string | undefined): boolean =>
  holdsData(findDataFolder(dataDir).cluster);

const settings = {
  max_connections: 50,
  shared_buffers: "128MB",
  // DROP DATABASE, which ends the verification of a backup, waits this long for an unfinished login.
  authentication_timeout: "10s",
  // What a visitor typed must not reach the log. Statements come with parameters, DETAIL and CONTEXT quote rows, and an
  // ERROR quotes the value it refuses ("invalid input syntax for type uuid: ..."). So errors of statements go to the
  // client alone, and the log keeps what happens to the server: LOG, FATAL and PANIC.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_checkpoints: "off",
  log_min_duration_statement: -1,
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_timezone: "UTC",
};

function logEvent(event: PostgresEvent, log: Log): void {
  if (event.name === "starting") {
    log(event.isInSystemDir ? "database-starting-elsewhere" : "database-starting", { folder: event.folder });
  } else if (event.name === "exited") {
    log("database-exited", { code: event.code ?? undefined, signal: event.signal ?? undefined });
  } else {
    const { name, ...facts } = event;
    log(eventNames[name], facts);
  }
}

const eventNames = {
  started: "database-started",
  "not-starting": "database-not-starting",
  "orphan-stopped": "database-orphan-stopped",
  "orphan-adopted": "database-started",
} as const;
