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

/** When a call was last answered. */
let answeredAt = Number.NEGATIVE_INFINITY;

/** What a call has found. */
export function noteCall(found: Connection): void {
  if (found === "connected") answeredAt = Date.now();
  byCalls.set(found);
}

/** What the event stream has found. */
export const noteStream = (found: Connection): void => byStream.set(found);

export function useConnection(): Connection {
  const [calls, stream] = [useSharedValue(byCalls), useSharedValue(byStream)];
  return calls === "connected" ? stream : calls;
}

/** Milliseconds. A page that is not on screen asks once a minute at least, and a machine that sleeps not at all. */
const maxSilence = 120_000;

/** Whether the last call was answered, and not long ago. */
export const isAnswered = (): boolean =>
  byCalls.get() === "connected" && Date.now() - answeredAt < maxSilence;
