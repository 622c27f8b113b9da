// What a member has typed and not yet sent. It stays in this tab's memory through a lock, a lost network and a look at another page,
// and is written nowhere, because it may hold a person's words.
import { useSyncExternalStore } from "react";

const drafts = new Map<string, unknown>();
const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export interface Draft<Value> {
  value: Value;
  /** Whether `value` was typed, and is not what stood in the field before. */
  isTyped: boolean;
  set(value: Value): void;
  /** Deletes the draft, because it is not wanted any more. */
  drop(): void;
  /** Deletes the draft, because `value` was sent, unless the member has typed more since. */
  dropSent(value: Value): void;
}

/**
 * The draft of that name. `initial` is what stands in the field before anything was typed; pass the same object each time. While
 * `isChanging()` returns true, another `initial` is expected, so a value that equals the present one is kept as a draft, too.
 */
export function useDraft<Value>(name: string, initial: Value, isChanging = () => false): Draft<Value> {
  const read = () => (drafts.has(name) ? (drafts.get(name) as Value) : initial);
  const value = useSyncExternalStore(subscribe, read);
  const drop = () => {
    drafts.delete(name);
    notify();
  };
  return {
    value,
    isTyped: value !== initial,
    set(next) {
      // A value that equals `initial`, such as that of an emptied field, is no draft.
      if (!isChanging() && isSame(next, initial)) return drop();
      drafts.set(name, next);
      notify();
    },
    drop,
    dropSent(sent) {
      if (isSame(read(), sent)) drop();
    },
  };
}

/** Compares texts, and the fields of a form by what stands in each. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return Object.is(one, other);
  const values = new Map(Object.entries(other));
  if (values.size !== Object.keys(one).length) return false;
  return Object.entries(one).every(([name, value]) => Object.is(value, values.get(name)));
}

/**
 * Deletes what was typed about a lead, because no page will show it again, but not the draft of the name `kept`. Returns whether there
 * was anything. `lead` is its id, or the end of it, which is its reference, with dashes or without.
 */
export function dropDraftsOf(lead: string, kept?: string): boolean {
  // A draft is named after what it is, and then after its lead.
  const end = withoutDashes(lead.toLowerCase());
  const names = [...drafts.keys()].filter((name) => withoutDashes(name).endsWith(end) && name !== kept);
  for (const name of names) drafts.delete(name);
  if (names.length > 0) notify();
  return names.length > 0;
}

const withoutDashes = (text: string) => text.replaceAll("-", "");

export const hasDrafts = (): boolean => drafts.size > 0;

export function dropDrafts(): void {
  drafts.clear();
  notify();
}

let isDialling = false;

/** Called when a link is pressed that dials or writes an e-mail: for such a link some browsers ask as if the page were left, which it is not. */
export function noteDialling(): void {
  isDialling = true;
  setTimeout(() => {
    isDialling = false;
  });
}

// Loading the page anew would lose them, so the browser asks first.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0 && !isDialling) event.preventDefault();
});
