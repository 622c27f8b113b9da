// A number that a person gives on the phone is stopped in two transactions: the first puts it on the stop list and writes the audit log, the
// second withdraws permissions and counts them. So a process that rolls back learns nothing of whose number it is.
import { afterAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { roleAddress } from "../database/role-logins.ts";
import { asMember } from "./support/at-once.ts";
import { aLead, refusal } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, type TestMember } from "./support/inbox.ts";
import { leads } from "./support/leads-command.ts";

const { database, inbox } = await makeInbox();
const { owner } = database;
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
const login = connect(roleAddress(database.url, "leads_team"));
afterAll(() => login.end({ timeout: 1 }));

/** Evaluates expressions in one transaction of a member's session, as a process that was broken into could, and returns the last value. */
const inOneTransaction = (member: TestMember, ...expressions: string[]) =>
  login.begin(async (tx) => {
    await asMember(tx as unknown as Sql, member);
    let answer: unknown;
    for (const expression of expressions)
      answer = (await tx.unsafe(`select ${expression} as answer`))[0]?.answer;
    return answer;
  });

const stopOf = (phone: string) => `team.stop_number('${phone}')`;
const digitsOf = (phone: string) => phone.replaceAll("-", "");
const entryOf = (answer: unknown) => (answer as { entry: number }).entry;
const isWithdrawn = async (id: string) =>
  (await owner`select from private.permissions where lead_id = ${id} and withdrawn_at is not null`).length >
  0;

describe("a transaction that stops a number", () => {
  it("answers the same whether a lead has the number or none", async () => {
    const phone = aPhoneNumber();
    await addLead(database, { phone });
    for (const given of [phone, aPhoneNumber()])
      expect(await inOneTransaction(dana, stopOf(given))).toEqual({ entry: expect.any(Number) });
  });

  it("is refused its own count", async () => {
    const both = `team.stopped_number((${stopOf(aPhoneNumber())} ->> 'entry')::bigint)`;
    expect(await refusal(inOneTransaction(dana, both))).toBe("PT403");
  });

  it.each([
    ["a list", `team.search(null, '{"withdrawn": true}', null, 50)`],
    ["a page of the queue", "team.queue('{}', null, 50)"],
    ["a second number", stopOf("111-555-0100")],
  ])("is refused %s, because it could be rolled back and leave no entry", async (_, next) => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    expect(await refusal(inOneTransaction(dana, stopOf(phone), next))).toBe("PT403");
    // In the name of another member, too.
    const asLee = `set_config('leads.session', '${lee.cookie.replace("session=", "")}', true)`;
    expect(await refusal(inOneTransaction(dana, stopOf(phone), asLee, next))).toBe("PT403");
    expect(await isWithdrawn(id)).toBe(false);
  });

  it("changes no permission, and takes no new lead into the lists, so that no counter of PostgreSQL tells of one", async () => {
    const phone = aPhoneNumber();
    await addLead(database, { phone });
    const changed = `(select n_tup_upd::int from pg_stat_xact_all_tables where relname = 'permissions')`;
    expect(await inOneTransaction(dana, stopOf(phone), "team.index_new_leads()", changed)).toBe(0);
    await owner`select private.index_new_leads()`;
    const another = aPhoneNumber();
    await owner`insert into public.leads ${owner(aLead({ phone: another }))}`;
    for (const call of ["team.index_new_leads()", "team.metrics()"])
      expect(await inOneTransaction(dana, stopOf(another), call, changed)).toBe(0);
    expect(await owner`select private.index_new_leads() as taken`).toEqual([{ taken: 1 }]);
  });

  it("stops at most five numbers", async () => {
    const phones = Array.from({ length: 6 }, aPhoneNumber);
    const id = await addLead(database, { phone: phones[0] });
    const { body } = await dana.call("stop-number", { phone: phones.join(", ") });
    expect(body).toEqual({ refused: "too many numbers" });
    expect(
      await owner`select from private.stop_list where phone_digits = any (${phones.map(digitsOf)})`,
    ).toHaveLength(0);
    expect(await leads(database.url, "stop", phones.join(", "))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("At most five numbers can be stopped at once."),
    });
    expect((await dana.call("stop-number", { phone: phones.slice(0, 5).join(", ") })).body).toEqual({
      leads: 1,
    });
    expect(await isWithdrawn(id)).toBe(true);
  });

  it("is enough to stop the calls, also when the second one never comes", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    await inOneTransaction(dana, stopOf(phone));
    expect((await lee.call("call", { id })).body).toMatchObject({ refused: "stopped" });
    await owner`select private.index_new_leads()`;
    expect(await isWithdrawn(id)).toBe(true);
  });
});

describe("how many permissions a stop ended", () => {
  it("is counted for the member alone who stopped the number, again with the same result, and is in the audit log", async () => {
    const phone = aPhoneNumber();
    for (const name of ["Ana", "Bea"]) await addLead(database, { phone, name });
    const entry = entryOf(await inOneTransaction(dana, stopOf(phone)));
    expect(await refusal(inOneTransaction(lee, `team.stopped_number(${entry})`))).toBe("PT403");
    // Another process takes new leads into the lists meanwhile, and withdraws what was stopped.
    await owner`select private.index_new_leads()`;
    for (let time = 0; time < 2; time++)
      expect(await inOneTransaction(dana, `team.stopped_number(${entry})`)).toBe(2);
    expect(await owner`select action, details from private.audit_log where id = ${entry}`).toEqual([
      { action: "stopped calls", details: { leads: 2 } },
    ]);
    await owner`update private.audit_log set at = now() - interval '2 minutes' where id = ${entry}`;
    expect(await refusal(inOneTransaction(dana, `team.stopped_number(${entry})`))).toBe("PT403");
  });

  it("leaves out a lead that the person gives after the stop, which is a new permission", async () => {
    const phone = aPhoneNumber();
    const entry = entryOf(await inOneTransaction(dana, stopOf(phone)));
    const id = await addLead(database, { phone }, 0);
    expect(await inOneTransaction(dana, `team.stopped_number(${entry})`)).toBe(0);
    expect(await isWithdrawn(id)).toBe(false);
  });
});
