// How long a delivery waits for its next attempt, and which attempt is the last.
import { describe, expect, it } from "vitest";
import { isLastAttempt, maxAttempts, waitAfter } from "../delivery/backoff.ts";

describe("the waits between attempts", () => {
  const even = () => 0.5;
  const hour = 3600;
  const waits = Array.from({ length: maxAttempts - 1 }, (_, i) => waitAfter(i + 1, 0, even).seconds);

  it("grow from seconds to hours over about three days", () => {
    expect(waits[0]).toBe(5);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBe(4 * hour);
    expect(waits.reduce((sum, wait) => sum + wait) / hour).toBeCloseTo(72, 0);
  });

  it("are longer when a receiver asks, up to six hours, and never shorter", () => {
    expect(waitAfter(1, 120, even)).toEqual({ seconds: 120, isAsked: true });
    expect(waitAfter(1, 1e9, even)).toEqual({ seconds: 6 * hour, isAsked: true });
    expect(waitAfter(10, 1, even)).toEqual({ seconds: 4 * hour, isAsked: false });
  });

  it("end after 26 attempts and about three days, so that a program that keeps starting again does not use them up in minutes", () => {
    expect(isLastAttempt(26, 72 * hour)).toBe(true);
    expect(isLastAttempt(26, 2 * hour)).toBe(false);
    expect(isLastAttempt(25, 72 * hour)).toBe(false);
    expect(waitAfter(200, 0, even).seconds).toBe(4 * hour);
  });
});
