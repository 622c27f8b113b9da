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

/** When the latest of the calls that were answered was begun. */
let answeredBegunAt = Number.NEGATIVE_INFINITY;

/** What a call has found that was begun at that moment of `performance.now()`. */
export function noteCall(found: Connection, begunAt: number): void {
  // One that hangs is given up long after it was begun, when later ones may have been answered.
  if (found === "offline" && begunAt < answeredBegunAt) return;
  if (found !== "offline") answeredBegunAt = Math.max(answeredBegunAt, begunAt);
  byCalls.set(found);
}

/** What the event stream has found. */
export const noteStream = (found: Connection): void => byStream.set(found);

export function useConnection(): Connection {
  const [calls, stream] = [useSharedValue(byCalls), useSharedValue(byStream)];
  return calls === "connected" ? stream : calls;
}

/** Whether the last call was answered. */
export const isAnswered = (): boolean => byCalls.get() === "connected";
