// PostgreSQL as a child process: started on a data folder, started again when it dies, and stopped with its parent. After
// any kill, of the server, the parent or both, the next start needs no help.
import { ownerUrl, requirePassword } from "./cluster.ts";
import { holdsData, upgradePlace } from "./cluster-place.ts";
import { findDataFolder, inWords, lockDataFolder, openDataFolder } from "./data-folder.ts";
import { codeOf, EmbeddedPostgresError } from "./error.ts";
import { rotateLog } from "./log-rotation.ts";
import { type Options, setUp } from "./options.ts";
import { adoptOrphan, findPostmaster, launch, stopOrphans, usualPort } from "./postmaster.ts";
import { waitUntil } from "./processes.ts";
import { type RunningPostgres, supervise } from "./supervise.ts";

export { EmbeddedPostgresError, type Options, type RunningPostgres };

export interface StartOptions extends Options {
  /**
   * Where data is held already and PostgreSQL does not start, as on a full disk: return all the same, and try again until
   * it does. By default that is an error.
   */
  retry?: boolean;
  /** What to do with a server that an earlier run left: `stop` it (the default), or `adopt` it when it runs as this one would. */
  orphan?: "stop" | "adopt";
  /** Ends a PostgreSQL that is starting; `startPostgres` then rejects. */
  cancel?: AbortSignal;
}

/** Starts PostgreSQL on a data folder. @throws EmbeddedPostgresError, in words for the person who started us. */
export async function startPostgres(options: StartOptions): Promise<RunningPostgres> {
  const setup = setUp(options);
  const hadData = holdsData(findDataFolder(setup).cluster);
  const folder = await openDataFolder(setup);
  try {
    const isInSystemDir = folder.path !== setup.dataDir;
    setup.onEvent({ name: "starting", folder: folder.path, isInSystemDir });
    rotateLog(folder.log, setup.maxLogBytes);
    const adopted = options.orphan === "adopt" ? adoptOrphan(folder) : undefined;
    if (adopted) return supervise(folder, adopted);
    await stopOrphans(folder.cluster, setup);
    const first = await launch(folder, options.cancel).catch((error) => {
      if (!hadData || !options.retry || options.cancel?.aborted) throw error;
      return undefined;
    });
    if (first) setup.onEvent({ name: "started", pid: first.pid });
    return supervise(folder, first);
  } catch (error) {
    folder.close();
    throw inWords(error, folder.path, setup);
  }
}

/**
 * The owner's address on the server that runs on this data folder, whichever process started it; undefined when none answers there, and while
 * the data is being upgraded.
 * @throws EmbeddedPostgresError when the folder cannot be read.
 */
export async function findRunning(options: Options): Promise<string | undefined> {
  const setup = setUp(options);
  const folder = findDataFolder(setup);
  try {
    let running: ReturnType<typeof findPostmaster>;
    // Waits up to 5 s, because a server that is starting is soon ready, and one that is stopping is soon gone.
    await waitUntil(() => {
      running = findPostmaster(folder.cluster);
      return running === undefined || running.isReady;
    }, 5);
    if (!running?.isReady || running.port !== usualPort) return undefined;
    requirePassword(folder);
    return ownerUrl(folder, running.sockets, setup);
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw new EmbeddedPostgresError(
      `The data folder ${folder.path} cannot be read (${codeOf(cause)}). Run this as the user who started the server.`,
      { cause },
    );
  }
}

/**
 * Stops a server that an earlier run left on the data folder, and returns whether there was one.
 * @throws EmbeddedPostgresError when a process supervises it now.
 */
export async function stopOrphan(options: Options): Promise<boolean> {
  const setup = setUp(options);
  if (!holdsData(findDataFolder(setup).cluster)) return false;
  const folder = lockDataFolder(setup);
  try {
    // An upgrade that was broken off may have left its new server.
    await stopOrphans(upgradePlace(folder.cluster), setup);
    return await stopOrphans(folder.cluster, setup);
  } finally {
    folder.close();
  }
}
