// A value outside of React that components follow: the session, the connection, the time.
import { useSyncExternalStore } from "react";

export interface SharedValue<Value> {
  get(): Value;
  /** Tells the followers when the value is another one. */
  set(value: Value): void;
  subscribe(follower: () => void): () => void;
}

/** `initial` is asked for once, when somebody first wants the value. */
export function makeSharedValue<Value>(initial: () => Value): SharedValue<Value> {
  let value: Value;
  let isKnown = false;
  const followers = new Set<() => void>();
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
      for (const follower of followers) follower();
    },
    subscribe(follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

export const useSharedValue = <Value>({ subscribe, get }: SharedValue<Value>): Value =>
  useSyncExternalStore(subscribe, get);
