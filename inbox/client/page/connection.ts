// Whether the server can be reached, as the calls and the event stream find it.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

export type Connection =
  | "connected"
  /** The server does not answer. */
  | "offline"
  /** The server answers that its database does not, or a proxy that it cannot reach the server. */
  | "database unreachable";

const byCalls = makeSharedValue<Connection>(() => "connected");
const byStream = makeSharedValue<Connection>(() => "connected");

/** When the call began whose result `byCalls` holds, in milliseconds of `performance.now()`. */
let latestCallBegunAt = Number.NEGATIVE_INFINITY;

/**
 * Records what a call has found. It began at `begunAt` (`performance.now()`). Ignores a call that began before the one recorded last,
 * because it may be given up, or its answer read, long after later calls were answered.
 */
export function noteCall(found: Connection, begunAt: number): void {
  if (begunAt < latestCallBegunAt) return;
  latestCallBegunAt = begunAt;
  byCalls.set(found);
}

/** What the event stream has found. */
export const noteStream = (found: Connection): void => byStream.set(found);

export function useConnection(): Connection {
  const [calls, stream] = [useSharedValue(byCalls), useSharedValue(byStream)];
  return calls === "connected" ? stream : calls;
}

/** Whether the server and its database have answered the last call. */
export const isAnswered = (): boolean => byCalls.get() === "connected";
