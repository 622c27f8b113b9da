// Undoes after a chapter what its set-up did. Vitest takes an `afterAll` only while it loads a chapter: one that a
// `beforeAll` registers is never called, which leaves processes behind. So the one here runs what `atTheEnd` was given.
import { afterAll } from "vitest";

const ends: (() => unknown)[] = [];

/** Calls `end` after the chapter, the one given last first. */
export const atTheEnd = (end: () => unknown): void => void ends.push(end);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});
