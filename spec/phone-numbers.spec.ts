// Which numbers are read in a phone field, where a visitor may type anything: the first is the one that is dialled, and a stop holds
// for each of them.
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { callLead } from "./support/calls.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
beforeEach(() => removeLeads(database.owner));

async function numbersIn(typed: string): Promise<string[]> {
  const [row] = await database.owner<{ numbers: string[] }[]>`
    select to_jsonb(private.phone_numbers(${typed})) as numbers`;
  return row?.numbers ?? [];
}

describe("a number", () => {
  it.each([
    "(305) 555-0142",
    "305.555.0142",
    "+1 305 555 0142",
    "13055550142",
    "1 (305) 555-0142",
    "305/555/0142",
    "30 55 55 01 42",
    "305-555-0142 x12",
    "3055550142x12",
    "305 555 0142 ext. 12",
    "305 555 0142 #1234",
    "3055550142,,12",
    "3055550142;ext=12",
    "305 555 0142 12",
    "305 555 01 42 x12",
    "+1 (305) 555-0142 extension 1234",
    "call 305 555 0142 after 5 pm, ask for Ann",
    "after 5: 305 555 0142",
    "305 then 555 then 0142",
    "305 555 0142 or 1-305-555-0142",
    "001 305 555 0142",
    "00 1 (305) 555-0142",
    "011 1 305 555 0142 x12",
    "+011 1 305 555 0142",
  ])("is the same however it is typed, with an extension or without: %s", async (typed) => {
    expect(await numbersIn(typed)).toEqual(["3055550142"]);
  });

  it.each([
    ["+44 20 7946 0958", "442079460958"],
    ["+44 20 7946 0958 x12", "442079460958"],
    ["44 20 7946 0958", "442079460958"],
    ["011 44 20 7946 0958", "442079460958"],
    ["00 44 20 7946 0958", "442079460958"],
    ["+011 44 20 7946 0958", "442079460958"],
    ["+ 00 44 20 7946 0958", "442079460958"],
    ["(+) 0044 20 7946 0958", "442079460958"],
    ["+44 (0)20 7946 0958", "442079460958"],
    ["0044 ( 0 ) 20 7946 0958", "442079460958"],
    ["44(0)2079460958", "442079460958"],
    ["(0)20 7946 0958", "02079460958"],
    ["305 555 01429", "30555501429"],
    ["555-0142", "5550142"],
    ["+683 4123", "6834123"],
    ["011 683 4123", "6834123"],
    ["+47 22 00 00 001", "47220000001"],
    ["555-0142 x123", "5550142"],
  ])(
    "from elsewhere, or too short or too long, keeps its digits without 011 or 00 before the country: %s",
    async (typed, digits) => {
      expect(await numbersIn(typed)).toEqual([digits]);
    },
  );

  it.each([
    ["+507 269-1234", "0115072691234"],
    ["+(507) 269-1234", "0115072691234"],
    ["+ 507 2691234", "0115072691234"],
    ["011 507 269 1234", "0115072691234"],
    ["+011 507 269 1234", "0115072691234"],
    ["+5072691234 ext. 5", "0115072691234"],
    ["+507 then 269 then 1234", "0115072691234"],
    ["+53 7 832 1234", "0115378321234"],
    ["+65 6321 1234", "0116563211234"],
    ["00 47 7123 4567", "0114771234567"],
    ["0113055550142", "0113055550142"],
  ])("that has ten digits with its country is no number of the United States: %s", async (typed, digits) => {
    expect(await numbersIn(typed)).toEqual([digits]);
    const [row] = await database.owner<{ place: string; us: string }[]>`
      select private.place_of('', ${typed}) as place, private.place_of('', '507 269 1234') as us`;
    expect(row).toEqual({ place: "unknown/America/New_York", us: expect.stringContaining("MN/") });
  });

  it.each(["", "none", "call me", "555", "12 34 56", "1".repeat(21)])("is not in %j", async (typed) => {
    expect(await numbersIn(typed)).toEqual([]);
  });

  it.each([
    "305 555 0142 or 786-555-0199",
    "3055550142/7865550199",
    "305-555-0142 + 786-555-0199",
    "(305) 555-0142 + (786) 555-0199",
    "305-555-0142, 1 786 555 0199",
    "(305) 555-0142 (786) 555-0199",
    "305 555 0142 x12, home 786 555 0199 x3",
    "30 55 55 01 42 and 786 55 50 199",
  ])("may stand beside another: %s", async (typed) => {
    expect(await numbersIn(typed)).toEqual(["3055550142", "7865550199"]);
  });

  it.each([
    ["+52 55 1234 5678 / 305 555 0142", ["525512345678", "3055550142"]],
    ["+507 269 1234 & 305-555-0142", ["0115072691234", "3055550142"]],
    ["305 555 0142 / 011 52 55 1234 5678", ["3055550142", "525512345678"]],
    ["+53 5 123 4567\n(305) 555-0142", ["0115351234567", "3055550142"]],
    // A sign within a number divides nothing.
    ["+49 30/1234567", ["49301234567"]],
    ["+52 (55) 1234 5678", ["525512345678"]],
  ])(
    "of the United States and one of another country are each read where a sign stands between: %j",
    async (typed, numbers) => {
      expect(await numbersIn(typed)).toEqual(numbers);
    },
  );

  it("has 7 to 20 digits of what was typed, whatever was typed", async () => {
    const typed = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^([0-9 ()+x.,;#/-]|[(]0[)]){0,60}$/),
    );
    const storable = typed.filter((text) => !text.includes("\0"));
    await fc.assert(
      fc.asyncProperty(storable, async (text) => {
        for (const number of await numbersIn(text)) {
          expect(number).toMatch(/^\d{7,20}$/);
          const dialled = text.replaceAll(
            /([0-9][^0-9\p{L}#,;(]*)[(][^0-9\p{L}()]*0[^0-9\p{L}()]*[)]/gu,
            "$1",
          );
          const digits = dialled.replaceAll(/[^0-9]/g, "");
          // Ten digits that were typed after a plus sign, 011 or 00 are kept with 011 before them, as they are dialled.
          const asTyped = /^011\d{10}$/.test(number) && !digits.includes(number) ? number.slice(3) : number;
          expect(digits).toContain(asTyped);
          if (asTyped !== number) expect(text).toMatch(/[+]|0\D*[01]/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The code of the zero in each script that has ten digits in Unicode. */
const zeros = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .filter((code) => /\p{Nd}/u.test(String.fromCodePoint(code)))
  .filter((_, nth) => nth % 10 === 0);
/** The text with its digits in the script of this zero. */
const inScript = (text: string, zero: number) =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
/** The text in full-width characters, its signs and blanks too. */
const inFullWidth = (text: string) =>
  text
    .replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0))
    .replaceAll(" ", "\u3000");

describe("a number in other digits", () => {
  it("is the same as in ASCII digits, whichever script of Unicode they are from", async () => {
    expect(zeros.length).toBeGreaterThan(70);
    for (const zero of zeros)
      expect(await numbersIn(inScript("(305) 555-0142, 786 555 0199", zero)), zero.toString(16)).toEqual([
        "3055550142",
        "7865550199",
      ]);
  });

  it.each([
    ["２１２－５５５－０１９９", "2125550199"],
    ["٢١٢٥٥٥٠١٩٩", "2125550199"],
    ["۲۱۲-۵۵۵-۰۱۹۹", "2125550199"],
    ["२१२ ५५५ ०१९९", "2125550199"],
    ["২১২৫৫৫০১৯৯", "2125550199"],
    ["2١2-5٥5-0١9９", "2125550199"],
    ["+١ (٢١٢) ٥٥٥-٠١٩٩", "2125550199"],
    ["２１２\u3000５５５\u3000０１９９ｘ１２", "2125550199"],
    ["\u202a+1 212\u2011555\u20110199\u202c", "2125550199"],
    ["2\u20e31\ufe0f\u20e32\ufe0f\u20e3 555 0199", "2125550199"],
    ["＋５０７　２６９－１２３４", "0115072691234"],
    ["+٤٤ (٠)٢٠ ٧٩٤٦ ٠٩٥٨", "442079460958"],
  ])("is read however it is typed: %s", async (typed, digits) => {
    expect(await numbersIn(typed)).toEqual([digits]);
  });

  it("is the same as in ASCII digits, whatever stands around it", async () => {
    const typed = fc.stringMatching(/^([0-9 ()+x.,;#/-]|[(]0[)]|ext|or){0,40}$/);
    const other = fc.oneof(
      fc.constantFrom(...zeros).map((zero) => (text: string) => inScript(text, zero)),
      fc.constant(inFullWidth),
    );
    await fc.assert(
      fc.asyncProperty(typed, other, async (text, write) => {
        expect(await numbersIn(write(text))).toEqual(await numbersIn(text));
      }),
      { numRuns: 300 },
    );
  });

  const others = ["１１１－５５５－０１９９", "١١١٥٥٥٠١٩٩"];

  it.each(others)(
    "is stopped together with the same number in ASCII digits, whichever of the two is stopped: %s",
    async (typed) => {
      const ids = [
        await addLead(database, { phone: typed }),
        await addLead(database, { phone: "111-555-0199", name: "R. M." }),
      ];
      for (const [asked, count] of [
        ["111-555-0199", 2],
        [typed, 0],
      ] as const)
        expect((await dana.call("stop-number", { phone: asked })).body).toEqual({ leads: count });
      for (const id of ids)
        expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });

      const again = [
        await addLead(database, { phone: "(111) 555-0199" }, 0),
        await addLead(database, { phone: typed }, 0),
      ];
      const { body } = await dana.call("stop", { id: again[1] as string });
      expect(body.leads.map((lead) => lead.id)).toEqual(expect.arrayContaining(again));
      expect((await dana.call("call", { id: again[0] as string })).body).toMatchObject({
        refused: "withdrawn",
      });
    },
  );

  it.each(others)(
    "shares the three attempts in 24 hours with the same number in ASCII digits: %s",
    async (typed) => {
      const ids = [
        await addLead(database, { phone: typed }),
        await addLead(database, { phone: "111 555 0199", name: "R. M." }),
      ];
      const { owner } = database;
      await owner`
      insert into private.calls (lead_id, number_key, member_id, at)
      select w.lead_id, w.number_key, ${dana.id}, now() - make_interval(hours => n)
      from private.lead_work w, generate_series(2, 4) as n where w.lead_id = ${ids[0] as string}`;
      for (const id of ids)
        expect((await dana.call("call", { id, asked_for_this_time: true })).body).toMatchObject({
          refused: "attempts",
        });
    },
  );

  it.each(["２１２－５５５－０１９９", "٢١٢٥٥٥٠١٩٩"])(
    "tells by its area code where the person may be: %s",
    async (typed) => {
      const [row] = await database.owner<{ place: string; tel: string }[]>`
      select private.place_of('33101', ${typed}) as place, private.tel_of(private.phone_digits(${typed}), ${typed}) as tel`;
      expect(row).toEqual({ place: "FL/America/New_York|NY/America/New_York", tel: "tel:+12125550199" });
    },
  );

  it.each(others)("is dialled, and shown as it was typed: %s", async (phone) => {
    const id = await addLead(database, { phone });
    expect(await callLead(dana, id)).toMatchObject({ phone, tel: "tel:+11115550199" });
  });

  it("is found by a search in any digits, and a lead by its reference in full-width ones", async () => {
    const id = await addLead(database, { phone: "١١١٥٥٥٠١٩٩" });
    for (const text of ["111-555-0199", ...others])
      expect(
        (await dana.call("search", { text })).body.rows.map((row) => row.id),
        text,
      ).toEqual([id]);
    const { body } = await dana.call("search", { text: inFullWidth(id.slice(-8)) });
    expect(body.rows.map((row) => row.id)).toEqual([id]);
  });
});

describe("a number from elsewhere", () => {
  it.each([
    ["+507 269-1234", "tel:+5072691234"],
    ["011 507 269 1234", "tel:+5072691234"],
    ["+52 55 1234 5678 x12", "tel:+525512345678"],
    ["00 52 55 1234 5678", "tel:+525512345678"],
    ["011 44 20 7946 0958 x12", "tel:+442079460958"],
    ["+44 (0)20 7946 0958", "tel:+442079460958"],
    ["+011 44 20 7946 0958", "tel:+442079460958"],
    ["44 20 7946 0958", "tel:442079460958"],
    ["001 111 555 0142", "tel:+11115550142"],
    ["home: +52 55 1234 5678", "tel:+525512345678"],
    ["5550142", "tel:5550142"],
    ["+1 (111) 555-0142", "tel:+11115550142"],
  ])("is dialled with its country, so that no stranger here is called: %s", async (phone, tel) => {
    const id = await addLead(database, { phone });
    expect(await callLead(dana, id)).toMatchObject({ phone, tel });
  });

  it("is stopped without the number of the United States that has the same digits, however it is typed", async () => {
    const ids = [
      await addLead(database, { phone: "+507 269-1234" }),
      await addLead(database, { phone: "011 (507) 269 1234" }),
      await addLead(database, { phone: "507 269-1234" }),
    ];
    expect((await dana.call("stop-number", { phone: "+507 2691234" })).body).toEqual({ leads: 2 });
    for (const id of ids.slice(0, 2))
      expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
    expect((await dana.call("stop-number", { phone: "507 269 1234" })).body).toEqual({ leads: 1 });
  });
});

describe("a number from a country with other lengths", () => {
  it("is the same after a plus sign, after 011, after 00 and without, so that one stop holds for all", async () => {
    const typed = [
      "+44 20 7946 0958",
      "+44 (0)20 7946 0958",
      "011 44 20 7946 0958",
      "00442079460958",
      "44 20 7946 0958",
    ];
    const ids = [];
    for (const phone of typed) ids.push(await addLead(database, { phone }));
    expect((await dana.call("stop-number", { phone: "011 44 20 7946 0958" })).body).toEqual({ leads: 5 });
    for (const id of ids)
      expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
  });
});

describe("a number with an extension", () => {
  it("is dialled without it, and its attempts count with those to the bare number", async () => {
    const withExtension = await addLead(database, { phone: "111-555-0142 x12" });
    const bare = await addLead(database, { phone: "111-555-0142", name: "R. M." });
    expect(await callLead(dana, withExtension)).toMatchObject({
      phone: "111-555-0142 x12",
      tel: "tel:+11115550142",
    });
    expect((await dana.call("open", { id: bare })).body).toMatchObject({
      recent_attempts: 1,
      others: [{ id: withExtension, same: "phone" }],
    });
  });

  it("is not called any more after somebody asked us to stop calling the bare number, and the other way round", async () => {
    for (const [stopped, typed] of [
      ["111 555 0142", "111 555 0142 x12"],
      ["111 555 0143 x12", "111 555 0143"],
    ] as const) {
      const id = await addLead(database, { phone: typed });
      expect((await dana.call("stop-number", { phone: stopped })).body).toEqual({ leads: 1 });
      expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
    }
  });
});

describe("a field with two numbers", () => {
  const phone = "111 555 0142 or 111 555 0199";

  it("has the first dialled, and is found by each", async () => {
    const id = await addLead(database, { phone });
    for (const text of ["111-555-0142", "(111) 555-0199", "111 555 0199 x7"])
      expect((await dana.call("search", { text })).body.rows.map((row) => row.id)).toEqual([id]);
    expect((await callLead(dana, id)).tel).toBe("tel:+11115550142");
  });

  it.each(["111-555-0142", "111-555-0199"])(
    "is not called any more when somebody asks us to stop: %s",
    async (one) => {
      const id = await addLead(database, { phone });
      await dana.call("stop-number", { phone: one });
      expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
      expect((await dana.call("stop-proof", { id })).body.leads.map((lead) => lead.id)).toEqual([id]);
    },
  );

  it("stops the calls to both when its person asks us to stop", async () => {
    const id = await addLead(database, { phone });
    const others = [
      await addLead(database, { phone: "111-555-0142", name: "A" }),
      await addLead(database, { phone: "111-555-0199", name: "B" }),
      await addLead(database, { phone: "111-555-0100; 111-555-0199", name: "C" }),
    ];
    expect((await dana.call("open", { id })).body.others).toHaveLength(3);
    const { body } = await dana.call("stop", { id });
    expect(body.leads.map((lead) => lead.id).toSorted()).toEqual([id, ...others].toSorted());
    for (const other of others)
      expect((await dana.call("call", { id: other })).body).toMatchObject({ refused: "withdrawn" });
  });
});
