// What a caller may say about an embedded PostgreSQL, and what holds where it says nothing.
import { join, resolve } from "node:path";

export interface Options {
  /** The folder that holds the data. It is made when there is none. */
  dataDir: string;
  /**
   * The name of the program whose PostgreSQL this is, at most 40 of [a-z0-9-]. It stands in the default of `systemDir`, and in the
   * sockets' folder where the usual path is too long. By default `embedded-postgres`.
   */
  name?: string;
  /** The role that owns the database, a superuser. By default `owner`. */
  owner?: string;
  /** The database that is created with the cluster. By default `app`. */
  database?: string;
  /** Where root keeps what PostgreSQL's user cannot reach elsewhere. By default `/var/lib/NAME`. */
  systemDir?: string;
  /** An installation of PostgreSQL, the folder that holds `bin`. By default the one of `@embedded-postgres/*`. */
  programs?: string;
  /** Settings of the server, beside those that this package holds (see `postmaster.ts`). */
  settings?: Readonly<Record<string, string | number>>;
  /** How large PostgreSQL's log becomes before it is rotated, in bytes; one older file is kept. By default 10 MB. */
  maxLogBytes?: number;
  /** Is called with what happens. An event holds paths, process ids and exit codes, no personal data. */
  onEvent?: (event: PostgresEvent) => void;
  /** What the messages of errors advise, in the caller's words. */
  advice?: Partial<Advice>;
}

export type PostgresEvent =
  /** `isInSystemDir`: the data is below `systemDir`, because PostgreSQL's user cannot use `dataDir`, or could not when the data was made. */
  | { name: "starting"; folder: string; isInSystemDir: boolean }
  | { name: "started"; pid: number }
  /** PostgreSQL ended without being stopped. It is started again. */
  | { name: "exited"; code: number | null; signal: string | null }
  /**
   * PostgreSQL does not start. `code` names the error that kept it from starting, such as ENOENT where its programs are gone. Without a
   * `code` it ran and ended, and says why at the end of `log`. Told once, however often a start is tried.
   */
  | { name: "not-starting"; log: string; code?: string }
  | { name: "orphan-stopped"; pid: number }
  | { name: "orphan-adopted"; pid: number };

export interface Advice {
  /** What to do when the folder cannot be used, as in "..., or name another folder in dataDir". */
  otherFolder: string;
  /** What to do when PostgreSQL cannot run on this machine. */
  ownServer: string;
  /** What to do when the data was written by an older major version. */
  upgrade: string;
}

/** Options with nothing left open. */
export type Setup = Required<Omit<Options, "programs">> & { programs: string | undefined; advice: Advice };

const defaultAdvice: Advice = {
  otherFolder: "name another folder in dataDir",
  ownServer: "use a PostgreSQL server of your own",
  upgrade: "bring the data over with upgradeData",
};

/** Fills in what a caller leaves open. @throws TypeError when a name would not be safe in a path or SQL. */
export function setUp(options: Options): Setup {
  const { name = "embedded-postgres", owner = "owner", database = "app" } = options;
  if (!/^[a-z0-9-]{1,40}$/.test(name)) throw new TypeError("name must be at most 40 of [a-z0-9-].");
  for (const word of [owner, database]) {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(word)) throw new TypeError("owner and database must be plain names.");
    if (/^(pg_|postgres$|template[01]$)/.test(word))
      throw new TypeError("owner and database must be other names than PostgreSQL's own.");
  }
  return {
    name,
    owner,
    database,
    dataDir: resolve(options.dataDir),
    systemDir: resolve(options.systemDir ?? join("/var/lib", name)),
    programs: options.programs === undefined ? undefined : resolve(options.programs),
    settings: options.settings ?? {},
    maxLogBytes: options.maxLogBytes ?? 10_000_000,
    onEvent: options.onEvent ?? (() => {}),
    advice: { ...defaultAdvice, ...options.advice },
  };
}
