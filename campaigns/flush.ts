// Moves the counts from memory to the database every few seconds and at the end, as one statement. While the database is
// unreachable the counts wait in memory, which is bounded (counters.ts). Counts are dropped where they may have been added already, where the
// database refuses them, and where it is unreachable at the end; the log says how many.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { NoWritableServer } from "../database/several-servers.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import type { Batch, Counters } from "./counters.ts";

export interface Flushing {
  /** Writes what was counted until now, after a write that is under way. Never rejects. */
  flush(): Promise<void>;
  /** Writes the rest, and no more after that. Takes at most seven seconds: the write under way, the last one, and closing. */
  stop(): Promise<void>;
}

/**
 * The pool that the counts are written with. It gives up a connect after 2 s, before the query times out, because then it is certain that nothing
 * was added.
 */
export const countsPool = { max: 1, name: "leads counts", connectTimeout: 2 };

/** Both in milliseconds. A process that is killed loses the counts of about one period, or of an outage of the database. */
const period = 3_000;
const queryTimeout = 3_000;

/** Begins to move the counts. `database` must be a connection of its own, so that no lead waits behind a count. With `every` 0 the caller flushes. */
export function startFlushing(
  counters: Counters,
  database: ResilientConnection,
  log: Log,
  every = period,
): Flushing {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    const batch = counters.take();
    if (!batch) return;
    try {
      await database.query((sql) => addCounts(sql, batch), queryTimeout);
    } catch (error) {
      if (!isDatabaseTrouble(error)) logBug(log, error);
      if (isDatabaseTrouble(error) && isCertainlyNotAdded(error)) giveBack(counters, batch);
      else log("counts-lost", { count: sumOf(batch), code: codeOf(error) });
    }
  };
  const flush = (): Promise<void> => {
    if (!underWay) {
      underWay = write().finally(() => {
        underWay = undefined;
      });
      return underWay;
    }
    // A write under way took its batch when it began, so what came since needs another one, which all who ask meanwhile share.
    next ??= underWay.then(() => {
      next = undefined;
      return flush();
    });
    return next;
  };
  const timer = every > 0 ? setInterval(flush, every) : undefined;
  timer?.unref();

  return {
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
      const rest = counters.take();
      if (rest) log("counts-lost", { count: sumOf(rest) });
      await database.end();
    },
  };
}

/** Adds a batch with the one function that the web process may call for counts. */
const addCounts = (
  sql: Parameters<Parameters<ResilientConnection["query"]>[0]>[0],
  { pages, vitals }: Batch,
) =>
  sql`select private.add_counts(${JSON.stringify(pages)}::text::json, ${JSON.stringify(vitals)}::text::json)`;

// An error with a severity comes from the server, which has then undone the statement. 57P01 and 57P02 are exceptions, because a shutdown
// may cut off a statement that is committed and waits for a standby; so are PgBouncer's own errors when it loses or drops the server. Errors of
// connecting and NoWritableServer occur before anything is sent. After all other errors it is not known whether the counts were added,
// and to count twice is worse than to lose some seconds.
const isCertainlyNotAdded = (error: unknown): boolean =>
  (error instanceof Error && "severity" in error && !mayComeAfterCommit(error)) ||
  error instanceof NoWritableServer ||
  isOfConnecting(error);

const mayComeAfterCommit = (error: Error): boolean =>
  ["57P01", "57P02"].includes(codeOf(error)) ||
  /^(server conn crashed|query timeout|transaction timeout|database removed)/.test(error.message);

/** Whether an error occurred before a connection was there: Node names the call, or gives an error for each address that it tried. */
function isOfConnecting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOfConnecting);
  const { syscall } = error as { syscall?: unknown };
  return codeOf(error) === "CONNECT_TIMEOUT" || syscall === "connect" || syscall === "getaddrinfo";
}

function giveBack(counters: Counters, { pages, vitals }: Batch): void {
  for (const { n, ...count } of pages) counters.addPage(count, n);
  for (const { n, ...count } of vitals) counters.addVital(count, n);
}

const sumOf = ({ pages, vitals }: Batch): number => [...pages, ...vitals].reduce((sum, { n }) => sum + n, 0);
