// Brings the pages up to date when the server says that something has changed, and tells the member of new leads.
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

export function useLiveEvents(): void {
  useEffect(() => {
    let loadedAt = 0;
    let load: ReturnType<typeof setTimeout> | undefined;
    const loadLists = () => {
      loadedAt = Date.now();
      load = undefined;
      refresh("queue", "rows", "machine", "alert");
    };
    const stop = followEvents((event) => {
      if (event.kind === "connection") noteStream(event.isOpen ? "connected" : "offline");
      if (event.kind === "session") refresh("me");
      if (event.kind === "team") refresh("members", "paused-states", "machine", "alert");
      if (event.kind !== "leads") return;
      load ??= setTimeout(loadLists, Math.max(0, minLoadInterval - (Date.now() - loadedAt)));
      tellOfNewLeads(event);
    });
    return () => {
      clearTimeout(load);
      stop();
      void queries.cancelQueries();
      noteStream("connected");
    };
  }, []);
}

function tellOfNewLeads(event: Extract<LiveEvent, { kind: "leads" }>): void {
  const { length } = event.new;
  if (length === 0) return;
  announce(`${count(length, "new lead")} in the queue.`);
  notifyOfLeads();
}
