// Where a person is, from the ZIP code and the phone number as they were typed: the states and time zones that are plausible.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { makeDatabase, type TestDatabase } from "./support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

/** The places of a person in short: "KY Chicago, KY New_York". */
async function places(zipCode: string, phone = ""): Promise<string> {
  const [row] = await database.owner<
    { place: string }[]
  >`select private.place_of(${zipCode}, ${phone}) as place`;
  return (row?.place ?? "").replaceAll("|", ", ").replaceAll(/\/\w+\//g, " ");
}

describe("a ZIP code", () => {
  it.each([
    ["10001", "New York City", "NY New_York"],
    ["33101", "Miami", "FL New_York"],
    ["60601", "Chicago", "IL Chicago"],
    ["90001", "Los Angeles", "CA Los_Angeles"],
    ["02108", "Boston, with its leading zero", "MA New_York"],
    ["00601", "Adjuntas, Puerto Rico", "PR Puerto_Rico"],
    ["00802", "Saint Thomas, Virgin Islands", "VI Puerto_Rico"],
    ["96910", "Hagåtña, Guam", "GU Guam"],
    ["96950", "Saipan, Northern Mariana Islands", "MP Guam"],
    ["96799", "Pago Pago, American Samoa", "AS Pago_Pago"],
    ["96813", "Honolulu", "HI Honolulu"],
    ["96940", "Koror, Palau", "PW Palau"],
    ["99501", "Anchorage", "AK Anchorage"],
    ["99546", "Adak in the Aleutians", "AK Adak"],
    ["99923", "Hyder, Alaska, on the clocks of Canada", "AK Anchorage, AK Los_Angeles"],
    ["85001", "Phoenix", "AZ Phoenix"],
    ["86515", "Window Rock, Navajo Nation", "AZ Denver, AZ Phoenix, NM Denver"],
    ["86033", "Kayenta, Navajo Nation", "AZ Denver, AZ Phoenix"],
    ["46201", "Indianapolis", "IN New_York"],
    ["46401", "Gary, Indiana", "IN Chicago"],
    ["46534", "Knox, Indiana", "IN Chicago"],
    ["47708", "Evansville, Indiana", "IN Chicago"],
    ["47546", "Jasper, Indiana", "IN New_York"],
    ["40202", "Louisville", "KY New_York"],
    ["42101", "Bowling Green, Kentucky", "KY Chicago"],
    ["42701", "Elizabethtown, Kentucky", "KY New_York"],
    ["42223", "Fort Campbell, in two states", "KY Chicago, TN Chicago"],
    ["37201", "Nashville", "TN Chicago"],
    ["37902", "Knoxville", "TN New_York"],
    ["37402", "Chattanooga", "TN New_York"],
    ["37723", "Crab Orchard, Tennessee", "TN Chicago"],
    ["32401", "Panama City, Florida", "FL Chicago"],
    ["32301", "Tallahassee", "FL New_York"],
    ["32456", "Port Saint Joe, in a divided county", "FL New_York, FL Chicago"],
    ["36867", "Phenix City, Alabama, on the clocks of Georgia", "AL Chicago, AL New_York"],
    ["77001", "Houston", "TX Chicago"],
    ["79901", "El Paso", "TX Denver"],
    ["79851", "Sierra Blanca, Texas", "TX Denver"],
    ["67202", "Wichita", "KS Chicago"],
    ["67735", "Goodland, Kansas", "KS Denver"],
    ["67878", "Syracuse, Kansas", "KS Denver"],
    ["68102", "Omaha", "NE Chicago"],
    ["69361", "Scottsbluff, Nebraska", "NE Denver"],
    ["69101", "North Platte, Nebraska", "NE Chicago"],
    ["58102", "Fargo", "ND Chicago"],
    ["58601", "Dickinson, North Dakota", "ND Denver"],
    ["57104", "Sioux Falls", "SD Chicago"],
    ["57701", "Rapid City", "SD Denver"],
    ["57532", "Fort Pierre, over the river from Pierre", "SD Denver, SD Chicago"],
    ["83702", "Boise", "ID Denver"],
    ["83814", "Coeur d'Alene", "ID Los_Angeles"],
    ["83549", "Riggins, Idaho, on the line", "ID Denver, ID Los_Angeles"],
    ["97201", "Portland, Oregon", "OR Los_Angeles"],
    ["97914", "Ontario, Oregon", "OR Denver"],
    ["48201", "Detroit", "MI New_York"],
    ["49801", "Iron Mountain, Michigan", "MI Chicago"],
    ["49855", "Marquette, Michigan", "MI New_York"],
    ["89101", "Las Vegas", "NV Los_Angeles"],
    ["89883", "West Wendover, Nevada", "NV Denver, NV Los_Angeles, UT Denver"],
    ["86047", "Winslow, Arizona, beside the Navajo Nation", "AZ Phoenix, AZ Denver"],
    ["63101", "Saint Louis", "MO Chicago"],
    ["06390", "Fishers Island, New York, by way of Connecticut", "NY New_York"],
    ["83414", "Alta, Wyoming, by way of Idaho", "WY Denver"],
    ["09012", "a base in Europe", "AE Berlin, AE London, AE Azores, AE Riyadh"],
    ["34002", "a base in the Americas", "AA New_York, AA Chicago, AA Puerto_Rico, AA Sao_Paulo"],
    ["96301", "a base in Asia", "AP Tokyo, AP Singapore, AP Guam"],
  ])("%s is %s", async (zipCode, _where, expected) => {
    expect(await places(zipCode)).toBe(expected);
  });

  it.each([
    "33101",
    " 33101 ",
    "33101-1234",
    "331011234",
    "33101 1234",
    "33101 - 1234",
    "33101- 1234",
    "33101 — 1234",
    "FL 33101",
    "Miami, FL 33101-1234",
    "33101–1234",
    "33101\u00a01234",
    "331\u200b01",
    "３３１０１",
    "３３１０１－１２３４",
    "٣٣١٠١",
    "३३१०१",
  ])("is read however it is typed, in the digits of any script: %j", async (typed) => {
    expect(await places(typed)).toBe("FL New_York");
  });

  it.each([
    "",
    "call me after 5pm",
    "3310",
    "331011",
    "33101 or 33102",
    `33101${" ".repeat(200)}33102`,
    "00000",
    "99999x1",
    "SW1A 1AA",
    "３３１０",
    "③③①⓪①",
  ])("has an unknown place when it is no ZIP code: %j", async (typed) => {
    expect(await places(typed)).toBe("unknown New_York");
  });
});

describe("a phone number", () => {
  it.each([
    "(305) 555-0142",
    "305.555.0142",
    "+1 305 555 0142",
    "13055550142",
    "1-305-555-0142",
    "305 555 0142 x12",
  ])("adds nothing when its area code is of the same place: %s", async (phone) => {
    expect(await places("33101", phone)).toBe("FL New_York");
  });

  it("adds the places of its area code when it is from elsewhere", async () => {
    expect(await places("33101", "(212) 555-0100")).toBe("FL New_York, NY New_York");
    expect(await places("33101", "208-555-0100")).toBe("FL New_York, ID Denver, ID Los_Angeles");
    expect(await places("call me", "808 555 0100")).toBe("unknown New_York, HI Honolulu");
    expect(await places("33101", "home 212 555 0100 x12")).toBe("FL New_York, NY New_York");
  });

  // The area codes of one region, of those regions that have two time zones. (NANPA, area code maps)
  it.each(["334 483", "448 850", "208 986", "812 930", "270 364", "458 541", "423 729"])(
    "adds the same places whichever of the area codes of its region it has: %s",
    async (codes) => {
      const [first = "", ...others] = await Promise.all(
        codes.split(" ").map((code) => places("96799", `${code} 555 0100`)),
      );
      expect(first.split(", ").length).toBeGreaterThan(2);
      expect(new Set(others)).toEqual(new Set([first]));
    },
  );

  it("adds nothing when one of the places of its area code is one of the ZIP code's", async () => {
    expect(await places("66603", "785 555 0100")).toBe("KS Chicago");
    expect(await places("40111", "270 555 0100")).toBe("KY Chicago");
  });

  it.each([
    "",
    "555-0142",
    "(800) 555-0142",
    "+44 20 7946 0958",
    "0113055550142",
    "305 555 01429",
    "(212) 155-0100",
    "none",
  ])("adds nothing when it has no area code of a state: %j", async (phone) => {
    expect(await places("33101", phone)).toBe("FL New_York");
  });
});

describe("whatever was typed", () => {
  it("has a place, which the calling hours can read", async () => {
    // PostgreSQL refuses a text with a NUL; fast-check makes no half of a surrogate pair.
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[0-9 ()+x.-]{0,40}$/));
    const storable = text.filter((typed) => !typed.includes("\0"));
    await fc.assert(
      fc.asyncProperty(storable, storable, async (zipCode, phone) => {
        const [row] = await database.owner<{ known: boolean }[]>`
          select bool_and(exists (select from private.places p where p.place = m)) as known
          from unnest(string_to_array(private.place_of(${zipCode}, ${phone}), '|')) as m`;
        expect(row?.known).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("has a place when nothing was typed", async () => {
    const [row] = await database.owner`select private.place_of(null, null) as place`;
    expect(row?.place).toBe("unknown/America/New_York");
  });
});
