// Undoes after a chapter what the chapter has set up. `afterAll` cannot do that: Vitest never calls one that a `beforeAll` registers, and
// calls one in a support module only after the first chapter that loads the module, because chapters share a process.

const ends: (() => unknown)[] = [];

/** Calls `end` after the chapter, the one given last first. */
export const atTheEnd = (end: () => unknown): void => void ends.push(end);

/** Calls all of them. spec/support/end-of-chapter.ts has each chapter do that. */
export async function runEnds(): Promise<void> {
  const failures: unknown[] = [];
  for (let end = ends.pop(); end; end = ends.pop()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
