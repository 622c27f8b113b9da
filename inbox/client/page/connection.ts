// Whether the server can be reached, as the calls and the event stream find it.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

export type Connection =
  | "connected"
  /** The server does not answer. */
  | "offline"
  /** The server answers, and its database does not. */
  | "database unreachable";

const byCalls = makeSharedValue<Connection>(() => "connected");
const byStream = makeSharedValue<Connection>(() => "connected");

/** When the call was begun that has found what is shown. */
let foundByCallOf = Number.NEGATIVE_INFINITY;

/**
 * What a call has found that was begun at that moment of `performance.now()`. An earlier call says nothing more: it may be given up long
 * after later ones were answered, and its answer may have been here, unread, before the network dropped.
 */
export function noteCall(found: Connection, begunAt: number): void {
  if (begunAt < foundByCallOf) return;
  foundByCallOf = begunAt;
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
