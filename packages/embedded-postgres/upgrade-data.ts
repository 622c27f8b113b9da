// Brings data of an older major version over: both servers run side by side, the caller copies from one to the other, and
// a rename puts the new cluster in the place of the old one. Until that rename the old data is untouched; afterwards it stays beside it.
import { clearUnfinished, createCluster, ownerUrl, requirePassword } from "./cluster.ts";
import { majorOf, swapClusters } from "./cluster-place.ts";
import { type LockedDataFolder, lockDataFolder, makeSocketFolder } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { type Options, setUp } from "./options.ts";
import { launch, type Postmaster, stopOrphans } from "./postmaster.ts";
import { programsFor } from "./programs.ts";
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
 * old data then stays in its place, and can be used as before.
 */
export async function upgradeData(options: Options, steps: UpgradeSteps): Promise<Upgrade> {
  const setup = setUp(options);
  const folder = lockDataFolder(setup);
  const { path, account, cluster } = folder;
  const running: Postmaster[] = [];
  const fresh = `${cluster}.new-upgrade`;
  try {
    const programs = programsFor(account, path, setup);
    const from = requireOlder(folder, programs.major);
    requirePassword(folder);
    const old = programsFor(account, path, { ...setup, programs: await steps.findPrograms(from) });
    if (old.major !== from)
      throw new EmbeddedPostgresError(
        `The programs in ${old.postgres} are PostgreSQL ${old.major}, and the data in ${path} needs PostgreSQL ${from}.`,
      );
    for (const one of [fresh, cluster]) await stopOrphans(one, setup);
    clearUnfinished(cluster);
    const sockets = makeSocketFolder(folder, account, setup);
    await createCluster(fresh, folder, programs, account, setup);
    running.push(await launch({ ...folder, sockets, programs: old }));
    running.push(await launch({ ...folder, sockets, cluster: fresh, programs, port }));
    const url = ownerUrl(folder, sockets, setup);
    await steps.copy(url, withPort(url));
    // A shutdown writes everything to disk, and only a cluster that is on disk may take the place of the old one.
    for (const server of running.splice(0)) await end(server);
    return { from, to: programs.major, kept: swapClusters(cluster, fresh) ?? cluster };
  } finally {
    for (const server of running) await end(server);
    clearUnfinished(cluster);
    folder.close();
  }
}

/** The new server's port: it names its socket, so that both servers can share the folder of the sockets. */
const port = 5433;

const withPort = (url: string) => url.replace(/\/[^/]*$/, (database) => `:${port}${database}`);

function requireOlder({ path, cluster }: LockedDataFolder, major: number): number {
  const from = majorOf(cluster);
  if (from === undefined) throw new EmbeddedPostgresError(`There is no data in ${path}.`);
  if (from < major) return from;
  throw new EmbeddedPostgresError(
    `The data in ${path} is PostgreSQL ${from}'s, and this program brings PostgreSQL ${major}: there is nothing to upgrade.`,
  );
}
