// What two do at the same moment: one in a transaction that is not committed, the other waits for it.
import { expect } from "vitest";
import type { Sql } from "../../database/connect.ts";
import { sessionsWaitingForLocks } from "./database.ts";
import type { TestMember } from "./inbox.ts";

/** Runs `act` in a transaction, begins `meanwhile`, commits once that waits for a lock, and returns the answer of `meanwhile`. */
export async function whileUncommitted<T>(
  owner: Sql,
  act: (tx: Sql) => Promise<unknown>,
  meanwhile: () => Promise<T>,
): Promise<T> {
  const { answer } = await owner.begin(async (tx) => {
    await act(tx as unknown as Sql);
    const answer = meanwhile();
    await expect.poll(() => sessionsWaitingForLocks(owner)).toHaveLength(1);
    // In an object, because this transaction would wait for the promise itself.
    return { answer };
  });
  return answer;
}

/** Does what follows in a transaction as that member. */
export const asMember = async (tx: Sql, member: TestMember) =>
  tx`select set_config('leads.session', ${member.cookie.replace("session=", "")}, true)`;
