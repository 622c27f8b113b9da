// The search of the inbox: what finds a lead, what narrows it, and what the audit log notes of it.
import { beforeEach, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, nightZip } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
beforeEach(() => removeLeads(database.owner));

const idsIn = async (filter: object) => (await dana.call("queue", { filter })).body.rows.map(({ id }) => id);

describe("the search", () => {
  const found = async (text: string, filter = {}) =>
    (await dana.call("search", { text, filter })).body.rows.map(({ id }) => id);

  it("finds a lead by name, number, e-mail address, reference and id", async () => {
    const id = await addLead(database, {
      name: "Rosa O'Martinez",
      phone: "(111) 555-0101",
      email: "Rosa@Example.com",
    });
    await addLead(database, { name: "Somebody Else" });
    for (const text of [
      "rosa",
      "MART ros",
      "o'mart",
      "+1 111 555 0101",
      "rosa@example.com ",
      reference(id),
      id,
    ]) {
      expect([text, await found(text)]).toEqual([text, [id]]);
    }
    for (const text of ["osa", "555-0101", "example.com", "!?", "' or true --", "\\"]) {
      expect([text, await found(text)]).toEqual([text, []]);
    }
  });

  it("takes eight digits that are no phone number for a reference alone, and finds no lead without a number", async () => {
    const id = "00000000-0000-4000-8000-000000123456";
    await addLead(database, { phone: "none" });
    await addLead(database, { id });
    for (const text of ["00123456", "0112-3456"])
      expect([text, await found(text)]).toEqual([text, text === "00123456" ? [id] : []]);
  });

  it("finds a name by each of its words, whatever stands between them, and with accents or without", async () => {
    const names = {
      "Dr.St.John Smith": ["john", "St.John", "st john", "smith, dr."],
      "Ana Garcia/Lopez": ["lopez", "garcia/lopez", "Lopez-Garcia", "Ana"],
      "José Ñáñez Müller-Łukasz": ["jose", "José", "JOSE\u0301", "nanez", "muller", "lukasz", "Jos"],
      "Jose\u0301 O’Brien Weiß": ["josé", "brien", "o'brien", "weiss"],
      "ROSA\u00a0DE LA CRUZ": ["cruz", "rosa de la cruz"],
      "Ægir Œster GROẞ": ["ægir", "Ægir", "aegir", "œster", "oester", "groß", "gross"],
      "Анна Петрова": ["Петрова", "Анн"],
      "ＲＯＳＡＬＩＥ　Ｄｉａｚ": ["rosalie", "ＲＯＳＡＬＩＥ", "diaz"],
      [`${"\ufdfa".repeat(400)} Rosalind`]: ["rosalind"],
      "❤️Rosaria🌹Dias": ["rosaria", "dias", "rosaria dias"],
      "https://www.example.com/rosalba": ["rosalba", "www.example.com"],
    };
    for (const [name, searches] of Object.entries(names)) {
      const id = await addLead(database, { name });
      for (const text of searches)
        expect([text, await found(text)]).toEqual([text, expect.arrayContaining([id])]);
      for (const text of ["ohn", "opez", "ose", "lvarez"])
        expect([text, await found(text)]).toEqual([text, []]);
    }
  });

  it("finds a lead by its reference or its id, with dashes or without, and the same text opens the lead", async () => {
    const id = await addLead(database, { id: "0190a1b2-c3d4-4e5f-8a6b-00000d4e5f60" });
    for (const text of [
      id.replaceAll("-", ""),
      id.toUpperCase(),
      id.slice(-17),
      `${id.slice(-8, -4)}-${id.slice(-4)}`,
    ]) {
      expect([text, await found(text)]).toEqual([text, [id]]);
      expect((await dana.call("open", { id: text })).body).toMatchObject({ id });
    }
    expect(await found(`${id.slice(0, 8)}--${id.slice(8)}-`)).toEqual([id]);
  });

  it("and the queue are narrowed by the same filters: section, lateness and withdrawal", async () => {
    const late = await addLead(database, {}, 30);
    const tried = await addLead(database, {}, 30);
    const night = await addLead(database, { zip_code: nightZip });
    const withdrawn = await addLead(database, {}, 30);
    const due = await addLead(database);
    await database.owner`
      update private.lead_work set stage = 'callback', callback_at = now() - interval '1 minute' where lead_id = ${due}`;
    await database.owner`update private.lead_work set tried_at = now() where lead_id = ${tried}`;
    await database.owner`select private.withdraw_permission(${withdrawn})`;
    for (const [filter, ids] of [
      [{ section: "callable" }, [late, tried]],
      [{ section: "not_callable" }, [night]],
      [{ section: "callback_due" }, [due]],
      [{ late: true }, [late]],
      [{ withdrawn: false, section: "not_callable" }, [night]],
    ] as const) {
      expect([filter, (await idsIn(filter)).toSorted()]).toEqual([filter, [...ids].toSorted()]);
      expect([filter, (await found("", filter)).toSorted()]).toEqual([filter, [...ids].toSorted()]);
    }
    expect(await idsIn({ withdrawn: true })).toEqual([]);
    expect(await found("", { withdrawn: true })).toEqual([withdrawn]);
  });

  it("finds closed leads too, and without words lists all leads, the newest first", async () => {
    const [older, newer] = [await addLead(database, {}, 40), await addLead(database, {}, 30)];
    await dana.call("outcome", { id: older, call_id: null, outcome: "not_interested" });
    expect(await found("")).toEqual([newer, older]);
    expect(await found("", { stage: "closed" })).toEqual([older]);
    expect(await found("", { outcome: "not_interested" })).toEqual([older]);
  });

  it("notes in the audit log who searched and by which kind of text, and not for whom", async () => {
    await found("rosa@example.com");
    const [entry] = await database.owner`
      select who, details from private.audit_log where action = 'searched' order by id desc limit 1`;
    expect(entry).toEqual({ who: "Dana", details: { by: "email", shown: 0 } });
  });

  it("is noted in the audit log also when a member asks for a later page of leads without the first page", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    const after = "infinity|ffffffff-ffff-ffff-ffff-ffffffffffff";
    const { body } = await dana.call("search", { text: phone, after });
    expect(body.rows.map((row) => row.id)).toEqual([id]);
    const [entry] = await database.owner`
      select who, details from private.audit_log where action = 'searched' order by id desc limit 1`;
    expect(entry).toEqual({ who: "Dana", details: { by: "phone", shown: 1 } });
  });
});
