// The words by which an ad names itself in an address, as the database counts them: without e-mail addresses, phone numbers and click ids.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCost } from "../team/campaign-costs.ts";
import { aCount, addCounts } from "./support/counts.ts";
import { makeDatabase } from "./support/database.ts";

const database = await makeDatabase();
const cleaned = async (words: readonly string[]) => {
  const found = await database.owner<{ word: string }[]>`
    select private.clean_campaign_word(w.word) as word
    from jsonb_array_elements_text(${JSON.stringify(words)}::text::jsonb) with ordinality as w (word, nth) order by w.nth`;
  return found.map(({ word }) => word);
};

describe("a campaign's word", () => {
  it.each([
    ["facebook", "facebook"],
    ["Spring_Sale+2026", "spring_sale 2026"],
    ["CGM%20%7C%20Seniors%2065%2B%20%7C%20FL", "cgm - seniors 65 - fl"],
    ["Oto%C3%B1o%202026", "otono 2026"],
    ["Otoño", "otono"],
    ["{{campaign.name}}", "campaign.name"],
    ["2026-11-21", "2026-11-21"],
    ["launch 11/21/2026", "launch 11-21-2026"],
    ["120210987654321098", "120210987654321098"],
    ["120210987654321098_120210987654399999", "120210987654321098_120210987654399999"],
    ["q4-2026-11-21 to 2026-12-24", "q4-2026-11-21 to 2026-12-24"],
    ["", ""],
    ["  ", ""],
    ["(other)", "(other)"],
  ])(
    "is kept in lower case, with its letters, digits, blanks and the characters . _ -: %j",
    async (given, clean) => {
      expect(await cleaned([given])).toEqual([clean]);
    },
  );

  it("is read also where it was percent-encoded twice", async () => {
    expect(await cleaned(["oto%25C3%25B1o", "%2553pring"])).toEqual(["otono", "spring"]);
  });

  it("is cut to 60 characters, and removed where nothing else than a number is left of it", async () => {
    const words = ["x".repeat(500), `${"%D0%9B".repeat(31)}_120210987654321098`];
    expect(await cleaned(words)).toEqual(["x".repeat(60), "(removed)"]);
  });

  it.each([
    "rosa@example.com",
    "rosa%40example.com",
    "rosa%2540example.com",
    "for+rosa@example.com",
    "3055550142",
    "(305)%20555-0142",
    "%2B1%20305.555.0142",
    "call-305-555-0142-now",
    "305 - 555 - 0142",
    "555-0142",
    "305-555-0142 2026-11-21",
    "120210987654321098 305-555-0142",
    "IwAR0aBc1De2fGh3iJk4lMn5oPq6",
    "550e8400-e29b-41d4-a716-446655440000",
  ])(
    "is removed when it has the shape of an e-mail address, a phone number or an id of one click: %s",
    async (word) => {
      expect(await cleaned([word])).toEqual(["(removed)"]);
    },
  );

  it("keeps no part of a number that the cut at 200 characters divides", async () => {
    const encoded = "%D0%BF".repeat(31);
    const words = [
      `${encoded}_ab305-555-0142`,
      `spring${"+".repeat(187)}305-555-0142`,
      `${encoded}305%2D555%2D0142x`,
    ];
    expect(await cleaned(words)).toEqual(["ab", "spring", "(removed)"]);
  });

  it.each([
    ["Spring – Seniors", "Spring%20%E2%80%93%20Seniors", "spring - seniors"],
    ["ő", "%C5%91", ""],
    ["spring™2", "spring%E2%84%A22", "spring-2"],
  ])("is the same typed and percent-encoded: %s", async (typed, encoded, clean) => {
    expect(await cleaned([typed, encoded])).toEqual([clean, clean]);
  });

  it("is removed also where blanks hide the shape of a phone number, and is cut before a number that would not fit whole", async () => {
    const long = "cgm_seniors_florida_spring_lookalike_broad_mobile_120210987654321098";
    const personal = ["a1b2c3d4e5f6a7b8c9", "305-555-0142"].map((one) => `${long.slice(0, 49)}_v2_${one}`);
    expect(await cleaned(["305    555    0142", "55    50142", ...personal, long])).toEqual([
      "(removed)",
      "(removed)",
      "(removed)",
      "(removed)",
      "cgm_seniors_florida_spring_lookalike_broad_mobile",
    ]);
  });

  it("is one that the tables take, whatever was sent, and is cleaned no further by a second cleaning", async () => {
    const anything = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.string({
        unit: fc.constantFrom("%", "2", "5", "c", "3", "a", "b", "1", "+", " ", "-", "(", "é", "Z"),
        maxLength: 80,
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          anything.map((one) => one.replaceAll("\0", "")),
          { minLength: 40, maxLength: 40 },
        ),
        async (words) => {
          const once = await cleaned(words);
          expect(await cleaned(once)).toEqual(once);
          await database.owner`truncate private.page_counts, private.campaign_names`;
          await addCounts(
            database.intake,
            words.map((word) => aCount({ source: word, medium: word, campaign: word })),
          );
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("the campaign of a cost", () => {
  it("is refused where nothing would be left of its name, exactly as the database has it", async () => {
    const rest = { day: "2026-01-31", amount: "1", lastDay: "", currency: "", source: "", medium: "" };
    const isTaken = (campaign: string) => !("problem" in readCost({ ...rest, campaign }));
    const named = [
      "7".repeat(250),
      `${"%D0%BF".repeat(31)}305%2D555%2D0142x`,
      "spring",
      "%53pring",
      "Oto%C3%B1o",
      "é",
      "лето 2026",
      "-a",
      "100%",
    ];
    const nameless = [
      "ő",
      "%20",
      "%2520",
      "%D0%9B%D0%B5",
      "%C3%97",
      "×",
      "春",
      " . ",
      `${"-".repeat(200)}a`,
      "1".repeat(61),
      `_#${"1".repeat(61)}`,
      "%73".repeat(100),
      `${"%D1%80".repeat(4)}%20${"%D1%80".repeat(40)}`,
    ];
    expect((await cleaned([...named, ...nameless])).map((word) => word !== "")).toEqual(
      [...named, ...nameless].map(isTaken),
    );
    expect([...named, ...nameless].filter(isTaken)).toEqual(named);
  });
});
