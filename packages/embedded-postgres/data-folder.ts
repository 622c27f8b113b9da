// The folder that holds the leads: where it is, and that one process alone has it open.
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../../log/log.ts";
import { makeCluster } from "./cluster.ts";
import { lockFolder, lockName } from "./folder-lock.ts";
import {
  type Account,
  accountFor,
  canEnter,
  EmbeddedDatabaseError,
  programsFor,
  systemFolder,
} from "./unprivileged.ts";

/** What lies in a data folder. Only `cluster` and `sockets` belong to the account; the rest is our own user's. */
export interface DataFolder {
  path: string;
  cluster: string;
  log: string;
  password: string;
}

/** A folder that this process alone has open. */
export interface OpenDataFolder extends DataFolder {
  account: Account | undefined;
  postgres: string;
  sockets: string;
  /** Lets another process open it. */
  close(): void;
}

const project = fileURLToPath(new URL("../..", import.meta.url));

/** Where the data is: in the folder that was named, or for root, where PostgreSQL's user could not use that, in one of the system's. */
export function findDataFolder(dataDir: string | undefined): DataFolder {
  const path = placeFor(resolve(dataDir ?? join(project, "data")));
  const real = existsSync(path) ? realpathSync(path) : path;
  const [cluster, log, password] = ["postgresql", "log/postgresql.log", "owner-password"];
  return { path, cluster: join(real, cluster), log: join(real, log), password: join(real, password) };
}

function placeFor(wanted: string): string {
  if (existsSync(wanted) && !statSync(wanted).isDirectory())
    throw new EmbeddedDatabaseError(`The data folder ${wanted} is a file. Name a folder in DATA_DIR.`);
  const account = accountFor(join(wanted, "postgresql"));
  if (!account) return wanted;
  const systems = join(systemFolder, shortHash(wanted), "data");
  const isUsable = canEnter(wanted, account) || (isOurs(wanted) && canEnter(dirname(wanted), account));
  const candidates = isUsable ? [wanted, systems] : [systems];
  // Data is never left behind because somebody changed a parent folder's permissions meanwhile.
  return candidates.find((path) => existsSync(join(path, "postgresql"))) ?? (candidates[0] as string);
}

/** An empty folder named for the data, or one that holds our data already, is ours to open a crack. */
function isOurs(path: string): boolean {
  const entries = existsSync(path) ? readdirSync(path) : undefined;
  return entries !== undefined && (entries.length === 0 || entries.includes(lockName));
}

const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Opens the data folder, and makes it where there is none. @throws EmbeddedDatabaseError when it cannot be used. */
export async function openDataFolder(dataDir: string | undefined): Promise<OpenDataFolder> {
  makePath(findDataFolder(dataDir).path);
  const folder = findDataFolder(dataDir);
  const { path } = folder;
  const account = accountFor(folder.cluster);
  if (account) letIn(account, path);
  const close = lockFolder(path);
  try {
    mkdirSync(dirname(folder.log), { recursive: true, mode: 0o700 });
    const programs = programsFor(account, path);
    await makeCluster(folder, programs, account);
    return {
      ...folder,
      account,
      postgres: programs.postgres,
      sockets: makeSocketFolder(folder, account),
      close,
    };
  } catch (cause) {
    close();
    if (cause instanceof EmbeddedDatabaseError) throw cause;
    throw new EmbeddedDatabaseError(`The data folder ${path} cannot be used (${codeOf(cause)}).`, { cause });
  }
}

/** Every folder on the way that is new is ours alone, but root's lets the account pass through. */
function makePath(path: string) {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    // Not Node's own `recursive`, which never ends where nothing can be made, as below /proc.
    const missing: string[] = [];
    for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at);
    for (const folder of missing) if (mkdirIfNone(folder)) chmodSync(folder, mode);
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The data folder ${path} cannot be made (${codeOf(cause)}). Name another one in DATA_DIR.`,
      { cause },
    );
  }
}

function letIn(account: Account, path: string) {
  if (!canEnter(path, account) && isOurs(path)) chmodSync(path, 0o711);
  if (canEnter(path, account)) return;
  throw new EmbeddedDatabaseError(
    `The data folder ${path} cannot be used: PostgreSQL does not run as root, and the user ${account.name} may not enter this folder. Name another one in DATA_DIR.`,
  );
}

/** The longest path of a socket that every system takes, in bytes. */
const longestSocketPath = 103;

/** A folder only PostgreSQL's user and root may enter: whoever reaches the socket still needs the password. */
function makeSocketFolder({ cluster }: DataFolder, account: Account | undefined): string {
  const beside = join(dirname(cluster), "sockets");
  const isShort = Buffer.byteLength(join(beside, ".s.PGSQL.5432.lock")) <= longestSocketPath;
  const temporary = !account || canEnter(tmpdir(), account) ? tmpdir() : "/tmp";
  const sockets = isShort ? beside : join(temporary, `sponsored-article-${shortHash(cluster)}`);
  const isOurs = mkdirIfNone(sockets) || isShort;
  if (isOurs) chmodSync(sockets, 0o700);
  if (isOurs && account) chownSync(sockets, account.uid, account.gid);
  // In a folder that anyone may write to, the name proves nothing.
  const found = lstatSync(sockets);
  const isPrivate = found.isDirectory() && (found.mode & 0o777) === 0o700;
  if (isPrivate && found.uid === (account?.uid ?? process.getuid?.())) return sockets;
  throw new EmbeddedDatabaseError(
    `${sockets} is not a private folder of PostgreSQL's user. Remove it and start again.`,
  );
}

function mkdirIfNone(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
