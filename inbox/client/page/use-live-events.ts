// Updates the pages when the server says that something has changed, and announces new leads to the member.
import { useEffect } from "react";
import { followEvents } from "../live-events.ts";
import { queries, refresh } from "../queries.ts";
import { noteStream } from "./connection.ts";
import { followNewLeads } from "./new-leads.ts";
import { holdLockWhileLookedAt } from "./notifications.ts";

/** The minimum of milliseconds between two loads of the lists and of the lead on screen, so that many events at once cause one load. */
const minLoadInterval = 400;

export function useLiveEvents(): void {
  useEffect(() => {
    // By performance.now, which nobody can set, because a clock that is set back would delay the next load by as much.
    let loadedAt = Number.NEGATIVE_INFINITY;
    let load: ReturnType<typeof setTimeout> | undefined;
    const loadLeads = () => {
      loadedAt = performance.now();
      load = undefined;
      refresh("queue", "rows", "opened");
    };
    const loadSoon = () => {
      load ??= setTimeout(loadLeads, Math.max(0, loadedAt + minLoadInterval - performance.now()));
    };
    const newLeads = followNewLeads();
    const stop = followEvents((event) => {
      if (event.kind === "connection") noteStream(event.isOpen ? "connected" : "offline");
      if (event.kind === "session") refresh("me");
      if (event.kind === "team") refresh("members", "paused-states", "health", "alert");
      if (event.kind === "gap" || event.kind === "leads") loadSoon();
      if (event.kind === "leads" && event.new.length > 0) newLeads.tell(event.new.length);
      if (event.kind === "gap" || (event.kind === "leads" && namesNoLead(event))) newLeads.find();
    });
    const stopHoldingLock = holdLockWhileLookedAt();
    return () => {
      clearTimeout(load);
      newLeads.stop();
      stop();
      stopHoldingLock();
      void queries.cancelQueries();
      noteStream("connected");
    };
  }, []);
}

/** Whether the event names no lead: then any lead may be new or have changed. */
const namesNoLead = (event: { new: string[]; changed: string[] }): boolean =>
  event.new.length + event.changed.length === 0;
