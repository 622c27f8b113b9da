// Whether the database has room for leads. On a full disk each insert is refused while reading goes on, so a query that reads does not
// show it.
import { isOutOfRoom } from "../database/trouble.ts";
import type { Store } from "./store.ts";

/**
 * Milliseconds for which a server counts as unready after a lead was refused for want of room, unless one is stored meanwhile. It
 * is not unready for ever, because a server that is sent no more leads would never find out that there is room again.
 */
const unreadyFor = 60_000;

/**
 * Wraps a store. `hasRoom` is false for a while after a lead was refused for want of room. `now` is in milliseconds, on a clock that is
 * never set.
 */
export function watchRoom(
  store: Store,
  now: () => number = () => performance.now(),
): { store: Store; hasRoom(): boolean } {
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    store: async (lead, headers) => {
      try {
        await store(lead, headers);
        refusedAt = Number.NEGATIVE_INFINITY;
      } catch (error) {
        if (isOutOfRoom(error)) refusedAt = now();
        throw error;
      }
    },
    hasRoom: () => now() - refusedAt >= unreadyFor,
  };
}
