// Keeps PostgreSQL running on an open data folder: starts it again when it exits, rotates its log, and stops it on request.
import { setTimeout as delay } from "node:timers/promises";
import { ownerUrl } from "./cluster.ts";
import type { OpenDataFolder } from "./data-folder.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import { rotateLog } from "./log-rotation.ts";
import { launch, type Postmaster, stopOrphans } from "./postmaster.ts";
import { endProcess, killProcessesOn, sendSignal } from "./processes.ts";

export interface RunningPostgres {
  /** The owner's address, for a client and for psql: the host in it is the folder of a Unix socket. */
  url: string;
  /** Where the data is. */
  dataDir: string;
  /** The process of the PostgreSQL that runs, or ran last; another one after a restart, and 0 until it runs for the first time. */
  readonly pid: number;
  /**
   * Stops PostgreSQL, waits until it is gone, and releases the data folder. @throws EmbeddedPostgresError when PostgreSQL outlives
   * even SIGKILL; the folder stays locked then.
   */
  stop(): Promise<void>;
}

/** Milliseconds between two checks of the log's size. */
const rotationInterval = 10_000;

/** Milliseconds after which a server that ran counts as one that starts well. */
const stableAfter = 5_000;

/** Supervises a folder, with the server that runs on it already, or none where the first start failed. */
export function supervise(folder: OpenDataFolder, first: Postmaster | undefined): RunningPostgres {
  const { onEvent, maxLogBytes } = folder.setup;
  let current = first;
  let lastPid = first?.pid ?? 0;
  const stopping = new AbortController();
  // When this process ends without `stop`, as by an uncaught error, `launch` stops a server of its own; this stops an adopted one, too.
  const stopOnExit = () => current && sendSignal(current.pid, "SIGINT");
  process.once("exit", stopOnExit);
  const rotation = setInterval(() => rotateLog(folder.log, maxLogBytes), rotationInterval).unref();

  const watch = async () => {
    for (let deaths = 0; !stopping.signal.aborted; ) {
      const started = performance.now();
      const exit = await current?.exited;
      current = undefined;
      if (stopping.signal.aborted) return;
      if (exit) onEvent({ name: "exited", ...exit });
      deaths = exit && performance.now() - started > stableAfter ? 0 : deaths + 1;
      current = await restart(folder, deaths, stopping.signal);
      lastPid = current?.pid ?? lastPid;
      if (current && stopping.signal.aborted) await end(current);
    }
  };
  const watched = watch();

  const stop = async () => {
    stopping.abort();
    clearInterval(rotation);
    if (current) await end(current);
    // A restart that was under way ends what it started.
    await watched;
    // A server that had to be killed leaves its sessions running.
    await killProcessesOn(folder.cluster);
    process.removeListener("exit", stopOnExit);
    folder.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    url: ownerUrl(folder, folder.sockets, folder.setup),
    dataDir: folder.path,
    get pid() {
      return lastPid;
    },
    stop: () => (stopped ??= stop()),
  };
}

/**
 * Ends a server: by a fast shutdown that may take so many seconds, and then in harder ways. The default is two, because a service manager usually allows
 * ten seconds, and requests under way may take seven.
 */
export async function end(postmaster: Postmaster, fastShutdownSeconds = 2) {
  let isGone = false;
  void postmaster.exited.then(() => {
    isGone = true;
  });
  await endProcess(postmaster.pid, () => isGone, fastShutdownSeconds);
}

/** What kept PostgreSQL from starting. Nothing where it ran and ended, because it says why in its log. */
function causeOf(error: unknown): { code?: string } {
  const cause = error instanceof EmbeddedPostgresError ? error.cause : error;
  return cause === undefined ? {} : { code: codeOf(cause) };
}

/**
 * Starts PostgreSQL again, until it works or `stopping` aborts: at first without a pause, four times, and one time fewer after each early
 * death in a row; then after longer and longer pauses.
 */
async function restart(folder: OpenDataFolder, deaths: number, stopping: AbortSignal) {
  const { onEvent } = folder.setup;
  const withoutPause = 4 - deaths;
  for (let attempt = 1; !stopping.aborted; attempt++) {
    const nth = attempt - withoutPause;
    if (nth > 0) await delay(Math.min(50 * 2 ** nth, 5_000), undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return undefined;
    try {
      await stopOrphans(folder.cluster, folder.setup);
      const next = await launch(folder, stopping);
      onEvent({ name: "started", pid: next.pid });
      return next;
    } catch (error) {
      if (attempt === 1 && !stopping.aborted)
        onEvent({ name: "not-starting", log: folder.log, ...causeOf(error) });
    }
  }
  return undefined;
}
