// Our table of ZIP codes against a public list of all of them, and against a map of the time zones.
import { createRequire } from "node:module";
import timeZoneAt from "@photostructure/tz-lookup";
import { beforeAll, describe, expect, it } from "vitest";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { fetchPackages } from "./support/fetched-packages.ts";
import { refuseInQuickTier } from "./support/quick-tier.ts";
import { clockIn } from "./support/wall-clock.ts";

/** A ZIP code of the public list: its post office's state and where on the map it is. */
interface Listed {
  zip: string;
  state: string;
  country: string;
  latitude: number;
  longitude: number;
}

describe("the table of ZIP codes, against a public list of 42,555", () => {
  let database: TestDatabase;
  let listed: Listed[];
  const placesByZip = new Map<string, string[]>();
  beforeAll(async () => {
    refuseInQuickTier("a package from npm");
    database = await makeDatabase();
    const { codes } = createRequire(import.meta.url)(`${fetchPackages("zipcodes")}/zipcodes`) as {
      codes: Record<string, Listed>;
    };
    listed = Object.values(codes).filter(({ country }) => country === "US");
    const rows = await database.owner<{ zip: string; place: string }[]>`
      select z.zip, private.place_of(z.zip, '') as place from unnest(${listed.map(({ zip }) => zip)}::text[]) as z (zip)`;
    for (const { zip, place } of rows) placesByZip.set(zip, place.split("|"));
  });
  const placesOf = ({ zip }: Listed) => placesByZip.get(zip) ?? [];
  const zoneOf = (place: string) => place.slice(place.indexOf("/") + 1);

  it("knows each of them, and its state", () => {
    expect(listed.length).toBe(42_555);
    const wrong = listed.filter((one) => !placesOf(one).some((place) => place.startsWith(`${one.state}/`)));
    expect(wrong.map(({ zip, state }) => `${zip} ${state}`)).toEqual([]);
  });

  // Two zones count as the same when their clocks agree in winter and in summer.
  const moments = ["2026-01-15T12:00Z", "2026-07-15T12:00Z"].map((time) => new Date(time));
  const clocksByZone = new Map<string, string>();
  const clocksOf = (zone: string) => {
    const clocks =
      clocksByZone.get(zone) ?? moments.map((moment) => clockIn(zone, moment).toISOString()).join();
    clocksByZone.set(zone, clocks);
    return clocks;
  };

  /** The clocks of the map at a point and at eight points around it. The map is drawn coarsely along its borders. */
  function clocksNear({ latitude, longitude }: Listed, km: number): Set<string> {
    const around = [0, 1, 2, 3, 4, 5, 6, 7].map((eighth) => (eighth * Math.PI) / 4);
    const north = (angle: number) => latitude + (Math.sin(angle) * km) / 111;
    const east = (angle: number) =>
      longitude + (Math.cos(angle) * km) / (111 * Math.cos((latitude * Math.PI) / 180));
    const zones = around.map((angle) => timeZoneAt(north(angle), east(angle)));
    return new Set([timeZoneAt(latitude, longitude), ...zones].map(clocksOf));
  }

  it("has the time zone of the map within 80 km", () => {
    // Military addresses (AA, AE, AP) are left out, because the table gives them the zones of a whole region.
    const onTheMap = listed.filter((one) => one.latitude && !/^A[AEP]\//.test(placesOf(one)[0] ?? ""));
    expect(onTheMap.length).toBeGreaterThan(41_000);
    const wrong = onTheMap.filter((one) => {
      const clocks = clocksNear(one, 80);
      return !placesOf(one).some((place) => clocks.has(clocksOf(zoneOf(place))));
    });
    // The list puts this ZIP code of Manhattan into Asia.
    expect(wrong.map(({ zip }) => zip)).toEqual(["10200"]);
  });
});
