// How often the inbox looks for new leads: often enough that a lead is on screen within a second, and so seldom in a flood that the
// intake does not feel it.
import { describe, expect, it } from "vitest";
import { pauseAfterLook } from "../inbox/live-events.ts";

describe("the inbox's look for new leads", () => {
  it("comes again 0.4 s after a quick one, however many leads that found", () => {
    expect(pauseAfterLook(4, 0)).toBe(400);
    expect(pauseAfterLook(12, 3)).toBe(400);
    expect(pauseAfterLook(10, 1000)).toBe(400);
  });

  it("leaves the database to the intake for ten times as long as it took, and thirty times in a flood", () => {
    expect(pauseAfterLook(80, 60)).toBe(800);
    expect(pauseAfterLook(80, 1000)).toBe(2400);
  });

  it("takes at most a thirtieth of one processor's time in a flood", () => {
    for (const took of [20, 50, 100, 160]) {
      expect(took / pauseAfterLook(took, 1000)).toBeLessThanOrEqual(1 / 30);
    }
  });

  it("never stays away for more than five seconds", () => {
    expect(pauseAfterLook(60_000, 1000)).toBe(5_000);
  });
});
