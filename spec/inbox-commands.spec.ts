// What an operator does for the inbox without a browser: `leads stop`, `leads audit`, `leads call-log`, `leads team`.
import { describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { sessionsWaitingForLocks } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox } from "./support/inbox.ts";
import { leads } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");

describe("leads stop", () => {
  it("withdraws the permission of every lead with the number, and is in the audit log as the operator's act", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    await addLead(database, { phone, name: "R. M." });
    expect(await leads(database.url, "stop", `+1 ${phone}`)).toEqual({
      status: 0,
      stdout: "On the stop list. Permission withdrawn of 2 leads. Do not phone.\n",
      stderr: "",
    });
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
    expect((await dana.call("stop-proof", { id })).body.stopped_by).toEqual({ id: null, name: "operator" });
    expect((await leads(database.url, "audit")).stdout).toMatch(
      /^\S{1,20} \S{1,20} {2}operator {2}stopped calls {2}leads=2$/m,
    );
  });

  it("says so when no lead with the number had a permission that stood, as when it was mistyped", async () => {
    expect(await leads(database.url, "stop", aPhoneNumber())).toEqual({
      status: 0,
      stdout: "On the stop list. Permission withdrawn of 0 leads. Do not phone.\n",
      stderr:
        "No lead with this number had a permission that stood. If you expected one, compare the digits.\n",
    });
  });

  it("takes a number in whatever digits it is typed", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    const arabic = phone.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
    expect(await leads(database.url, "stop", arabic)).toMatchObject({
      status: 0,
      stdout: "On the stop list. Permission withdrawn of 1 lead. Do not phone.\n",
    });
    expect((await dana.call("call", { id })).body).toMatchObject({ refused: "withdrawn" });
  });

  it("asks for a number", async () => {
    const { status, stdout, stderr } = await leads(database.url, "stop", "call me");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("number");
  });
});

describe("the operator's commands", () => {
  it("stand in the audit log when they list, show, export or erase leads", async () => {
    const id = await addLead(database);
    await leads(database.url, "list", "--due", "--json");
    await leads(database.url, "show", id);
    await leads(database.url, "export", "--format", "json", "--since", "2026-01-01", "--permission");
    await leads(database.url, "erase", id, "--yes");
    const { stdout } = await leads(database.url, "audit", "--json");
    const entries = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const by = "command";
    expect(
      entries
        .slice(0, 4)
        .map(({ who, action, lead, details }) => [who.name, action, lead?.id ?? null, details]),
    ).toEqual([
      ["operator", "erased lead", id, { by }],
      ["operator", "exported leads", null, { by, what: "permissions", since: "2026-01-01T00:00:00.000Z" }],
      ["operator", "opened lead", id, { by }],
      ["operator", "listed leads", null, { by, due: true }],
    ]);
  });
});

describe("leads show", () => {
  it("shows the calls with their notes and the eligibility checks, because somebody may ask what is kept of them", async () => {
    const id = await addLead(database);
    const { body } = await dana.call("call", { id });
    if (!("call_id" in body)) throw new Error("refused");
    await dana.call("outcome", { id, call_id: body.call_id, outcome: "no_answer", note: "Rang ten times." });
    await dana.call("eligibility-check", {
      id,
      answers: {
        diabetes: "yes",
        insulin: "yes",
        recurrent_lows: "no",
        low_with_help: "no",
        visit_on: null,
        visit_planned: "yes",
        trained: "yes",
        plan: "part_b",
        prescriber: "Dr. Lopez_Diaz",
      },
    });
    const { stdout } = await leads(database.url, "show", id);
    expect(stdout).toMatch(/\n\nCalls\n {2}\S+ \S+ {2}Dana {2}called {2}no answer {2}Rang ten times\.\n/);
    expect(stdout).toMatch(/\n\nEligibility checks\n {2}\S+ \S+ {2}Dana {2}needs visit, visit is planned\n/);
    expect(stdout).toMatch(/\n +visit on: unknown\n/);
    expect(stdout).toMatch(/\n +plan: part b\n/);
    expect(stdout).toMatch(/\n +prescriber: Dr\. Lopez_Diaz\n/);
    expect(JSON.parse((await leads(database.url, "show", id, "--json")).stdout)).toMatchObject({
      calls: [{ outcome: "no_answer", note: "Rang ten times." }],
      eligibility_checks: [{ result: "needs_visit", answers: { prescriber: "Dr. Lopez_Diaz" } }],
    });
  });
});

describe("leads call-log and leads audit", () => {
  it("print times in UTC in their JSON, whatever the database's own time zone is", async () => {
    const id = await addLead(database);
    await dana.call("call", { id });
    const { owner } = database;
    const alterZone = (zone: ReturnType<typeof owner.unsafe>) =>
      owner`do $$ begin execute format('alter database %I ${zone}', current_database()); end $$`;
    await alterZone(owner.unsafe("set timezone to ''America/New_York''"));
    for (const words of [
      ["call-log", id, "--json"],
      ["audit", "--json"],
    ]) {
      const times = (await leads(database.url, ...words)).stdout.match(/\d{4}-\d\d-\d\dT[^"]+/g) ?? [];
      expect(times.length).toBeGreaterThan(0);
      for (const time of times) expect(time).toMatch(/(\+00:00|Z)$/);
    }
    await alterZone(owner.unsafe("reset timezone"));
  });

  it("tell when a lead was called, by whom, and what came of it", async () => {
    const id = await addLead(database);
    expect((await leads(database.url, "call-log", id)).stdout).toBe("Not called yet.\n");
    const { body } = await dana.call("call", { id });
    if (!("call_id" in body)) throw new Error("refused");
    await dana.call("outcome", { id, call_id: body.call_id, outcome: "no_answer", note: "Rang ten times." });
    const { stdout } = await leads(database.url, "call-log", reference(id));
    expect(stdout).toMatch(/^\S{1,20} \S{1,20} {2}Dana {2}called {2}no answer {2}Rang ten times\.\n$/);
    await database.owner`
      insert into private.audit_log (at, who, action) values (now() - interval '61 minutes', 'Dana', 'tried')`;
    const json = (await leads(database.url, "audit", "--since", "1h", "--json")).stdout;
    expect(json).not.toContain("tried");
    const entries = json
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["called", "recorded outcome"]),
    );
    expect(entries.find(({ action }) => action === "called")).toMatchObject({
      who: { name: "Dana" },
      lead: { id, reference: reference(id) },
    });
    const readings = entries.filter(({ action, lead }) => action === "read call log" && lead.id === id);
    expect(readings.map(({ who, lead }) => [who.name, lead.id])).toEqual([
      ["operator", id],
      ["operator", id],
    ]);
    expect(await leads(database.url, "audit", "--since", "soon")).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("--since takes a length of time, or a day that there is"),
    });
  });
});

describe("leads team", () => {
  it("says that there is no such member when the member is removed at that moment", async () => {
    const { id } = await inbox.member("Rita");
    const { recovering } = await database.owner.begin(async (sql) => {
      await sql`update private.members set removed_at = now() where id = ${id}`;
      const recovering = leads(database.url, "team", "recover", "Rita");
      await until(async () => (await sessionsWaitingForLocks(database.owner, "leads command")).length > 0);
      return { recovering };
    });
    expect(await recovering).toEqual({ status: 1, stdout: "", stderr: "There is no such member.\n" });
  });
});
