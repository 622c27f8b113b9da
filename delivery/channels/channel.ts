// What a channel is: a way to notify the team of leads. Each has a file of its own; the dispatcher uses nothing but this interface.
import type { ChannelSettings } from "../../config/config.ts";
import type { Log } from "../../log/log.ts";
import type { Delivery } from "../delivery.ts";

/** A channel that is set up. */
export interface Channel extends Transport {
  /** The name of its definition. */
  name: string;
}

/** How a channel sends. Messages that people read carry many deliveries and come one at a time, with a pause between (decision 022). */
export interface Transport {
  /** How many deliveries one message may carry. */
  batch: number;
  /** How many messages may be under way at once. */
  concurrency: number;
  /** Seconds from a claim to the next, so that what comes meanwhile goes into one message. None after a claim of a full batch. */
  cooldown: number;
  /** Sends one message. Everything that can go wrong outside this program is an outcome, never thrown. */
  send(deliveries: readonly [Delivery, ...Delivery[]], stop: AbortSignal): Promise<Outcome>;
}

/** What a channel's file offers to the registry. */
export interface ChannelDefinition {
  /** Its name in the database and in the log. */
  name: string;
  /** The setting that messages tell an operator to set. Where the channel needs others besides, the next start names them (jointRules). */
  setting: keyof ChannelSettings;
  /** Makes what sends, or nothing when the operator has not set the channel up. */
  make(settings: ChannelSettings, context: ChannelContext): Transport | undefined;
}

/** What every channel is given. */
export interface ChannelContext {
  log: Log;
  /** The address of a lead in the team's inbox, or nothing when the inbox is off. It holds no personal word. */
  linkTo: (leadId: string) => string | undefined;
}

/**
 * What came of a message. `reason` is a short text of our own and never a word of another program, which may quote a lead.
 * A transient failure is tried again later; a permanent one needs the team.
 */
export type Outcome =
  | { kind: "delivered" }
  | {
      kind: "transient" | "permanent";
      reason: string;
      /** Seconds the receiver asked us to wait. */
      askedToWait?: number | undefined;
      /** Whether the receiver may take a message with fewer deliveries: this one is too large, or one lead in it may be why it is refused. */
      mayPassDivided?: boolean | undefined;
      /** Whether the receiver refuses what this message says, as a visitor typed it, and probably takes others. */
      isRefusedContent?: boolean | undefined;
    };
