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

/** What a call has found. */
export const noteCall = (found: Connection): void => byCalls.set(found);
/** What the event stream has found. */
export const noteStream = (found: Connection): void => byStream.set(found);

export function useConnection(): Connection {
  const [calls, stream] = [useSharedValue(byCalls), useSharedValue(byStream)];
  return calls === "connected" ? stream : calls;
}

/** Whether the last call was answered. */
export const isAnswered = (): boolean => byCalls.get() === "connected";
