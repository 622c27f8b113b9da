// What the inbox shows of a lead's name and finds by its e-mail address, into which a visitor may type anything.
import { beforeEach, describe, expect, it } from "vitest";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox, noonZip } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
beforeEach(() => removeLeads(database.owner));

describe("a name in the list", () => {
  it.each([
    ["Rosa １１１－５５５－９８７６ Diaz", "Rosa … Diaz"],
    ["Rosa ١١١٥٥٥٩٨٧٦ Diaz", "Rosa … Diaz"],
    ["Rosa 111\u2011555\u20119876 Diaz", "Rosa … Diaz"],
    ["Rosa 111\u00a0555\u200b9876 Diaz", "Rosa … Diaz"],
    ["Rosa ｒｏｓａ＠ｅｘａｍｐｌｅ．ｃｏｍ Diaz", "Rosa … Diaz"],
    ["Rosa 111/555/9876 Diaz", "Rosa … Diaz"],
    ["Rosa 111_555_9876 Diaz", "Rosa … Diaz"],
    ["Rosa 111, 555, 98 76 Diaz", "Rosa … Diaz"],
    ["Rosa 111 • 555 · 9876 Diaz", "Rosa … Diaz"],
    ["Rosa 111\n555\t9876 Diaz", "Rosa … Diaz"],
    ["Rosa rosa @ example.com Diaz", "Rosa … Diaz"],
    ["Rosa, apt. 12, room 3456 @ Oak", "Rosa, apt. 12, room 3456 … Oak"],
    ["ＲＯＳＡ　Ｄｉａｚ １２３", "ＲＯＳＡ　Ｄｉａｚ １２３"],
    ["رزا \u200cدیاز ۳", "رزا \u200cدیاز ۳"],
  ])(
    "hides a phone number and an e-mail address in whatever digits and signs they are, and leaves a name as it was typed: %s",
    async (name, shown) => {
      await addLead(database, { name });
      expect((await dana.call("queue", {})).body.rows[0]?.name).toBe(shown);
    },
  );

  it.each(["\u200b", "\u3164", "\u00ad\u00ad", "\u2800", " \ufeff ", "\u200c\u200d"])(
    "says “(no name)” of a lead whose name nobody could see, here and on its page: %j",
    async (name) => {
      const id = await addLead(database, { name, email: "\u200b", phone: "\u2800" });
      expect((await dana.call("queue", {})).body.rows[0]).toMatchObject({ id, name: "(no name)" });
      const { body } = await dana.call("open", { id });
      expect(body).toMatchObject({ name: "(no name)", email: "(blank)" });
      expect((await dana.call("call", { id })).body).toMatchObject({ phone: "(blank)", tel: "" });
    },
  );

  it("shows a name with the joiners of its script as it was typed", async () => {
    const name = "علی\u200cرضا क्\u200dष";
    const id = await addLead(database, { name });
    expect((await dana.call("queue", {})).body.rows[0]?.name).toBe(name);
    expect((await dana.call("open", { id })).body.name).toBe(name);
  });
});

describe("what a visitor typed with marks that turn the writing around", () => {
  it("stands in the order in which it was typed, because a member reads a number and a name from the screen", async () => {
    for (const [before, after] of [
      "\u202e\u202c",
      "\u202d\u202c",
      "\u202b\u202c",
      "\u2067\u2069",
      "\u2066\u2068",
      "\u200f\u200e",
      "\u061c\u200f",
    ]) {
      const id = await addLead(database, {
        name: `Rosa ${before}Diaz${after}`,
        email: `${before}rosa@a.example`,
        phone: `${before}111 555 0142${after}`,
        zip_code: `${before}${noonZip}`,
      });
      expect((await dana.call("queue", {})).body.rows[0]).toMatchObject({ id, name: "Rosa Diaz" });
      expect((await dana.call("open", { id })).body).toMatchObject({
        name: "Rosa Diaz",
        email: "rosa@a.example",
        zip_code: noonZip,
      });
      expect((await dana.call("call", { id })).body).toMatchObject({
        phone: "111 555 0142",
        tel: "tel:+11115550142",
      });
      await removeLeads(database.owner);
    }
  });
});

describe("the search by an e-mail address", () => {
  it.each([
    "Rosa Diaz <rosa@a.example>",
    "mailto:rosa@a.example",
    "rosa@a.example, rosa2@b.example",
    "rosa@a.example.",
    "rosa@a.example\u200b",
    "ｒｏｓａ＠a.example",
  ])("finds it in other letters too, and with something else in its field: %s", async (email) => {
    const id = await addLead(database, { email });
    const same = await addLead(database, { email: "Rosa@a.example" });
    await addLead(database, { email: "maria-rosa@a.example", phone: "111 555 0142 or 111 555 0199" });
    const { body } = await dana.call("search", { text: "ROSA@a.example" });
    expect(body.rows.map((row) => row.id).toSorted()).toEqual([id, same].toSorted());
  });
});

describe("a lead's page", () => {
  it("names the other leads that share one of its e-mail addresses, also where something else stands beside the address", async () => {
    const alone = await addLead(database, { email: "rosa@a.example" });
    const named = await addLead(database, { email: "Rosa Diaz <Rosa@a.example>" });
    const two = await addLead(database, { email: "rosa@a.example, rosa2@b.example" });
    await addLead(database, { email: "maria-rosa@a.example" });
    for (const id of [alone, named, two]) {
      const { others } = (await dana.call("open", { id })).body;
      expect(others.map((other) => [other.id, other.same]).toSorted()).toEqual(
        [alone, named, two].flatMap((other) => (other === id ? [] : [[other, "email"]])).toSorted(),
      );
    }
  });

  it.each(["none", "\u200b"])(
    "names no other lead for a word in place of an e-mail address, which anybody may type: %j",
    async (email) => {
      const [id] = [await addLead(database, { email }), await addLead(database, { email })];
      expect((await dana.call("open", { id })).body.others).toEqual([]);
    },
  );

  it.each([
    ["Louisville, KY", "Louisville, KY"],
    ["33101 or 90210", "33101 or 90210"],
    ["Boston, call 111/555/9876", "Boston, call …"],
    ["\u200b", "(blank)"],
  ])(
    "says what was typed in place of a ZIP code, but for a phone number in it: %j",
    async (zip_code, shown) => {
      const id = await addLead(database, { zip_code });
      expect((await dana.call("open", { id })).body).toMatchObject({ zip_code: shown, place: { zip: "" } });
    },
  );
});
