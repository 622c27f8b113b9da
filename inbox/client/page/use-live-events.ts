// Updates the pages when the server says that something has changed, and announces new leads to the member.
import { useEffect } from "react";
import type { LiveEvent } from "../../api.ts";
import { followEvents } from "../live-events.ts";
import { queries, refresh } from "../queries.ts";
import { announce } from "./announcer.tsx";
import { noteStream } from "./connection.ts";
import { notifyOfLeads } from "./notifications.ts";
import { count } from "./words.ts";

/** Milliseconds between two loads of the lists at least, so that many events at once cause one load. */
const minLoadInterval = 400;
/** That interval in a flood, when an event names no leads: a list that changes all the time cannot be read. */
const minLoadIntervalInFlood = 3_000;

export function useLiveEvents(): void {
  useEffect(() => {
    let loadedAt = 0;
    let load: { timer: ReturnType<typeof setTimeout>; at: number } | undefined;
    const loadLists = () => {
      loadedAt = Date.now();
      load = undefined;
      refresh("queue", "rows", "health", "alert");
    };
    const loadWithin = (interval: number) => {
      const at = Math.max(Date.now(), loadedAt + interval);
      if (load && load.at <= at) return;
      clearTimeout(load?.timer);
      load = { timer: setTimeout(loadLists, at - Date.now()), at };
    };
    const stop = followEvents((event) => {
      if (event.kind === "connection") noteStream(event.isOpen ? "connected" : "offline");
      if (event.kind === "session") refresh("me");
      if (event.kind === "team") refresh("members", "paused-states", "health", "alert");
      if (event.kind === "gap") loadWithin(minLoadInterval);
      if (event.kind !== "leads") return;
      const isFlood = event.new.length + event.changed.length === 0;
      loadWithin(isFlood ? minLoadIntervalInFlood : minLoadInterval);
      announceNewLeads(event);
    });
    return () => {
      clearTimeout(load?.timer);
      stop();
      void queries.cancelQueries();
      noteStream("connected");
    };
  }, []);
}

function announceNewLeads(event: Extract<LiveEvent, { kind: "leads" }>): void {
  const { length } = event.new;
  if (length === 0) return;
  announce(`${count(length, "new lead")} in the queue.`);
  notifyOfLeads();
}
