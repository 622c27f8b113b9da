// The circuit breaker of a channel: opens after several failures in a row, so that a receiver that is down gets one
// message now and then, and closes with the first message that the receiver accepts. A permanent refusal does not close it, because all
// waiting deliveries are sent when it closes, and a host that refuses everything during an outage would make all of them fail for good.
// A refusal of what one message says opens it too, because the receiver may refuse all. It pauses nothing, because the receiver answers,
// and other leads would wait for each one that is refused.
import type { Outcome } from "./channels/channel.ts";
import type { Clock } from "./clock.ts";

/** The number of failures in a row that count as an outage of the channel; fewer may be the fault of a single delivery. */
const failuresToOpen = 3;

export interface CircuitBreaker {
  isOpen(): boolean;
  /** Whether nothing may be sent at this moment. */
  isPaused(): boolean;
  /** Records the outcome of a message. Returns whether that opened or closed the breaker. */
  recordOutcome(outcome: Outcome): "opened" | "closed" | undefined;
}

/** Makes a breaker that is closed. */
export function makeCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let pausedUntil = 0;
  // Until when the receiver itself asked for the pause.
  let askedUntil = 0;
  const isOpen = () => failures >= failuresToOpen;
  const isPaused = () => clock() < pausedUntil;

  return {
    isOpen,
    isPaused,
    recordOutcome(outcome) {
      const [wasOpen, wasPaused] = [isOpen(), isPaused()];
      if ("isRefusedContent" in outcome && outcome.isRefusedContent) {
        failures = Math.max(failures, Math.min(failures + 1, failuresToOpen));
        return isOpen() && !wasOpen ? "opened" : undefined;
      }
      if (outcome.kind === "permanent") {
        if (wasOpen) pausedUntil = Math.max(pausedUntil, clock() + 1000 * pauseAfter(failures));
        else failures = 0;
        return undefined;
      }
      if (outcome.kind === "delivered") {
        failures = 0;
        // A message that was under way when the receiver asked for a pause does not end that pause.
        pausedUntil = askedUntil;
        return wasOpen ? "closed" : undefined;
      }
      askedUntil = Math.max(
        askedUntil,
        clock() + 1000 * Math.min(outcome.askedToWait ?? 0, longestAskedPause),
      );
      pausedUntil = Math.max(pausedUntil, askedUntil);
      // A message that fails during the pause was sent before it, so it is not counted.
      if (wasPaused) return undefined;
      failures += 1;
      pausedUntil = Math.max(pausedUntil, clock() + 1000 * pauseAfter(failures));
      return failures === failuresToOpen ? "opened" : undefined;
    },
  };
}

/** Seconds the channel pauses while the breaker is open; each delivery has its own wait besides. */
const pauseAfter = (failures: number) =>
  failures < failuresToOpen ? 0 : Math.min(2 ** (failures - failuresToOpen), 30);

/** Seconds the channel pauses at most because the receiver asks. The delivery itself waits as long as was asked. */
const longestAskedPause = 60;
