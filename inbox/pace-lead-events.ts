// Merges the events that leads are new or have changed, so that however many leads come, open pages load their lists at a bounded rate.
import type { LiveEvent } from "./api.ts";

type LeadsEvent = Extract<LiveEvent, { kind: "leads" }>;

/** Milliseconds between two events at least. A new lead, which a quick poll finds within 0.4 s, waits at most this long, unless an event that
 * names no leads waits with it. */
const minInterval = 700;
/** The same before an event that names no leads, as in a flood: a list that changes all the time cannot be read. */
const minIntervalInFlood = 3_000;
/** The maximum of leads that one event names (private.notify_inbox_of_leads). */
export const maxNamedLeads = 100;

/** Milliseconds on a clock that is never set, because events would be held back for as long as one is set back. */
const now = () => performance.now();

/** Returns a function that passes an event on at once, or merged with others when the interval since the last one has passed. */
export function paceLeadEvents(publish: (event: LeadsEvent) => void): (event: LeadsEvent) => void {
  let publishedAt = Number.NEGATIVE_INFINITY;
  let pending: { event: LeadsEvent; timer?: NodeJS.Timeout } | undefined;
  const publishPending = () => {
    if (!pending) return;
    const { event } = pending;
    pending = undefined;
    publishedAt = now();
    publish(event);
  };
  return (event) => {
    clearTimeout(pending?.timer);
    pending = { event: pending ? merge(pending.event, event) : event };
    const wait = publishedAt + (namesLeads(pending.event) ? minInterval : minIntervalInFlood) - now();
    if (wait <= 0) publishPending();
    // A server that stops does not wait for it.
    else pending.timer = setTimeout(publishPending, wait).unref();
  };
}

/** False for an event that says that any lead may have changed. */
export const namesLeads = (event: LeadsEvent): boolean => event.new.length + event.changed.length > 0;

function merge(one: LeadsEvent, other: LeadsEvent): LeadsEvent {
  const both = (which: "new" | "changed") => [...new Set([...one[which], ...other[which]])];
  const merged = { new: both("new"), changed: both("changed") };
  const isNamed = namesLeads(one) && namesLeads(other);
  if (isNamed && merged.new.length + merged.changed.length <= maxNamedLeads)
    return { kind: "leads", ...merged };
  return { kind: "leads", new: [], changed: [] };
}
