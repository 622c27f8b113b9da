// Brings data of an older major version over: both servers run side by side, the caller copies from one to the other, and
// a rename puts the new cluster in force. Until that rename the old data is untouched; afterwards it is kept beside.
import { clearUnfinished, createCluster, ownerUrl } from "./cluster.ts";
import { majorOf, swapClusters } from "./cluster-place.ts";
import { type LockedDataFolder, lockDataFolder, makeSocketFolder } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { type Options, setUp } from "./options.ts";
import { launch, type Postmaster, stopOrphans } from "./postmaster.ts";
import { type Programs, programsFor } from "./programs.ts";
import { end } from "./supervise.ts";

export interface Upgrade {
  /** Major versions. */
  from: number;
  to: number;
  /** Where the old cluster is kept. */
  kept: string;
}

/** Copies everything from one database into the other, which is empty. Both addresses are the owner's. */
export type Copy = (from: string, to: string) => Promise<void>;

/**
 * Upgrades the data of `options.dataDir` to the major version of `options.programs`. `oldPrograms` is an installation of
 * the major version that wrote it, the folder that holds `bin`.
 * @throws EmbeddedPostgresError when there is nothing to upgrade, or the programs do not fit; and what `copy` throws. The
 * old data is then in force as before.
 */
export async function upgradeData(options: Options, oldPrograms: string, copy: Copy): Promise<Upgrade> {
  const setup = setUp(options);
  const folder = lockDataFolder(setup);
  const running: Postmaster[] = [];
  const fresh = `${folder.cluster}.new-upgrade`;
  try {
    const { old, programs } = requirePrograms(folder, oldPrograms);
    for (const cluster of [fresh, folder.cluster]) await stopOrphans(cluster, setup);
    clearUnfinished(folder.cluster);
    const sockets = makeSocketFolder(folder, folder.account, setup);
    await createCluster(fresh, folder, programs, folder.account, setup);
    // Both sockets lie in one folder, so the ports tell them apart.
    const beside = { ...setup, settings: { ...setup.settings, port } };
    running.push(await launch({ ...folder, sockets, programs: old }));
    running.push(await launch({ ...folder, sockets, cluster: fresh, programs, setup: beside }));
    const url = ownerUrl(folder, sockets, setup);
    await copy(url, withPort(url));
    // A shutdown writes everything to disk, and only what is on disk may be put in force.
    for (const server of running.splice(0)) await end(server);
    const kept = swapClusters(folder.cluster, fresh);
    return { from: old.major, to: programs.major, kept: kept ?? folder.cluster };
  } finally {
    for (const server of running) await end(server);
    clearUnfinished(folder.cluster);
    folder.close();
  }
}

const port = 5433;

const withPort = (url: string) => url.replace(/\/[^/]*$/, (database) => `:${port}${database}`);

function requirePrograms(
  folder: LockedDataFolder,
  oldPrograms: string,
): { old: Programs; programs: Programs } {
  const { path, account, setup, cluster } = folder;
  const major = majorOf(cluster);
  if (major === undefined) throw new EmbeddedPostgresError(`There is no data in ${path}.`);
  const programs = programsFor(account, path, setup);
  if (major >= programs.major)
    throw new EmbeddedPostgresError(
      `The data in ${path} is PostgreSQL ${major}'s, and this program brings PostgreSQL ${programs.major}: there is nothing to upgrade.`,
    );
  const old = programsFor(account, path, { ...setup, programs: oldPrograms });
  if (old.major !== major)
    throw new EmbeddedPostgresError(
      `The programs in ${oldPrograms} are PostgreSQL ${old.major}, and the data in ${path} needs PostgreSQL ${major}.`,
    );
  return { old, programs };
}
