// The embedded PostgreSQL: started on a data folder when there is no DATABASE_URL, started again when it
// dies, and stopped last. Whatever was killed before, the next start finds its way by itself.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, type Log } from "../../log/log.ts";
import { ownerUrl } from "./cluster.ts";
import { findDataFolder, type OpenDataFolder, openDataFolder } from "./data-folder.ts";
import { findPostmaster, launch, type Postmaster, stopOrphans } from "./postmaster.ts";
import { comesTrue, endProcess, signal } from "./processes.ts";
import { EmbeddedDatabaseError } from "./unprivileged.ts";

export { EmbeddedDatabaseError };

export interface EmbeddedDatabase {
  /** The owner's address, for `connect` and for psql: the host in it is the folder of a Unix socket. */
  url: string;
  /** Where the data is. */
  dataDir: string;
  /** The process of the PostgreSQL that runs now; another after a restart. 0 until it runs for the first time. */
  readonly pid: number;
  /** Stops PostgreSQL, waits until it is gone, and lets go of the data folder. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a data folder. With `patient`, one that holds data already, and where PostgreSQL does not start, as
 * on a full disk, is tried again until it does. @throws EmbeddedDatabaseError, in words for the person who started us.
 */
export async function startEmbedded(options: {
  dataDir?: string | undefined;
  log: Log;
  patient?: boolean;
  /** Nobody wants it any more: a PostgreSQL that is starting is ended. */
  unwanted?: AbortSignal;
}): Promise<EmbeddedDatabase> {
  const { log, unwanted } = options;
  const held = existsSync(findDataFolder(options.dataDir).cluster);
  const folder = await openDataFolder(options.dataDir);
  try {
    const isElsewhere = options.dataDir !== undefined && folder.path !== resolve(options.dataDir);
    log(isElsewhere ? "database-starting-elsewhere" : "database-starting", { folder: folder.path });
    await stopOrphans(folder.cluster, log);
    const first = await launch(folder, unwanted).catch((error) => {
      if (!held || !options.patient) throw error;
      return undefined;
    });
    if (first) log("database-started", { pid: first.pid });
    return supervise(folder, first, log);
  } catch (error) {
    folder.close();
    throw error;
  }
}

function supervise(folder: OpenDataFolder, first: Postmaster | undefined, log: Log): EmbeddedDatabase {
  let current = first;
  let last = first?.pid ?? 0;
  const stopping = new AbortController();
  // When this process ends without `stop` (an uncaught error), PostgreSQL is not left behind.
  const leave = () => current && signal(current.pid, "SIGINT");
  process.once("exit", leave);

  const watch = async () => {
    for (let deaths = 0; !stopping.signal.aborted; ) {
      const started = Date.now();
      const exit = await current?.exited;
      current = undefined;
      if (stopping.signal.aborted) return;
      if (exit) log("database-exited", { code: exit.code ?? undefined, signal: exit.signal ?? undefined });
      deaths = exit && Date.now() - started > 5_000 ? 0 : deaths + 1;
      current = await revive(folder, deaths, log, stopping.signal);
      last = current?.pid ?? last;
      if (current && stopping.signal.aborted) await end(current);
    }
  };
  const watched = watch();

  const stop = async () => {
    stopping.abort();
    if (current) await end(current);
    // A restart that was under way ends what it started.
    await watched;
    process.removeListener("exit", leave);
    folder.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    url: ownerUrl(folder, folder.sockets),
    dataDir: folder.path,
    get pid() {
      return last;
    },
    stop: () => (stopped ??= stop()),
  };
}

async function end(postmaster: Postmaster) {
  let gone = false;
  void postmaster.exited.then(() => {
    gone = true;
  });
  // Who stops a server usually waits ten seconds, of which leads under way may take seven.
  await endProcess(postmaster.pid, () => gone, 2);
}

/** Starts PostgreSQL again: at once the first three times, then later and later, until it works or nobody wants it. */
async function revive(folder: OpenDataFolder, deaths: number, log: Log, stopping: AbortSignal) {
  for (let tries = deaths - 3; !stopping.aborted; tries++) {
    if (tries > 0)
      await delay(Math.min(50 * 2 ** tries, 5_000), undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return undefined;
    try {
      await stopOrphans(folder.cluster, log);
      const next = await launch(folder, stopping);
      log("database-started", { pid: next.pid });
      return next;
    } catch {
      if (tries === deaths - 3 && !stopping.aborted) log("database-not-starting", { log: folder.log });
    }
  }
  return undefined;
}

/** The owner's address on the server that runs on this data folder, whoever started it; undefined when none does. */
export async function findRunning(options: { dataDir?: string | undefined }): Promise<string | undefined> {
  const folder = findDataFolder(options.dataDir);
  try {
    let running: ReturnType<typeof findPostmaster>;
    // One that is starting, after a kill say, answers in a moment; one that is stopping is gone in a moment.
    await comesTrue(() => {
      running = findPostmaster(folder.cluster);
      return running === undefined || running.isReady;
    }, 5);
    return running?.isReady ? ownerUrl(folder, running.sockets) : undefined;
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The data folder ${folder.path} cannot be read (${codeOf(cause)}). Run this as the user who started the server.`,
      { cause },
    );
  }
}
