// What a chapter's helpers have to undo when it is over. Vitest takes an `afterAll` only while it reads a chapter: one that
// a `beforeAll` registers is never called, and leaves processes behind. So the one here runs what `atTheEnd` was given.
import { afterAll } from "vitest";

const ends: (() => unknown)[] = [];

/** Has something undone after the chapter, the last that was made first. */
export const atTheEnd = (end: () => unknown): void => void ends.push(end);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});
