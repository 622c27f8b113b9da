// The live region: what a screen reader says when something happens that the member did not do or cannot see.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

interface Announcement {
  text: string;
  nth: number;
  /** Milliseconds of a clock that is never set. */
  at: number;
}

/** Milliseconds that a sentence stays beside later ones, because a screen reader may leave out one that goes before it is said. */
const stay = 5_000;

const announced = makeSharedValue<readonly Announcement[]>(() => []);
let count = 0;

/** Announces a text after what the screen reader is saying. No name, phone number or health word may be in it. */
export function announce(text: string): void {
  const now = performance.now();
  count += 1;
  const before = announced.get().filter(({ at }) => now - at < stay);
  announced.set([...before, { text, nth: count, at: now }]);
  // A screen reader that reads on to the end of the page must not say there what was announced long ago.
  setTimeout(() => announced.set(announced.get().filter(({ at }) => at > now)), stay);
}

/** Takes away what was announced, because it is no longer true. */
export const takeBackAnnouncements = (): void => announced.set([]);

export function Announcer() {
  return (
    // Not atomic, so that only what is new is said.
    <div role="status" aria-atomic="false" className="visually-hidden">
      {/* A new element each time, or the same sentence would not be said twice. */}
      {useSharedValue(announced).map(({ text, nth }) => (
        <p key={nth}>{text}</p>
      ))}
    </div>
  );
}
