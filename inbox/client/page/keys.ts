// Single keys as shortcuts. A shortcut does nothing while a member types, holds Ctrl, Alt or the Command key, has a dialog open, or still
// types for a field that has just left the page.
import { useLayoutEffect, useRef } from "react";
import { currentPreferences } from "./preferences.ts";

export type Keys = Readonly<Record<string, () => void>>;

/** Makes these shortcuts work while the component is on screen. Each is named by the character that its key types. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // A layout effect, because it runs before the page shows its shortcuts. A plain effect may run so late that a press is lost.
  useLayoutEffect(() => {
    const press = (event: Event) => {
      // A browser that fills in a field may send a `keydown` event that holds no key.
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
  return !takesTyping(event.target) && !continuesTyping(event);
}

/** Milliseconds. Somebody who goes on typing pauses for less than this between two keys. */
const maxTypingPause = 1_000;
let typed: { in: Element; at: number } | undefined;

/** Whether a member still types for a field that has just left the page, because an answer came or another member acted. */
const continuesTyping = ({ timeStamp }: KeyboardEvent): boolean =>
  typed !== undefined && !typed.in.isConnected && timeStamp - typed.at < maxTypingPause;

addEventListener(
  "keydown",
  (event) => {
    const { target, timeStamp } = event;
    if (takesTyping(target)) typed = { in: target as Element, at: timeStamp };
    else if (typed && continuesTyping(event)) typed.at = timeStamp;
  },
  { capture: true },
);

const typingTypes = ["text", "search", "tel", "email", "number", "date", "time", "password", "url"];

/** Whether the target is a field that takes typed keys. */
export function takesTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return typingTypes.includes(target.type);
  if (!(target instanceof HTMLElement)) return false;
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}
