// When a person may be called: the hours of each state on its own clocks, its Sundays and holidays, what holds when the place is
// not known, and when a call is lawful again. docs/calling-hours.md gives each rule its source.
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { clockIn, momentAt } from "./support/wall-clock.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterEach(() => database.owner`delete from private.paused_states`);

interface Found {
  place: string | null;
  callable: boolean;
  next_callable_at: Date | null;
  callable_until: Date | null;
  local_time: string;
  states: string[];
  zones: string[];
  reason: string | null;
  blocking_state: string | null;
  blocking_zone: string | null;
}

const windows = (places: string[], moment: Date) =>
  database.owner<Found[]>`select * from private.calling_windows(${places}::text[], ${moment})`;

/** What holds in a place, or in several joined by |, when the clocks of `zone` (by default the place's own) show a time. */
async function found(place: string, time: string, zone = place.slice(place.indexOf("/") + 1)) {
  const [row] = await database.owner<Found[]>`
    select * from private.calling_window(${place}, ${momentAt(zone, time)})`;
  return row as Found;
}

const eastern = "America/New_York";
const central = "America/Chicago";
const mountain = "America/Denver";
const pacific = "America/Los_Angeles";

type Hours = [number, number] | null;
/** The hours of Monday to Friday, Saturday and Sunday. */
type Rule = { zone: string; hours: [Hours, Hours, Hours] };
const daily = (zone: string, open: number, close: number): Rule => {
  const hours: Hours = [open, close];
  return { zone, hours: [hours, hours, hours] };
};
const notOnSunday = (zone: string, open: number, close: number): Rule => {
  const hours: Hours = [open, close];
  return { zone, hours: [hours, hours, null] };
};

/** The stricter states. Every other one has the federal hours, 8:00 to 21:00. */
const rules: Record<string, Rule> = {
  FL: daily(eastern, 8, 20),
  MD: daily(eastern, 8, 20),
  OK: daily(central, 8, 20),
  OR: daily(pacific, 8, 20),
  WA: daily(pacific, 8, 20),
  MA: daily(eastern, 8, 20),
  WY: daily(mountain, 8, 20),
  AL: notOnSunday(central, 8, 20),
  LA: notOnSunday(central, 8, 20),
  MS: notOnSunday(central, 8, 20),
  KY: daily(eastern, 10, 21),
  NV: daily(pacific, 9, 20),
  CT: daily(eastern, 9, 20),
  IN: daily(eastern, 9, 20),
  UT: daily(mountain, 9, 20),
  RI: { zone: eastern, hours: [[9, 18], [10, 17], null] },
  TX: {
    zone: central,
    hours: [
      [9, 21],
      [9, 21],
      [12, 21],
    ],
  },
  MI: daily(eastern, 9, 21),
  MN: daily(central, 9, 21),
  NM: daily(mountain, 9, 21),
  IL: daily(central, 9, 21),
  CA: daily(pacific, 9, 21),
  ME: daily(eastern, 9, 21),
  SD: notOnSunday(central, 8, 21),
  PA: notOnSunday(eastern, 9, 19),
};
const federal: [Hours, Hours, Hours] = [
  [8, 21],
  [8, 21],
  [8, 21],
];

describe("the hours of a state", () => {
  // A Friday, Saturday and Sunday without a holiday or a change of the clocks.
  const days = ["2027-01-29", "2027-01-30", "2027-01-31"];
  const twoDigits = (hour: number) => String(hour).padStart(2, "0");

  it.each(Object.entries(rules))("begin and end to the minute in %s", async (state, { zone, hours }) => {
    for (const [nth, day] of days.entries()) {
      const open = hours[nth];
      const times = open
        ? { [twoDigits(open[0])]: [false, true], [twoDigits(open[1])]: [true, false] }
        : { "08": [false, false], "12": [false, false], "17": [false, false] };
      for (const [hour, expected] of Object.entries(times)) {
        const at = momentAt(zone, `${day}T${hour}:00`);
        const before = new Date(at.getTime() - 1000);
        const seen = [];
        for (const moment of [before, at])
          seen.push((await windows([`${state}/${zone}`], moment))[0]?.callable);
        expect(seen, `${day} ${hour}:00`).toEqual(expected);
      }
    }
  });

  it("are the federal ones in every other state and territory", async () => {
    const others = await database.owner<{ place: string; zone: string }[]>`
      select place, zone from private.places where not state = any (${[...Object.keys(rules), "unknown"]})`;
    expect(others.length).toBeGreaterThan(45);
    for (const { place, zone } of others) {
      // A Sunday, a Monday that is a federal holiday, a Friday and a Saturday.
      for (const day of ["2027-01-31", "2027-01-18", "2027-01-29", "2027-01-30"]) {
        const seen = [];
        for (const time of ["07:59", "08:00", "20:59", "21:00"]) {
          seen.push((await found(place, `${day}T${time}`, zone)).callable);
        }
        expect(seen, `${place} ${day}`).toEqual([false, true, true, false]);
      }
    }
  });

  it("cannot be made to begin before the federal ones on a Sunday, even by the owner", async () => {
    const widen = database.owner`update private.calling_rules set on_sundays = '[7,21)' where state = 'NY'`;
    await expect(widen).rejects.toThrow("hours_are_within_the_federal_ones");
  });

  it("follow the clocks through the day on which they change", async () => {
    for (const day of ["2027-03-14", "2027-11-07"]) {
      for (const zone of [eastern, central, mountain, pacific]) {
        const state = { [eastern]: "NY", [central]: "MO", [mountain]: "CO", [pacific]: "ID" }[zone];
        const early = await found(`${state}/${zone}`, `${day}T07:30`, zone);
        expect(early).toMatchObject({ callable: false, reason: "outside_hours", local_time: `${day}T07:30` });
        expect(early.next_callable_at).toEqual(momentAt(zone, `${day}T08:00`));
        expect((await found(`${state}/${zone}`, `${day}T20:59`, zone)).callable).toBe(true);
      }
    }
    // Arizona is an hour behind Denver in summer only; on the Navajo Nation both are plausible.
    const navajo = "AZ/America/Denver|AZ/America/Phoenix";
    const summer = await found(navajo, "2027-07-06T08:00", mountain);
    expect(summer.next_callable_at).toEqual(momentAt("America/Phoenix", "2027-07-06T08:00"));
    expect((await found(navajo, "2027-01-29T08:00", mountain)).callable).toBe(true);
  });
});

/** Days on which the four states bar calls, from November 2026 to the end of 2027, as the states' calendars have them. */
const holidays: Record<string, string> = {
  AL: `2026-11-11 2026-11-26 2026-12-01 2026-12-25 2027-01-01 2027-01-18 2027-02-09 2027-02-15 2027-04-26 2027-05-31 2027-06-07
    2027-06-18 2027-06-19 2027-07-04 2027-07-05 2027-09-06 2027-10-11 2027-11-11 2027-11-25 2027-12-01 2027-12-24 2027-12-25 2027-12-31`,
  LA: `2026-11-01 2026-11-02 2026-11-03 2026-11-11 2026-11-26 2026-11-27 2026-12-25 2027-01-01 2027-01-08 2027-01-18 2027-02-09
    2027-02-15 2027-03-26 2027-05-31 2027-06-18 2027-06-19 2027-07-04 2027-07-05 2027-08-30 2027-09-06 2027-10-11 2027-11-01
    2027-11-02 2027-11-11 2027-11-25 2027-11-26 2027-12-24 2027-12-25 2027-12-31`,
  MS: `2026-11-11 2026-11-26 2026-12-25 2027-01-01 2027-01-18 2027-02-15 2027-04-26 2027-05-31 2027-06-18 2027-06-19 2027-07-04
    2027-07-05 2027-09-06 2027-10-11 2027-11-11 2027-11-25 2027-12-24 2027-12-25 2027-12-31`,
  PA: `2026-11-03 2026-11-11 2026-11-26 2026-12-25 2027-01-01 2027-01-18 2027-02-15 2027-03-26 2027-05-31 2027-06-14 2027-06-18
    2027-06-19 2027-07-04 2027-07-05 2027-09-06 2027-10-11 2027-11-02 2027-11-11 2027-11-25 2027-12-24 2027-12-25 2027-12-31`,
};

describe("a state holiday", () => {
  it("is listed for Alabama, Louisiana, Mississippi and Pennsylvania, each by its own calendar", async () => {
    const rows = await database.owner<{ state: string; days: string }[]>`
      select state, string_agg(distinct day::text, ' ' order by day::text) as days
      from generate_series(2026, 2028) as y (year) cross join lateral private.state_holidays(y.year)
      where day between '2026-11-01' and '2027-12-31' group by state`;
    expect(Object.fromEntries(rows.map(({ state, days }) => [state, days]))).toEqual(
      Object.fromEntries(Object.entries(holidays).map(([state, days]) => [state, days.replace(/\s+/g, " ")])),
    );
    const barred =
      await database.owner`select state from private.calling_rules where not may_call_on_state_holidays`;
    expect(barred.map(({ state }) => state).sort()).toEqual(Object.keys(holidays).sort());
  });

  it("may depend on Easter Sunday, whose day is right in each of ten years", async () => {
    const rows = await database.owner<{ day: string }[]>`
      select private.easter_sunday(year)::text as day
      from unnest(array[2000, 2008, 2011, 2024, 2026, 2027, 2028, 2035, 2038, 2049]) as y (year)`;
    expect(rows.map(({ day }) => day)).toEqual([
      "2000-04-23",
      "2008-03-23",
      "2011-04-24",
      "2024-03-31",
      "2026-04-05",
      "2027-03-28",
      "2028-04-16",
      "2035-03-25",
      "2038-04-25",
      "2049-04-18",
    ]);
  });

  it("is the reason that is given, and the day after it is when a call is lawful again", async () => {
    const inAlabama = await found("AL/America/Chicago", "2026-11-26T12:00");
    expect(inAlabama).toMatchObject({ callable: false, reason: "holiday", blocking_state: "AL" });
    expect(inAlabama.next_callable_at).toEqual(momentAt(central, "2026-11-27T08:00"));
    // Louisiana keeps the Friday too.
    const inLouisiana = await found("LA/America/Chicago", "2026-11-26T12:00");
    expect(inLouisiana.next_callable_at).toEqual(momentAt(central, "2026-11-28T08:00"));
  });

  it("of the next year is known in the last days of this one", async () => {
    const evening = await found("AL/America/Chicago", "2027-12-30T20:00");
    // New Year's Day is a Saturday, so the Friday before it is barred too. After that comes a Sunday.
    expect(evening).toMatchObject({ callable: false, reason: "outside_hours" });
    expect(evening.next_callable_at).toEqual(momentAt(central, "2028-01-03T08:00"));
  });

  it("or a Sunday is no reason on the evening before", async () => {
    for (const evening of ["2026-11-25T20:00", "2027-01-30T20:00"])
      expect(await found("AL/America/Chicago", evening)).toMatchObject({
        callable: false,
        reason: "outside_hours",
      });
    expect((await found("AL/America/Chicago", "2027-01-31T12:00")).reason).toBe("sunday");
  });

  it("says nothing of other states", async () => {
    expect((await found("GA/America/New_York", "2026-11-26T12:00")).callable).toBe(true);
    expect((await found("TX/America/Chicago", "2026-12-25T12:00")).callable).toBe(true);
  });
});

describe("a person who may be in several places", () => {
  it("is called only when each of them allows it", async () => {
    // At half past eight in the evening the hours have ended in Florida, but not yet in New York.
    const place = "FL/America/New_York|NY/America/New_York";
    const evening = await found(place, "2027-01-26T20:30", eastern);
    expect(evening).toMatchObject({
      callable: false,
      reason: "outside_hours",
      blocking_state: "FL",
      zones: [eastern],
    });
    expect(evening.states).toEqual(["FL", "NY"]);
    const morning = await found("KY/America/Chicago|KY/America/New_York", "2027-01-26T10:30", eastern);
    expect(morning).toMatchObject({ callable: false, blocking_state: "KY", blocking_zone: central });
    expect(morning.next_callable_at).toEqual(momentAt(central, "2027-01-26T10:00"));
  });

  it("has the likeliest of the states listed first", async () => {
    expect(
      (await found(`NY/${eastern}|FL/${eastern}|CT/${eastern}`, "2027-01-26T12:00", eastern)).states,
    ).toEqual(["NY", "FL", "CT"]);
  });

  it("is given the gravest of the reasons, and among equal ones that of the likeliest place", async () => {
    const blocking = async (states: string, time: string) => {
      const key = states.replaceAll(/[A-Z]+/g, (state) => `${state}/${rules[state]?.zone}`);
      const { reason, blocking_state } = await found(key, time, eastern);
      return [reason, blocking_state];
    };
    expect(await blocking("KY|AL", "2027-01-31T09:30")).toEqual(["sunday", "AL"]);
    expect(await blocking("PA|AL", "2027-04-26T08:30")).toEqual(["holiday", "AL"]);
    expect(await blocking("SD|AL", "2027-07-04T12:00")).toEqual(["holiday", "AL"]);
    expect(await blocking("MD|FL", "2027-01-26T20:30")).toEqual(["outside_hours", "MD"]);
    expect(await blocking("FL|MD", "2027-01-26T20:30")).toEqual(["outside_hours", "FL"]);
  });

  it("may be called until the hours that all of them share end", async () => {
    const { callable_until } = await found(
      "CA/America/Los_Angeles|FL/America/New_York",
      "2027-01-26T15:00",
      eastern,
    );
    expect(callable_until).toEqual(momentAt(eastern, "2027-01-26T20:00"));
  });
});

describe("a person whose ZIP code is unknown", () => {
  const place = "unknown/America/New_York";

  it("is called from 13:00 to 18:00 Eastern, Monday to Friday", async () => {
    const times = [
      "2027-01-29T12:59",
      "2027-01-29T13:00",
      "2027-01-29T17:59",
      "2027-01-29T18:00",
      "2027-01-30T14:00",
    ];
    const seen = [];
    for (const time of times) seen.push((await found(place, time, eastern)).callable);
    expect(seen).toEqual([false, true, true, false, false]);
    const saturday = await found(place, "2027-01-30T14:00", eastern);
    expect(saturday).toMatchObject({ reason: "unknown_zip", states: [], zones: [eastern] });
    expect(saturday.next_callable_at).toEqual(momentAt(eastern, "2027-02-01T13:00"));
  });

  it("is whoever has no place yet, or one that cannot be read", async () => {
    const rows = await database.owner<Found[]>`
      select * from private.calling_windows(array[null, '', 'x', 'FL', 'FL/Mars'], '2027-01-30T19:00Z')`;
    expect(rows.map(({ reason }) => reason)).toEqual(Array(5).fill("unknown_zip"));
  });
});

describe("a paused state", () => {
  it("is not called at any hour, nor is a person who may be there, until the pause ends", async () => {
    await database.owner`
      insert into private.paused_states (state, paused_by, reason) values ('LA', 'Ruth', 'Hurricane')`;
    const paused = await found("LA/America/Chicago", "2027-01-26T12:00");
    expect(paused).toMatchObject({
      callable: false,
      next_callable_at: null,
      reason: "paused",
      blocking_state: "LA",
    });
    const near = await found("TX/America/Chicago|LA/America/Chicago", "2027-01-26T12:00", central);
    expect(near).toMatchObject({ callable: false, reason: "paused", blocking_state: "LA" });
    expect((await found("TX/America/Chicago", "2027-01-26T12:00")).callable).toBe(true);
    await database.owner`delete from private.paused_states`;
    expect((await found("LA/America/Chicago", "2027-01-26T12:00")).callable).toBe(true);
  });

  it("must be a state that exists", async () => {
    const pause = database.owner`
      insert into private.paused_states (state, paused_by, reason) values ('XX', 'Ruth', 'Typing')`;
    await expect(pause).rejects.toThrow("paused_states_state_fkey");
  });
});

/** Whether a place allows a call, from the rules and holidays above, and from what Intl says that its clocks show. */
function allows(place: string, moment: Date): boolean {
  const cut = place.indexOf("/");
  const [state, zone] = [place.slice(0, cut), place.slice(cut + 1)];
  const clock = clockIn(zone, moment);
  const isHoliday = holidays[state]?.includes(clock.toISOString().slice(0, 10)) ?? false;
  const nth = { 0: 2, 6: 1 }[clock.getUTCDay()] ?? 0;
  const unknown: [Hours, Hours, Hours] = [[13, 18], null, null];
  const hours = (state === "unknown" ? unknown : (rules[state]?.hours ?? federal))[nth];
  return !isHoliday && hours != null && clock.getUTCHours() >= hours[0] && clock.getUTCHours() < hours[1];
}

describe("any places at any moment", () => {
  it("allow a call exactly when each of them does, and the next lawful moment is the first at which all do", async () => {
    const every = await database.owner<{ place: string }[]>`select place from private.places order by place`;
    const aPlace = fc.constantFrom(...every.map(({ place }) => place));
    const aKey = fc.uniqueArray(aPlace, { minLength: 1, maxLength: 3 });
    const aMoment = fc.date({
      min: new Date("2026-11-02T00:00Z"),
      max: new Date("2027-12-10T00:00Z"),
      noInvalidDate: true,
    });
    const hour = 3_600_000;
    await fc.assert(
      fc.asyncProperty(fc.array(aKey, { minLength: 1, maxLength: 30 }), aMoment, async (keys, moment) => {
        const rows = await windows(
          keys.map((places) => places.join("|")),
          moment,
        );
        expect(rows.length).toBe(keys.length);
        for (const [nth, places] of keys.entries()) {
          const row = rows[nth] as Found;
          const allAllow = (at: number) => places.every((place) => allows(place, new Date(at)));
          expect([row.place, row.callable]).toEqual([places.join("|"), allAllow(moment.getTime())]);
          // Every zone's clocks are whole hours from UTC, so hours begin and end on whole hours.
          const next = row.next_callable_at?.getTime() ?? moment.getTime() + 13 * 24 * hour;
          if (row.next_callable_at) expect(allAllow(next)).toBe(true);
          const nextHour = Math.ceil(moment.getTime() / hour) * hour;
          for (let at = nextHour; !row.callable && at < next; at += hour) expect(allAllow(at)).toBe(false);
          if (row.callable) expect(next).toBe(moment.getTime());
          const until = row.callable_until?.getTime();
          expect(until !== undefined).toBe(row.callable);
          if (until) expect([allAllow(until - 1), allAllow(until)]).toEqual([true, false]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("the rules", () => {
  it("are out of reach of every role but the owner", async () => {
    const open = await database.owner`
      select c.relname, r.rolname from pg_class c
      join pg_roles r on r.rolname in ('anon', 'leads_intake', 'leads_delivery', 'leads_team')
      where c.relnamespace = 'private'::regnamespace
        and c.relname in ('calling_rules', 'paused_states', 'places', 'zip_places', 'area_codes')
        and (
          has_table_privilege(r.rolname, c.oid, 'select, insert, update, delete, truncate, references, trigger')
          or has_any_column_privilege(r.rolname, c.oid, 'select, insert, update, references')
        )`;
    expect([...open]).toEqual([]);
    const [others] = await database.owner<{ roles: string[] }[]>`
      select array_agg(distinct a.grantee::text) as roles from pg_class c, aclexplode(c.relacl) a
      where c.relnamespace = 'private'::regnamespace and a.grantee <> c.relowner
        and c.relname in ('calling_rules', 'paused_states', 'places', 'zip_places', 'area_codes')`;
    expect(others?.roles).toBeNull();
    await expect(database.intake`select private.place_of('33101', '')`).rejects.toThrow("permission denied");
  });
});
