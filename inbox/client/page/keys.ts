// Single keys as shortcuts. None fires while a member types, holds a modifier, or has a dialog open, nor while a member goes on typing after
// their field has left the page.
import { useLayoutEffect, useRef } from "react";
import { currentPreferences } from "./preferences.ts";

export type Keys = Readonly<Record<string, () => void>>;

/** The keys that work while the component is on screen, by what they type. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before the page is on screen with what names its keys, because an effect may come so much later that a press is lost.
  useLayoutEffect(() => {
    const press = (event: Event) => {
      // A browser that fills in a field may send one that holds no key.
      if (!(event instanceof KeyboardEvent)) return;
      const isLocked = event.getModifierState("CapsLock") && !event.shiftKey;
      const act = latest.current[isLocked ? event.key.toLowerCase() : event.key];
      if (!act || !isShortcut(event)) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || !currentPreferences().usesShortcuts) return false;
  if (document.querySelector("dialog[open]")) return false;
  return !isTyping(event.target) && !isTypedOn(event);
}

/** Milliseconds. Somebody who goes on typing pauses for less than this between two keys. */
const maxTypingPause = 1_000;
let typed: { in: Element; at: number } | undefined;

/** Whether a key goes on with what was typed into a field that is gone, because its answer came or another member's act. */
const isTypedOn = ({ timeStamp }: KeyboardEvent): boolean =>
  typed !== undefined && !typed.in.isConnected && timeStamp - typed.at < maxTypingPause;

addEventListener(
  "keydown",
  (event) => {
    const { target, timeStamp } = event;
    if (isTyping(target)) typed = { in: target as Element, at: timeStamp };
    else if (typed && isTypedOn(event)) typed.at = timeStamp;
  },
  { capture: true },
);

const typingTypes = ["text", "search", "tel", "email", "number", "date", "time", "password", "url"];

/** Whether it is a field that takes what is typed. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return typingTypes.includes(target.type);
  if (!(target instanceof HTMLElement)) return false;
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}
