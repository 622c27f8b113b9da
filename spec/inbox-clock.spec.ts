// The time that the inbox's pages go by: the server's, where a member's own clock is wrong.
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

const noon = Date.parse("2026-03-02T12:00:00Z");
const second = 1_000;
const minute = 60 * second;

// Before the clock's module is loaded, because its timer would otherwise tick on after the chapter.
vi.useFakeTimers({ now: noon });
const { readClock, serverNow, sharedNow } = await import("../inbox/client/page/clock.ts");
afterAll(() => void vi.useRealTimers());

/** Milliseconds by which the page takes the server's clock to be ahead of the member's. */
const ahead = () => serverNow().getTime() - Date.now();

/** Gives the page an answer now. The server's clock is `serverAhead` ahead, and wrote the answer `took` milliseconds ago. */
function answer(serverAhead: number, took = 0): void {
  readClock(new Date(Date.now() + serverAhead - took).toUTCString(), took);
}

beforeEach(() => answer(0));

describe("the time of a page", () => {
  it("is the member's own where it agrees with the server's within three seconds", () => {
    for (const difference of [0, 3 * second, -3 * second]) {
      answer(difference);
      expect(ahead()).toBe(0);
    }
  });

  it("is the server's where the member's clock is wrong, and the member's again once it is right", () => {
    for (const difference of [10 * minute, -10 * minute, 5 * second, -5 * second]) {
      answer(difference);
      expect(Math.abs(ahead() - difference)).toBeLessThanOrEqual(second);
    }
    answer(0);
    expect(ahead()).toBe(0);
  });

  it("does not fall behind when an answer comes late", () => {
    answer(0, 15 * second);
    expect(ahead()).toBe(0);
    answer(10 * minute);
    const known = ahead();
    answer(10 * minute, 15 * second);
    expect(ahead()).toBe(known);
  });

  it("keeps a correction of a few seconds, too, when an answer comes late", () => {
    answer(10 * second);
    const known = ahead();
    answer(10 * second, 15 * second);
    expect(ahead()).toBe(known);
  });

  it("is shown as corrected as soon as the answer is here", () => {
    const shown: number[] = [];
    onTestFinished(sharedNow.subscribe(() => shown.push(sharedNow.get().getTime() - Date.now())));
    answer(10 * minute);
    expect(shown).toEqual([ahead()]);
  });

  it("stays as it is when an answer has no time, or none that can be read", () => {
    answer(10 * minute);
    const known = ahead();
    for (const date of [null, "", "noon"]) readClock(date, 0);
    expect(ahead()).toBe(known);
  });
});
