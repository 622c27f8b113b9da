// Says in words what private.calling_windows found: the time where a person is, and when a call is lawful again.
import { stateNames } from "./state-names.ts";

/** The next lawful call. `at` is null when no hour in 14 days is lawful in every place where the person may be. */
export interface NextCall {
  at: Date | null;
  /** The IANA name of the zone in which the time is given. */
  zone: string;
  /** The code of the state that the sentence names; absent, or "unknown", when the ZIP code is unknown. */
  state?: string | undefined;
}

/** "Lawful again Monday 8:00 AM in Alabama." A day more than six days away has its date too. */
export function lawfulAgain({ at, ...clocks }: NextCall, now: Date): string {
  return at === null
    ? "No hour in the next 14 days is lawful."
    : `Lawful again ${momentOn(clocks, at, now)}.`;
}

/** "Monday 8:00 AM in Alabama", or "Monday 1:00 PM Eastern time" when the ZIP code is unknown. */
export function momentOn({ zone, state = "unknown" }: Clocks, at: Date, now: Date): string {
  const where = state === "unknown" ? "Eastern time" : inState(state);
  return `${dayThere(at, zone, now)} ${timeThere(at, zone)} ${where}`;
}

/** "in Kentucky", "at a military address in Europe". */
const inState = (state: string) => `${/^A[AEP]$/.test(state) ? "at" : "in"} ${stateNames[state] ?? state}`;

/** By whose clocks a time is told. */
type Clocks = Omit<NextCall, "at">;

/** What is known of where a person is. */
interface Whereabouts {
  blocking_zone: string | null;
  blocking_state: string | null;
  zones: readonly string[];
  likeliest_state: string | null;
}

/** By whose clocks to tell a time about a place: those of the state that forbids a call, or else of the likeliest one. */
export const clocksOf = (place: Whereabouts): Clocks =>
  place.blocking_zone
    ? { zone: place.blocking_zone, state: place.blocking_state ?? undefined }
    : { zone: place.zones[0] ?? "America/New_York", state: place.likeliest_state ?? undefined };

/** The time of day on the clocks of a zone, as 9:05 AM or 9:00 PM: as it is said on the phone, and as a time field shows it. */
export function timeThere(at: Date, zone: string): string {
  const clock = { hour: "numeric", minute: "2-digit", hourCycle: "h12" } as const;
  // Some browsers put a narrow no-break space before AM and PM.
  return formatIn(zone, "en-US", clock).format(at).replace("\u202f", " ");
}

/** "today", "Monday" for one of the next six days, or "Monday, November 30" for any other, by the calendar of a zone. */
export function dayThere(at: Date, zone: string, now: Date): string {
  const daysAhead = (dayNumber(at, zone) - dayNumber(now, zone)) / 86_400_000;
  if (daysAhead === 0) return "today";
  const weekday = { weekday: "long" } as const;
  const isNear = daysAhead > 0 && daysAhead <= 6;
  const format = isNear ? weekday : ({ ...weekday, month: "long", day: "numeric" } as const);
  return formatIn(zone, "en-US", format).format(at);
}

// The date of a moment in a zone, as midnight in UTC, so that two dates can be subtracted.
function dayNumber(at: Date, zone: string): number {
  const day = formatIn(zone, "en-CA", { dateStyle: "short" }).format(at);
  return Date.parse(`${day}T00:00Z`);
}

const formats = new Map<string, Intl.DateTimeFormat>();

// Formats are cached by zone and options, because making one takes longer than formatting a hundred times. There are some dozens.
function formatIn(zone: string, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  formats.set(key, format);
  return format;
}
