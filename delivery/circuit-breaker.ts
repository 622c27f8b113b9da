// What a lane remembers of its channel's failures: whether the channel is down, and until when it is left in peace.
import type { Outcome } from "./channels/channel.ts";

/** So many failures in a row are an outage of the channel, and not one delivery that it dislikes. */
const failuresOfAnOutage = 3;

export interface Outage {
  isDown(): boolean;
  /** The channel is to be asked for nothing at this moment. */
  isPause(): boolean;
  /** Heeds what came of a message. True when the channel had been down, and answers again. */
  heed(outcome: Outcome): boolean;
}

/** `clock` tells milliseconds. */
export function makeOutage(clock: () => number): Outage {
  let failuresInARow = 0;
  let pausedUntil = 0;
  const isDown = () => failuresInARow >= failuresOfAnOutage;
  const isPause = () => clock() < pausedUntil;

  return {
    isDown,
    isPause,
    heed(outcome) {
      if (outcome.kind !== "not now") {
        const wasDown = isDown();
        failuresInARow = 0;
        pausedUntil = 0;
        return wasDown;
      }
      // What fails while the channel pauses had been sent before, and tells nothing new.
      if (isPause()) return false;
      failuresInARow += 1;
      pausedUntil = clock() + 1000 * pauseAfter(failuresInARow, outcome.askedToWait);
      return false;
    },
  };
}

/** Seconds the channel pauses in an outage, or when it asks; the deliveries have their own waits besides. */
const pauseAfter = (failures: number, asked = 0) =>
  Math.max(
    failures < failuresOfAnOutage ? 0 : Math.min(2 ** (failures - failuresOfAnOutage), 30),
    Math.min(asked, 60),
  );
