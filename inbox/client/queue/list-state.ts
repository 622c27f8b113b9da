// What the list shows, kept for the way back from a lead. It is kept in memory, by a key that stands in the entry of the browser's history:
// the words of a search may be a person's name, and the browser writes its history to disk.
import { useState } from "react";
import { type Filter, noFilter } from "./first-page.ts";

interface ListState {
  /** The words of a search; "" for the queue. */
  words: string;
  filter: Filter;
  /** Where each page begins; the last is the one on screen. */
  starts: (string | null)[];
}

const initial: ListState = { words: "", filter: noFilter, starts: [null] };
const kept = new Map<string, { member: string; state: ListState }>();

/** The list's state of this entry of the history, if this member left it there, and how it is changed. */
export function useListState(member: string): [ListState, (change: Partial<ListState>) => void] {
  const [state, setState] = useState(() => stateOfEntry(member));
  const change = (part: Partial<ListState>) => {
    const next = { ...state, ...part };
    keep(member, next);
    setState(next);
  };
  return [state, change];
}

const keyOfEntry = (): string | undefined => (history.state as { list?: string } | null)?.list;

function stateOfEntry(member: string): ListState {
  const found = kept.get(keyOfEntry() ?? "");
  if (found?.member === member) return found.state;
  // Another member's are gone.
  if (found) kept.clear();
  return initial;
}

function keep(member: string, state: ListState): void {
  const list = keyOfEntry() ?? crypto.randomUUID();
  if (!keyOfEntry()) history.replaceState({ ...history.state, list }, "");
  kept.set(list, { member, state });
}
