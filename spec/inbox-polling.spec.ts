// How often the inbox polls for new leads: often enough that a lead is on screen within a second, and so seldom in a flood that the
// intake is not slowed down.
import { describe, expect, it } from "vitest";
import { pauseAfterPoll } from "../inbox/live-events.ts";

describe("the inbox's poll for new leads", () => {
  it("is repeated 0.4 s after a quick one, however many leads that found", () => {
    expect(pauseAfterPoll(4, 0)).toBe(400);
    expect(pauseAfterPoll(12, 3)).toBe(400);
    expect(pauseAfterPoll(10, 1000)).toBe(400);
  });

  it("pauses for ten times as long as it took, and thirty times in a flood", () => {
    expect(pauseAfterPoll(80, 60)).toBe(800);
    expect(pauseAfterPoll(80, 1000)).toBe(2400);
  });

  it("takes at most a thirtieth of one processor's time in a flood", () => {
    for (const took of [20, 50, 100, 160]) {
      expect(took / pauseAfterPoll(took, 1000)).toBeLessThanOrEqual(1 / 30);
    }
  });

  it("never pauses for more than five seconds", () => {
    expect(pauseAfterPoll(60_000, 1000)).toBe(5_000);
  });
});
