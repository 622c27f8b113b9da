// Two transactions that each wait for a row of the other are a deadlock. PostgreSQL ends it after a second by rolling one of them back.
import { codeOf } from "../log/log.ts";

/** Whether PostgreSQL rolled a transaction back to end a deadlock (SQLSTATE deadlock_detected). That transaction has changed nothing. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === "40P01";

/** Runs a whole transaction, or a statement outside of one, and again when a deadlock rolled it back: three times in all at most. */
export async function retryDeadlock<Result>(run: () => Promise<Result>, attempts = 3): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (attempts === 1 || !isDeadlock(error)) throw error;
    return retryDeadlock(run, attempts - 1);
  }
}
