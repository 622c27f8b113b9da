// What a channel is: one way the team hears of leads. Each has a file of its own; the worker knows them only by this.
import type { Delivery } from "../delivery.ts";

export interface Channel {
  name: Delivery["channel"];
  /** How many deliveries one message may carry. */
  batch: number;
  /** How many messages may be under way at once. */
  concurrency: number;
  /** Seconds the channel rests after a message, so that what comes meanwhile goes into the next one. */
  rest: number;
  /** Sends one message. Everything that can go wrong out there is an outcome, never thrown. */
  send(deliveries: readonly [Delivery, ...Delivery[]], stop: AbortSignal): Promise<Outcome>;
}

/** `reason` is a short text of our own: never a word of another program, which may quote a lead. */
export type Outcome =
  | { kind: "delivered" }
  | {
      kind: "not now";
      reason: string;
      /** Seconds the receiver asked us to wait. */
      askedToWait?: number | undefined;
    }
  | { kind: "never"; reason: string };

/** How the reason ends when a receiver asked us to wait: such a delivery is not hastened. */
export const askedToWait = "asked to wait";
