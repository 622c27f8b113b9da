// How often the inbox polls for new leads and has its pages load their lists: often enough that a lead that comes alone is on screen within
// a second, and so seldom in a flood that the intake is not slowed down.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "../inbox/api.ts";
import { pauseAfterPoll } from "../inbox/live-events.ts";
import { paceLeadEvents } from "../inbox/pace-lead-events.ts";

describe("the inbox's poll for new leads", () => {
  it("is repeated 0.4 s after a quick one, however many leads that found", () => {
    expect(pauseAfterPoll(4, 0)).toBe(400);
    expect(pauseAfterPoll(12, 3)).toBe(400);
    expect(pauseAfterPoll(10, 1000)).toBe(400);
  });

  it("pauses for ten times as long as it took, and thirty times in a flood, of more than a hundred leads at once", () => {
    expect(pauseAfterPoll(80, 100)).toBe(800);
    expect(pauseAfterPoll(80, 101)).toBe(2400);
  });

  it("takes at most a thirtieth of one processor's time in a flood, as long as one takes less than a sixth of a second", () => {
    for (const took of [20, 50, 100, 160]) {
      expect(took / pauseAfterPoll(took, 1000)).toBeLessThanOrEqual(1 / 30);
    }
  });

  it("never pauses for more than five seconds", () => {
    expect(pauseAfterPoll(60_000, 1000)).toBe(5_000);
  });
});

describe("the events by which open pages load their lists anew", () => {
  const start = Date.UTC(2026, 10, 23);
  let published: { after: number; new: string[]; changed: string[] }[] = [];
  let hear: ReturnType<typeof paceLeadEvents>;
  const isNew = (...ids: string[]) => hear({ kind: "leads", new: ids, changed: [] });
  beforeEach(() => {
    vi.useFakeTimers({ now: start });
    published = [];
    hear = paceLeadEvents(({ kind: _, ...ids }: Extract<LiveEvent, { kind: "leads" }>) =>
      published.push({ after: Date.now() - start, ...ids }),
    );
  });
  afterEach(() => vi.useRealTimers());

  it("come at once after a quiet time, and those of the next 0.7 s as one, which names a lead once however often it changed", () => {
    isNew("a");
    isNew("b");
    vi.advanceTimersByTime(300);
    isNew("c");
    for (let times = 0; times < 2; times += 1) hear({ kind: "leads", new: [], changed: ["a"] });
    vi.advanceTimersByTime(5_000);
    isNew("d");
    expect(published).toEqual([
      { after: 0, new: ["a"], changed: [] },
      { after: 700, new: ["b", "c"], changed: ["a"] },
      { after: 5_300, new: ["d"], changed: [] },
    ]);
  });

  it("are three in two seconds at the most, and together name each lead once, while at most a hundred come between two of them", () => {
    for (let nth = 0; nth < 1_050; nth += 1) {
      isNew(`${nth}`);
      vi.advanceTimersByTime(20);
    }
    expect(published).toHaveLength(31);
    expect(published.flatMap((event) => event.new)).toEqual(
      Array.from({ length: 1_050 }, (_, nth) => `${nth}`),
    );
  });

  it("come every three seconds in a flood, and name nobody", () => {
    for (let nth = 0; nth < 11; nth += 1) {
      isNew();
      vi.advanceTimersByTime(1_000);
    }
    expect(published).toEqual([0, 3_000, 6_000, 9_000].map((after) => ({ after, new: [], changed: [] })));
  });

  it("come no later after the server's clock was set back than before", () => {
    isNew("a");
    vi.setSystemTime(start - 3_600_000);
    isNew("b");
    vi.advanceTimersByTime(700);
    expect(published.map((event) => event.new)).toEqual([["a"], ["b"]]);
  });

  it.each([
    [100, 100],
    [101, 0],
  ])(
    "for %i leads at once name %i, because an event names none when there are more than a hundred",
    (count, named) => {
      isNew("first");
      for (let nth = 0; nth < count; nth += 1) isNew(`${nth}`);
      vi.advanceTimersByTime(5_000);
      expect(published.slice(1).flatMap((event) => event.new)).toHaveLength(named);
    },
  );

  it("name no lead, and come every three seconds, while more than a hundred leads come between two of them", () => {
    for (let nth = 0; nth < 9_000; nth += 1) {
      isNew(`${nth}`);
      vi.advanceTimersByTime(1);
    }
    expect(published).toEqual([
      { after: 0, new: ["0"], changed: [] },
      ...[3_000, 6_000, 9_000].map((after) => ({ after, new: [], changed: [] })),
    ]);
  });
});
