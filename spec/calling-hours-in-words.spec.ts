// How the calling hours are told: when a call is lawful again, on whose clocks, and the names of the states.
import { beforeAll, describe, expect, it } from "vitest";
import { clocksOf, dayThere, lawfulAgain, timeThere } from "../calling/lawful-again.ts";
import { stateChoices, stateNames } from "../calling/state-names.ts";
import type { Place } from "../inbox/api-values.ts";
import { refusalSentence } from "../inbox/client/page/refusal.ts";
import { onClocks } from "../inbox/client/page/words.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { momentAt } from "./support/wall-clock.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

const eastern = "America/New_York";

describe("the words for a calling time", () => {
  const now = momentAt(eastern, "2026-11-21T15:00");
  const kentucky = { zone: eastern, state: "KY" };

  it("say the day, the time and the state", () => {
    const at = (time: string) => momentAt(eastern, time);
    expect(lawfulAgain({ ...kentucky, at: at("2026-11-23T09:00") }, now)).toBe(
      "Lawful again Monday 9:00 AM in Kentucky.",
    );
    expect(lawfulAgain({ ...kentucky, at: at("2026-11-21T21:05") }, now)).toBe(
      "Lawful again today 9:05 PM in Kentucky.",
    );
    expect(lawfulAgain({ ...kentucky, at: at("2026-11-30T10:00") }, now)).toBe(
      "Lawful again Monday, November 30 10:00 AM in Kentucky.",
    );
    expect(lawfulAgain({ zone: eastern, at: at("2026-11-23T13:00") }, now)).toBe(
      "Lawful again Monday 1:00 PM Eastern time.",
    );
    expect(lawfulAgain({ ...kentucky, at: null }, now)).toBe("No hour in the next 14 days is lawful.");
    expect(timeThere(momentAt(eastern, "2026-11-21T00:07"), eastern)).toBe("12:07 AM");
  });

  it("say the date of a day that is over, or more than six days away, so that no day of last week is taken for one of the next", () => {
    const days = ["2026-11-14", "2026-11-15", "2026-11-20", "2026-11-21", "2026-11-27", "2026-11-28"];
    expect(days.map((day) => dayThere(momentAt(eastern, `${day}T12:00`), eastern, now))).toEqual([
      "Saturday, November 14",
      "Sunday, November 15",
      "Friday, November 20",
      "today",
      "Friday",
      "Saturday, November 28",
    ]);
  });

  it("take the day and the time from the clocks of the zone, also where another day has begun in UTC", () => {
    const evening = momentAt(eastern, "2026-11-21T20:30");
    const zones = [eastern, "Pacific/Honolulu", "Pacific/Guam"];
    const words = (at: Date) => zones.map((zone) => `${dayThere(at, zone, evening)} ${timeThere(at, zone)}`);
    expect(words(evening)).toEqual(["today 8:30 PM", "today 3:30 PM", "today 11:30 AM"]);
    expect(words(momentAt(eastern, "2026-11-22T09:00"))).toEqual([
      "Sunday 9:00 AM",
      "Sunday 4:00 AM",
      "Monday 12:00 AM",
    ]);
  });

  it("give the time in the time zone of the state that they name", async () => {
    const clocks = async (place: string, time: string) => {
      const [row] = await database.owner`
        select private.place_json('', private.place_at(${place}, ${momentAt(eastern, time)})) as place`;
      return clocksOf(row?.place);
    };
    const kentuckyAndAlabama = `KY/${eastern}|AL/America/Chicago`;
    expect(await clocks(kentuckyAndAlabama, "2026-11-23T11:00")).toEqual({ zone: eastern, state: "KY" });
    expect(await clocks(kentuckyAndAlabama, "2026-11-22T11:00")).toEqual({
      zone: "America/Chicago",
      state: "AL",
    });
    for (const time of ["2026-11-23T15:00", "2026-11-23T19:00"])
      expect(await clocks(`unknown/${eastern}|HI/Pacific/Honolulu`, time)).toEqual({
        zone: eastern,
        state: undefined,
      });
  });

  it("name the zone beside a time only where the clocks of the place differ at that moment, and Eastern time for an unknown ZIP code", () => {
    const words = (zone: string, day: string, zones: string[], likeliest_state: string | null) =>
      onClocks({ zones, likeliest_state } as Place, zone, "theirs", momentAt(zone, `${day}T12:00`));
    const [central, mountain, arizona] = ["America/Chicago", "America/Denver", "America/Phoenix"];
    expect(words(eastern, "2026-11-23", [eastern], "FL")).toBe("theirs");
    expect(words(eastern, "2026-11-23", [eastern, "America/Indiana/Indianapolis"], "IN")).toBe("theirs");
    expect(words(eastern, "2026-11-23", [eastern, "America/Los_Angeles"], "FL")).toBe("Eastern time");
    expect(words(mountain, "2026-07-23", [arizona, mountain], "AZ")).toBe("Mountain time");
    expect(words(mountain, "2026-11-23", [arizona, mountain], "AZ")).toBe("theirs");
    expect(words(eastern, "2026-11-23", [eastern, central], null)).toBe("Eastern time");
    expect(words(central, "2026-11-23", [eastern, central], null)).toBe("Central time");
    // A callback may be in a zone that the place does not have.
    expect(words(central, "2026-11-23", [eastern], "FL")).toBe("Central time");
  });

  it("say on whose clocks the 24 hours end, also where no other time is told", () => {
    const zones = ["America/Chicago"];
    const clocks = { zones, likeliest_state: "AL", blocking_zone: zones[0], blocking_state: "AL" };
    const refused = (reason: string, place: object, next?: string) =>
      refusalSentence(
        {
          refused: reason,
          next_at: next ? momentAt(eastern, next).toISOString() : null,
          due_at: momentAt(eastern, "2026-11-22T22:00").toISOString(),
          reviewed: false,
          place: { ...place, reason },
        } as unknown as Parameters<typeof refusalSentence>[0],
        now,
      );
    expect(refused("paused", clocks)).toBe(
      "Calls to Alabama are paused. The 24 hours end Sunday 9:00 PM in Alabama: review now.",
    );
    expect(refused("outside_hours", clocks, "2026-11-23T09:00")).toBe(
      "Lawful again Monday 8:00 AM in Alabama. The 24 hours end Sunday 9:00 PM: review now, call Monday.",
    );
    expect(refused("unknown_zip", { zones: [eastern], likeliest_state: null }, "2026-11-22T13:00")).toBe(
      "Where this person is cannot be told from the ZIP code. Lawful again Sunday 1:00 PM Eastern time. The 24 hours end Sunday 10:00 PM.",
    );
  });

  it("offer the states by the alphabet of their names", () => {
    const names = stateChoices.map(([, name]) => name);
    expect(names).toHaveLength(Object.keys(stateNames).length - 1);
    expect(names.slice(0, 4)).toEqual(["Alabama", "Alaska", "American Samoa", "Arizona"]);
    expect(names).toContain("Military address in the Americas");
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, "en")));
  });

  it("name each state as the database does", async () => {
    const names = await database.owner<{ state: string; name: string }[]>`
      select state, name from private.calling_rules`;
    expect(Object.fromEntries(names.map(({ state, name }) => [state, name]))).toEqual(stateNames);
  });
});
