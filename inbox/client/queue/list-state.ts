// What the list shows, kept for the way back from a lead. It is kept in memory, by a key that stands in the entry of the browser's history:
// the words of a search may be a person's name, and the browser writes its history to disk.
import { useEffect, useState } from "react";
import { useHistoryState } from "wouter/use-browser-location";
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

/** Forgets all of it, because another member may sign in. */
export const dropListStates = (): void => kept.clear();

/** The list's state that this member left at the current entry of the history, or the initial one, and a function that changes it. */
export function useListState(member: string): [ListState, (change: Partial<ListState>) => void] {
  const [state, setState] = useState(() => stateOfEntry(member));
  const entry: unknown = useHistoryState();
  // The link to the queue makes a new entry, also while the queue is on screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is that of the entry.
  useEffect(() => setState(stateOfEntry(member)), [entry, member]);
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
  return found?.member === member ? found.state : initial;
}

function keep(member: string, state: ListState): void {
  const list = keyOfEntry() ?? crypto.randomUUID();
  if (!keyOfEntry()) history.replaceState({ ...history.state, list }, "");
  kept.set(list, { member, state });
}
