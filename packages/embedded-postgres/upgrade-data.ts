// Brings data of an older major version over: both servers run side by side, the caller copies from one to the other, and
// a rename puts the new cluster in the place of the old one. Until that rename the old data is untouched; afterwards it is
// kept beside the new.
import { dirname, join } from "node:path";
import { clearUnfinished, createCluster, giveTo, ownerUrl, requirePassword } from "./cluster.ts";
import { holdsData, majorOf, swapClusters, upgradePlace } from "./cluster-place.ts";
import {
  findDataFolder,
  inWords,
  type LockedDataFolder,
  lockDataFolder,
  makeSocketFolder,
} from "./data-folder.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { type Options, setUp } from "./options.ts";
import { launch, type Postmaster, stopOrphans } from "./postmaster.ts";
import { type Programs, programsFor } from "./programs.ts";
import { end } from "./supervise.ts";

/** What the caller does for an upgrade. */
export interface UpgradeSteps {
  /** Returns an installation of this major version, the folder that holds `bin`. */
  findPrograms(major: number): Promise<string>;
  /** Copies everything from one database into the other, which is empty. Both addresses are the owner's. */
  copy(from: string, to: string): Promise<void>;
}

export interface Upgrade {
  /** Major versions. */
  from: number;
  to: number;
  /** Where the old cluster is kept. */
  kept: string;
}

/**
 * Upgrades the data of `options.dataDir` to the major version of `options.programs`.
 * @throws EmbeddedPostgresError when there is nothing to upgrade, the password is missing, or the programs do not fit; and what the steps throw. The
 * old data then stays in its place, and can be used as before. Only where the disk fails between the last renames does the next start finish the
 * upgrade.
 */
export async function upgradeData(options: Options, steps: UpgradeSteps): Promise<Upgrade> {
  const setup = setUp(options);
  const found = findDataFolder(setup);
  if (!holdsData(found.cluster)) throw noData(found.path);
  const folder = lockDataFolder(setup);
  const running: Postmaster[] = [];
  const explain = (cause: unknown) => {
    throw inWords(cause, folder.path, setup);
  };
  try {
    const both = await choosePrograms(folder, steps);
    const sockets = await startBoth(folder, both, running).catch(explain);
    const url = ownerUrl(folder, sockets, setup);
    await steps.copy(withPort(url, ports.old), withPort(url, ports.fresh));
    const kept = await putInPlace(folder, running).catch(explain);
    return { from: both.old.major, to: both.programs.major, kept };
  } finally {
    await cleanUp(folder, running);
  }
}

interface BothPrograms {
  programs: Programs;
  old: Programs;
}

async function choosePrograms(folder: LockedDataFolder, steps: UpgradeSteps): Promise<BothPrograms> {
  const { path, account, setup } = folder;
  const programs = programsFor(account, path, setup);
  const from = requireOlder(folder, programs.major);
  requirePassword(folder);
  const old = programsFor(account, path, { ...setup, programs: await steps.findPrograms(from) });
  if (old.major === from) return { programs, old };
  throw new EmbeddedPostgresError(
    `The programs in ${dirname(old.postgres)} are PostgreSQL ${old.major}, and the data in ${path} needs PostgreSQL ${from}.`,
  );
}

/** Ends what an earlier upgrade left, makes a new cluster, starts the old server and one on the new cluster, adds them to `running` in this order, and returns where their sockets are. */
async function startBoth(
  folder: LockedDataFolder,
  { programs, old }: BothPrograms,
  running: Postmaster[],
): Promise<string> {
  const { account, cluster, setup } = folder;
  const fresh = upgradePlace(folder.cluster);
  for (const one of [fresh, cluster]) await stopOrphans(one, setup);
  clearUnfinished(cluster);
  giveTo(account, cluster);
  const sockets = makeSocketFolder(folder, account, setup);
  await createCluster(fresh, folder, programs, account, setup);
  running.push(await launch({ ...folder, sockets, programs: old, port: ports.old }));
  running.push(await launch({ ...folder, sockets, cluster: fresh, programs, port: ports.fresh }));
  return sockets;
}

/** Seconds that a shutdown may take to write everything to disk. */
const shutdownGrace = 120;

/** Ends both servers and swaps the clusters. A shutdown that was clean has written everything to disk. */
async function putInPlace(folder: LockedDataFolder, running: Postmaster[]): Promise<string> {
  const ends = running.map(({ exited }) => exited);
  await endAll(running, shutdownGrace);
  const how = await ends.at(-1);
  if (how?.code !== 0)
    throw new EmbeddedPostgresError(
      `The new PostgreSQL did not shut down as it should, so the old data stays in use. It says why at the end of ${folder.log}.`,
    );
  const kept = swapClusters(folder.cluster, upgradePlace(folder.cluster));
  if (!kept) throw new Error("The old cluster has no version.");
  return kept;
}

/** A server that cannot be ended stays in the list. */
async function endAll(running: Postmaster[], seconds?: number): Promise<void> {
  for (let [server] = running; server; [server] = running) {
    await end(server, seconds);
    running.shift();
  }
}

/** Removes what an upgrade that failed has made, unless a server still runs on it. */
async function cleanUp(folder: LockedDataFolder, running: Postmaster[]): Promise<void> {
  try {
    await endAll(running);
    clearUnfinished(folder.cluster);
  } finally {
    folder.close();
  }
}

/**
 * The servers' ports, which name their sockets, so that both can share a folder. Neither is the usual one, because another program that
 * found the old server would write data that the copy lacks.
 */
const ports = { old: 5434, fresh: 5433 };

const withPort = (url: string, port: number) => url.replace(/\/[^/]*$/, (database) => `:${port}${database}`);

function requireOlder({ path, cluster }: LockedDataFolder, major: number): number {
  const from = majorOf(cluster);
  if (from === undefined || Number.isNaN(from))
    throw new EmbeddedPostgresError(
      `${join(cluster, "PG_VERSION")} is ${from === undefined ? "missing" : "empty"}, so nobody knows of which PostgreSQL the data is. If it is a copy, make it anew.`,
    );
  if (from < major) return from;
  const what = `The data in ${path} is PostgreSQL ${from}'s, and this program brings PostgreSQL ${major}`;
  throw new EmbeddedPostgresError(
    from === major
      ? `${what}: there is nothing to upgrade.`
      : `${what}. Use the version of the program that wrote the data.`,
  );
}

const noData = (path: string) => new EmbeddedPostgresError(`There is no data in ${path}.`);
