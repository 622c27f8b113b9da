// Times as the team reads and types them, in the time zone of the machine (TZ): when a lead came in, how much of the
// 24 hours is left, and "since when".
import { UsageError } from "./command.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The time zone of the machine, such as America/New_York. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time as "2026-01-31 14:05". */
export const dayAndTime = (time: Date): string =>
  time.toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });

/** How long, in the one unit that matters: "40 min", "5 h", "3 days". A negative time is "0 min", because two clocks may differ. */
export function duration(milliseconds: number): string {
  if (milliseconds < hour) return `${Math.floor(Math.max(milliseconds, 0) / minute)} min`;
  if (milliseconds < 2 * day) return `${Math.floor(milliseconds / hour)} h`;
  return `${Math.floor(milliseconds / day)} days`;
}

/** What is left until a time, or how late it is. */
export function timeLeft(until: Date, now: Date): string {
  const left = until.getTime() - now.getTime();
  return left >= 0 ? `${duration(left)} left` : `${duration(-left)} late`;
}

/** What the help says of --since. */
export const sinceHelp = "within a time such as 24h, 7d or 30min, or since a day such as 2026-01-31";

/**
 * Reads "24h", "7d", "30min" as so long before `now`, and "2026-01-31" as the start of that day here.
 * @throws UsageError
 */
export function readSince(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,5})(min|h|d)$/.exec(text) ?? [];
  if (count && unit)
    return new Date(now.getTime() - Number(count) * { min: minute, h: hour, d: day }[unit as "h"]);
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  const start = new Date(Number(year), Number(month) - 1, date);
  // A 31st of February would silently become a day in March, and the year 0026 be 1926.
  const isThatDay =
    start.getFullYear() === year && start.getMonth() === Number(month) - 1 && start.getDate() === date;
  if (isThatDay) return start;
  throw new UsageError(
    "--since takes a length of time, or a day that there is, such as --since 24h, --since 7d, --since 30min or --since 2026-01-31.",
  );
}
