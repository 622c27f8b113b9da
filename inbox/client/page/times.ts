// Times as the inbox says them: how much is left of the 24 hours, and what the clocks say where a person is.
import { dayThere, timeThere } from "../../../calling/lawful-again.ts";
import type { Place } from "../../api-values.ts";

const minute = 60_000;
const hour = 60 * minute;

/** "5 h left", "40 min left", "3 h late", "2 days late". */
export function timeLeft(dueAt: string, now: Date): string {
  const left = Date.parse(dueAt) - now.getTime();
  return `${span(Math.abs(left))} ${left > 0 ? "left" : "late"}`;
}

/** "40 min", "3 h", "2 days", rounded down, with at least a minute. */
export function span(milliseconds: number): string {
  if (milliseconds < hour) return `${Math.max(1, Math.floor(milliseconds / minute))} min`;
  if (milliseconds < 48 * hour) return `${Math.floor(milliseconds / hour)} h`;
  return `${Math.floor(milliseconds / (24 * hour))} days`;
}

/** How urgent it is: for the colour, beside the words. */
export function urgency(dueAt: string, now: Date): "late" | "soon" | "calm" {
  const left = Date.parse(dueAt) - now.getTime();
  return left <= 0 ? "late" : left < 3 * hour ? "soon" : "calm";
}

/**
 * What the clocks say in a place: "2:05 PM", or "1:05 PM or 2:05 PM" where ZIP code and phone number leave several zones open. "time unknown"
 * where no ZIP code names a state, because the zones are then only those of the calling hours and of the phone number.
 */
export function localTime({ likeliest_state, zones }: Place, now: Date): string {
  if (likeliest_state === null) return "time unknown";
  return [...new Set(zones.map((zone) => timeThere(now, zone)))].join(" or ");
}

/** "today 9:00 AM", "Monday 9:00 AM" within the next six days, or "Monday, November 30 9:00 AM" at any other time. */
export const momentThere = (at: string, zone: string | undefined, now: Date): string =>
  `${dayThere(new Date(at), zone ?? ownZone(), now)} ${timeThere(new Date(at), zone ?? ownZone())}`;

let zoneHere: string | undefined;

/** The member's own time zone. Looked up at its first use, because on a slow machine that takes as long as the rows of the queue. */
export function ownZone(): string {
  zoneHere ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zoneHere;
}

/** A moment on the member's own clocks, with its year: "Nov 21, 2026, 2:05 PM". */
export const moment = (at: string): string =>
  new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));

/** The same where others read it elsewhere, or beside times on a person's clocks: "Nov 21, 2026, 2:05 PM EST". */
export const momentWithZone = (at: string): string =>
  new Intl.DateTimeFormat("en-US", {
    ...({ year: "numeric", month: "short", day: "numeric" } as const),
    ...({ hour: "numeric", minute: "2-digit", timeZoneName: "short" } as const),
  }).format(new Date(at));

/** The time of a moment on the member's own clocks: "2:05 PM". */
export const timeOfDay = (at: number): string =>
  new Intl.DateTimeFormat("en-US", { timeStyle: "short" }).format(at);

/** The day of a moment in a zone as YYYY-MM-DD, as a date field wants it. */
export const dayOf = (at: Date, zone: string = ownZone()): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(at);

/** The day so many days before another, both as YYYY-MM-DD: by the calendar, because a day may have 23 or 25 hours. */
export const daysBefore = (day: string, days: number): string =>
  dayOf(new Date(Date.parse(`${day}T00:00Z`) - days * 24 * hour), "UTC");

/** "Nov 21, 2026" for a day as YYYY-MM-DD. */
export const dayInWords = (day: string): string =>
  new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(`${day}T00:00Z`),
  );
