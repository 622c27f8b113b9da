// Transactions that PostgreSQL rolled back because of another one, which ran at the same moment. They have changed nothing, and succeed when
// they run again.
import postgres from "postgres";
import { codeOf } from "../log/log.ts";

/**
 * Whether PostgreSQL rolled a transaction back to end a deadlock (SQLSTATE deadlock_detected): two transactions each waited for a row of the
 * other.
 */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === "40P01";

/**
 * Whether PostgreSQL rolled a transaction back because another one changed the same role at that moment. It reports that as an internal
 * error (XX000, "tuple concurrently updated"), which is told from others by the routine that raised it.
 */
export const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && /^simple_heap_(update|delete)$/.test(error.routine ?? "");

/** Runs a whole transaction, or a statement outside of one, and again when a deadlock rolled it back: `attempts` times in all at most. */
export const retryDeadlock = <Result>(run: () => Promise<Result>, attempts = 3): Promise<Result> =>
  retryWhere(isDeadlock, run, attempts);

/** Runs a whole transaction, and again when it fails with a transient error: `attempts` times in all at most. */
export async function retryWhere<Result>(
  isTransient: (error: unknown) => boolean,
  run: () => Promise<Result>,
  attempts: number,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (attempts === 1 || !isTransient(error)) throw error;
    return retryWhere(isTransient, run, attempts - 1);
  }
}
