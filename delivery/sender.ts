// Sends the messages of one channel under its circuit breaker: how many may be under way at once, and when none may be.
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import type { Channel, Outcome } from "./channels/channel.ts";
import { makeCircuitBreaker } from "./circuit-breaker.ts";
import type { Clock } from "./clock.ts";
import type { Delivery } from "./delivery.ts";

export interface SenderDependencies {
  log: Log;
  clock: Clock;
  /** Called when the circuit breaker closes. */
  onRecovered: () => void;
}

export interface Sender {
  /** How many messages may be under way at once. */
  concurrency(): number;
  /** Whether no message may be sent now. */
  isPaused(): boolean;
  /** Sends one message. Never throws. */
  send(deliveries: [Delivery, ...Delivery[]]): Promise<Outcome>;
  /** Aborts the messages under way. */
  abort(): void;
  isAborted(): boolean;
}

export function makeSender(channel: Channel, { log, clock, onRecovered }: SenderDependencies): Sender {
  const breaker = makeCircuitBreaker(clock);
  const aborting = new AbortController();

  function recordOutcome(outcome: Outcome, count: number): void {
    if (outcome.kind === "transient" && aborting.signal.aborted) return;
    // A message with fewer leads may pass, so the channel is not at fault.
    if ("mayPassDivided" in outcome && outcome.mayPassDivided && count > 1) return;
    const change = breaker.recordOutcome(outcome);
    if (change === "opened" && "reason" in outcome)
      log("channel-down", { channel: channel.name, reason: outcome.reason });
    if (change !== "closed") return;
    log("channel-up", { channel: channel.name });
    onRecovered();
  }

  return {
    // While the breaker is open, one message at a time tries whether the receiver is back.
    concurrency: () => (breaker.isOpen() ? 1 : channel.concurrency),
    isPaused: breaker.isPaused,
    async send(deliveries) {
      const outcome = await sendSafely(channel, deliveries, aborting.signal, log);
      recordOutcome(outcome, deliveries.length);
      return outcome;
    },
    abort: () => aborting.abort(),
    isAborted: () => aborting.signal.aborted,
  };
}

/** A channel returns every failure as an outcome. One that throws has a bug, which is logged, and its deliveries are tried again. */
export async function sendSafely(
  channel: Channel,
  deliveries: [Delivery, ...Delivery[]],
  signal: AbortSignal,
  log: Log,
): Promise<Outcome> {
  try {
    return await channel.send(deliveries, signal);
  } catch (error) {
    logBug(log, error);
    return { kind: "transient", reason: `a bug of this program (${codeOf(error)})` };
  }
}
