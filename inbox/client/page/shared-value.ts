// A value outside of React to which components subscribe: the session, the connection, the time.
import { useSyncExternalStore } from "react";

export interface SharedValue<Value> {
  get(): Value;
  /** Sets the value, and calls the listeners when it has changed. */
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

/** `initial` is called once, when the value is first read. */
export function makeSharedValue<Value>(initial: () => Value): SharedValue<Value> {
  let value: Value;
  let isKnown = false;
  const listeners = new Set<() => void>();
  const get = () => {
    if (!isKnown) value = initial();
    isKnown = true;
    return value;
  };
  return {
    get,
    set(next) {
      if (Object.is(next, get())) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useSharedValue = <Value>({ subscribe, get }: SharedValue<Value>): Value =>
  useSyncExternalStore(subscribe, get);
