// Clocks and calendars of a time zone, computed with Intl and not with PostgreSQL, so that a test can compare the two.

const formats = new Map<string, Intl.DateTimeFormat>();

/** A date whose getUTC methods return what the clocks of a zone show at a moment. */
export function clockIn(zone: string, moment: Date): Date {
  let format = formats.get(zone);
  if (!format) {
    const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit" } as const;
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      ...fields,
      minute: "2-digit",
      second: "2-digit",
    });
    formats.set(zone, format);
  }
  const read = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  return new Date(`${read.year}-${read.month}-${read.day}T${read.hour}:${read.minute}:${read.second}Z`);
}

/** The moment at which the clocks of a zone show a time such as 2027-01-25T08:00, which they must show just once. */
export function momentAt(zone: string, time: string): Date {
  const wanted = Date.parse(`${time}Z`);
  const offset = (moment: number) => clockIn(zone, new Date(moment)).getTime() - moment;
  return new Date(wanted - offset(wanted - offset(wanted)));
}
