// The live region: what a screen reader says when something happens that the member did not do or cannot see.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

const said = makeSharedValue(() => ({ text: "", nth: 0 }));

/** Has it said, once the current word is over. No name, number or health word may be in it. */
export const announce = (text: string): void => said.set({ text, nth: said.get().nth + 1 });

export function Announcer() {
  const { text, nth } = useSharedValue(said);
  return (
    <div role="status" className="visually-hidden">
      {/* A new element each time, or the same sentence would not be said twice. */}
      <span key={nth}>{text}</span>
    </div>
  );
}
