// A search is in the audit log before its transaction looks for anything, so that a process that rolls back can find nobody unseen.
import { afterAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { roleAddress } from "../database/role-logins.ts";
import { asMember } from "./support/at-once.ts";
import { refusal } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, type TestMember } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const { owner } = database;
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
const login = connect(roleAddress(database.url, "leads_team"));
afterAll(() => login.end({ timeout: 1 }));

/** Evaluates an expression in a transaction of its own, in a member's session. */
const ask = (member: TestMember, expression: string) =>
  login.begin(async (tx) => {
    await asMember(tx as unknown as Sql, member);
    return (await tx.unsafe(`select ${expression} as answer`))[0]?.answer;
  });

const recordOf = (words: string) => `team.record_search('${words}')`;
const searchOf = (entry: unknown) => `team.search(${entry}, '{}', null, 50)`;

describe("a search", () => {
  it("finds nothing in the transaction that writes its entry in the audit log", async () => {
    const [phone, email] = [aPhoneNumber(), "rosa@example.com"];
    const id = await addLead(database, { phone, email });
    for (const words of [phone, email, id, id.slice(-8), "Rosa"]) {
      expect([words, await refusal(ask(dana, searchOf(recordOf(words))))]).toEqual([words, "PT403"]);
    }
    expect(await owner`select from private.audit_log where action = 'searched'`).toHaveLength(0);
  });

  it("looks for the words of its entry alone, for the member who wrote it, and once", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    const entry = await ask(dana, recordOf(phone));
    expect(await refusal(ask(lee, searchOf(entry)))).toBe("PT403");
    const { rows } = await ask(dana, searchOf(entry));
    expect(rows.map((row: { id: string }) => row.id)).toEqual([id]);
    expect(await refusal(ask(dana, searchOf(entry)))).toBe("PT403");
    expect(await owner`select details from private.audit_log where id = ${entry}`).toEqual([
      { details: { by: "phone", shown: 1 } },
    ]);
  });

  it("leaves no words behind, also where it was recorded and never made", async () => {
    await ask(dana, recordOf("Rosa"));
    await owner`update private.searches set at = now() - interval '2 minutes'`;
    await dana.call("search", { text: "Ana" });
    expect(await owner`select from private.searches`).toHaveLength(0);
  });

  it("without words is a list, and has no entry", async () => {
    const count = async () => (await owner`select from private.audit_log where action = 'searched'`).length;
    const before = await count();
    for (const text of ["", "  "]) expect((await dana.call("search", { text })).status).toBe(200);
    expect(await count()).toBe(before);
  });
});
