// The live region: what a screen reader says when something happens that the member did not do or cannot see.
import { makeSharedValue, useSharedValue } from "./shared-value.ts";

const announced = makeSharedValue(() => ({ text: "", nth: 0 }));

/** Announces a text after what the screen reader is saying. No name, number or health word may be in it. */
export const announce = (text: string): void => announced.set({ text, nth: announced.get().nth + 1 });

export function Announcer() {
  const { text, nth } = useSharedValue(announced);
  return (
    <div role="status" className="visually-hidden">
      {/* A new element each time, or the same sentence would not be said twice. */}
      <span key={nth}>{text}</span>
    </div>
  );
}
