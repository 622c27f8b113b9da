// What the team records about a lead: that it was reviewed, and that the person withdrew the permission to be phoned.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import {
  aLead,
  makeDatabase,
  removeLeads,
  sessionsWaitingForLocks,
  type TestDatabase,
} from "./support/database.ts";
import { leads } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";

let database: TestDatabase;
let url: string;
let id: string;
beforeAll(async () => {
  database = await makeDatabase();
  url = database.url;
  await database.owner`update private.channels set enabled = name = 'webhook'`;
});

beforeEach(async () => {
  await removeLeads(database.owner);
  await database.owner`insert into leads ${database.owner(aLead())}`;
  const [lead] = await database.owner<{ id: string }[]>`select id from leads`;
  id = lead?.id as string;
});

/** The entries of the audit log that are about this lead: who did what. */
const audited = async () =>
  (
    await database.owner<{ entry: string }[]>`
      select concat_ws(' ', who, action, details) as entry from private.audit_log where lead_id = ${id} order by at`
  ).map(({ entry }) => entry);

const leftTheQueue =
  "The lead has left the inbox's queue: no call is due any more. A callback that is recorded in the inbox brings it back.";

describe("leads review", () => {
  it("says that a next attempt was due, and is not any more, where the last one reached nobody", async () => {
    const { owner } = database;
    await owner`select private.index_new_leads()`;
    await owner`
      update private.lead_work set tried_at = '2026-11-21 14:05Z', outcome = 'left_message' where lead_id = ${id}`;
    expect(await leads(url, "review", id)).toEqual({
      status: 0,
      stdout: `Reviewed ${reference(id)}\n`,
      stderr: `The last attempt to reach the person (2026-11-21 14:05, "left message") was to be followed by another. ${leftTheQueue}\n`,
    });
    expect(await leads(url, "review", id)).toMatchObject({ status: 0, stderr: "" });
  });

  it("says that an agreed callback stays due", async () => {
    const { owner } = database;
    await owner`select private.index_new_leads()`;
    await owner`
      update private.lead_work
      set stage = 'callback', outcome = 'callback', callback_at = '2026-11-30 15:00Z', callback_zone = 'America/New_York'
      where lead_id = ${id}`;
    expect(await leads(url, "review", id, "--outcome", "qualifies")).toEqual({
      status: 0,
      stdout: `Reviewed ${reference(id)}: qualifies\n`,
      stderr: "The callback that was agreed for 2026-11-30 15:00 stays due.\n",
    });
    expect(await owner`select stage from private.lead_work where lead_id = ${id}`).toEqual([
      { stage: "callback" },
    ]);
  });

  it("records the review with its outcome, and takes the lead off the list of what is due", async () => {
    const ran = await leads(url, "review", reference(id), "--outcome", " qualifies, call on Monday ");
    expect(ran).toEqual({
      status: 0,
      stdout: `Reviewed ${reference(id)}: qualifies, call on Monday\n`,
      stderr: `Nobody has tried to reach the person. ${leftTheQueue}\n`,
    });
    expect((await leads(url, "list", "--due", "--json")).stdout).toBe("[]\n");
    const { stdout } = await leads(url, "show", id, "--json");
    expect(JSON.parse(stdout).lead).toMatchObject({
      outcome: "qualifies, call on Monday",
      reviewed_at: expect.any(String),
    });
  });

  it("is in the audit log as the operator's act, without the outcome, and a refused one is not", async () => {
    await leads(url, "review", id, "--outcome", "qualifies");
    await leads(url, "review", id, "--outcome", "1EG4-TE5-MK73");
    expect(await audited()).toEqual(['operator reviewed lead {"by": "command"}']);
  });

  it("keeps the time of the first review when the outcome is corrected, and the outcome when none is given", async () => {
    await leads(url, "review", id, "--outcome", "not reached");
    const before = await database.owner`select reviewed_at, outcome from private.reviews`;
    await leads(url, "review", id);
    expect(await database.owner`select reviewed_at, outcome from private.reviews`).toEqual(before);
    await leads(url, "review", id, "--outcome", "qualifies");
    expect(await database.owner`select reviewed_at, outcome from private.reviews`).toEqual([
      { reviewed_at: before[0]?.reviewed_at, outcome: "qualifies" },
    ]);
  });

  it("tells the inbox at once, so that nobody who has the lead on screen calls the person", async () => {
    await database.owner`select private.index_new_leads()`;
    const told: string[] = [];
    const { unlisten } = await database.owner.listen("team", (message) => told.push(message));
    await leads(url, "review", id);
    await until(async () => told.some((message) => message.includes(id)));
    await unlisten();
  });

  it("refuses an outcome that holds a Medicare number, as the inbox refuses such a note", async () => {
    expect(await leads(url, "review", id, "--outcome", "qualifies, 1EG4-TE5-MK73")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "The outcome holds what looks like a Medicare number, which is kept nowhere. Nothing was recorded.\n",
    });
    expect(await database.owner`select from private.reviews`).toHaveLength(0);
  });

  it("refuses an outcome that says nothing", async () => {
    expect(await leads(url, "review", id, "--outcome", " ")).toMatchObject({
      status: 2,
      stderr: '--outcome takes a few words, such as --outcome "qualifies, call on Monday".\n',
    });
  });
});

describe("leads withdraw", () => {
  it("ends the permission also of a lead that the lists do not have yet, as after a transaction that took long", async () => {
    const { owner } = database;
    await owner`insert into leads ${owner(aLead({ phone: "(305) 555-0199" }))}`;
    await owner`select private.index_new_leads()`;
    await owner`update leads set created_at = now() - interval '1 year' where id = ${id}`;
    await owner`delete from private.lead_work where lead_id = ${id}`;
    expect((await leads(url, "withdraw", id)).stdout).toBe(
      `Permission withdrawn: ${reference(id)}. Do not phone.\n`,
    );
    const [permission] = await owner`
      select withdrawn_at is not null as ended from private.permissions where lead_id = ${id}`;
    expect(permission).toEqual({ ended: true });
    expect(await audited()).toEqual(['operator stopped calls {"by": "command", "leads": 1}']);
  });

  it("records once when the permission was withdrawn, and makes a delivery of that for each enabled channel", async () => {
    expect(await leads(url, "withdraw", reference(id))).toEqual({
      status: 0,
      stdout: `Permission withdrawn: ${reference(id)}. Do not phone.\n`,
      stderr: "",
    });
    const before = await database.owner`select withdrawn_at from private.permissions`;
    expect(before).toEqual([{ withdrawn_at: expect.any(Date) }]);
    expect(await leads(url, "withdraw", id)).toEqual({
      status: 0,
      stdout: `No permission stood any more: ${reference(id)}. Do not phone.\n`,
      stderr: "",
    });
    expect(await database.owner`select withdrawn_at from private.permissions`).toEqual(before);
    expect(await database.owner`select event, channel from private.deliveries order by event`).toEqual([
      { event: "lead.created", channel: "webhook" },
      { event: "permission.withdrawn", channel: "webhook" },
    ]);
    expect(await audited()).toEqual(['operator stopped calls {"by": "command", "leads": 1}']);
  });

  it.each([
    ["an older", 1],
    ["a newer", 0],
  ])("also ends the permission of %s lead with the same number, and names it", async (_, hoursAgo) => {
    const { owner } = database;
    const created_at = new Date(Date.now() - hoursAgo * 3_600_000);
    await owner`insert into leads ${owner({ ...aLead({ name: "Again", phone: "1-305-555-0142" }), created_at })}`;
    await owner`insert into leads ${owner(aLead({ name: "Other", phone: "305 555 0143" }))}`;
    const [again] = await owner<{ id: string }[]>`select id from leads where name = 'Again'`;
    expect(await leads(url, "withdraw", id)).toEqual({
      status: 0,
      stdout: `Permission withdrawn: ${reference(id)}. Do not phone.
Permission withdrawn: also of ${reference(again?.id as string)}, which has the same number.
`,
      stderr: "",
    });
    const standing = await owner`
      select l.name from leads l join private.permissions p on p.lead_id = l.id where p.withdrawn_at is null`;
    expect(standing).toEqual([{ name: "Other" }]);
  });
});

describe("leads retry", () => {
  it("is in the audit log as the operator's act, and not where nothing is sent", async () => {
    await leads(url, "retry", id);
    await database.owner`update private.deliveries set delivered_at = now() where lead_id = ${id}`;
    await leads(url, "retry", id);
    expect(await audited()).toEqual(['operator retried deliveries {"by": "command", "deliveries": 1}']);
  });
});

describe("a command whose entry cannot be written to the audit log", () => {
  it.each([["retry", "--failed"], ["review", "--outcome", "qualifies"], ["withdraw"]])(
    "changes nothing: %s %s",
    async (command, ...words) => {
      const { owner } = database;
      const state = () => owner`
      select d.failed_at, p.withdrawn_at, r.outcome
      from private.deliveries d join private.permissions p using (lead_id) left join private.reviews r using (lead_id)`;
      await owner`update private.deliveries set failed_at = now()`;
      const before = await state();
      await owner`alter table private.audit_log add constraint closed check (who is null) not valid`;
      const { status } = await leads(url, command, ...(words[0] === "--failed" ? words : [id, ...words]));
      await owner`alter table private.audit_log drop constraint closed`;
      expect(status).toBe(1);
      expect(await state()).toEqual(before);
    },
  );
});

describe("a lead that came while nothing looked for new ones", () => {
  const listed = async () => {
    await database.owner`select private.index_new_leads()`;
    const rows = await database.owner<{ name: string }[]>`
      select l.name from private.lead_work w join public.leads l on l.id = w.lead_id order by w.created_at`;
    return rows.map(({ name }) => name);
  };
  const add = async (name: string, after: string) => {
    const lead = aLead({ name, phone: "1" });
    const [stored] = await database.owner<{ id: string }[]>`
      insert into public.leads (created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
      values (now() + ${after}::interval, ${name}, ${lead.email}, ${lead.phone}, ${lead.zip_code}, true, true) returning id`;
    return stored?.id as string;
  };

  it.each(["review", "withdraw"])(
    "is in the team's lists also when a newer one is the first that somebody acts on: leads %s",
    async (command) => {
      await removeLeads(database.owner);
      await add("Ten minutes ago", "-10 minutes");
      await add("A minute ago", "-1 minute");
      const newest = await add("Now", "0");
      expect((await leads(url, command, newest)).status).toBe(0);
      expect(await listed()).toEqual(["Ten minutes ago", "A minute ago", "Now"]);
    },
  );

  it("is in them also when the clock was ahead for a moment, and a lead has a time in the future", async () => {
    await removeLeads(database.owner);
    await add("Tomorrow", "1 day");
    expect(await listed()).toEqual(["Tomorrow"]);
    await add("Ten minutes ago", "-10 minutes");
    await add("A minute ago", "-1 minute");
    expect(await listed()).toEqual(["Ten minutes ago", "A minute ago", "Tomorrow"]);
    await add("Now", "0");
    await add("Next week", "7 days");
    expect(await listed()).toEqual(["Ten minutes ago", "A minute ago", "Now", "Tomorrow", "Next week"]);
  });
});

describe("a lead that a member has tried", () => {
  it("leaves the queue when it is reviewed by command, though that attempt was its first review", async () => {
    const { owner } = database;
    const stage = async () =>
      (await owner`select stage from private.lead_work where lead_id = ${id}`)[0]?.stage;
    await owner`insert into private.reviews (lead_id, outcome) values (${id}, 'no answer')`;
    await owner`update private.lead_work set stage = 'open' where lead_id = ${id}`;
    expect((await leads(url, "review", id, "--outcome", "qualifies")).status).toBe(0);
    expect(await stage()).toBe("closed");
  });
});

describe("a lead that is erased while a command about it runs", () => {
  it.each(["review", "withdraw", "erase --yes"])("leads %s: is said to be there no more", async (command) => {
    const { owner } = database;
    const { running } = await owner.begin(async (sql) => {
      await sql`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
      const running = leads(url, ...command.split(" "), id);
      await until(async () => (await sessionsWaitingForLocks(owner, "leads command")).length > 0);
      return { running };
    });
    expect(await running).toEqual({
      status: 1,
      stdout: "",
      stderr: `There is no lead ${reference(id)} any more.\n`,
    });
  });

  it("is said to be there no more, and another lead with its number loses its permission all the same", async () => {
    const { owner } = database;
    const [{ id: other } = { id: "" }] = await owner<{ id: string }[]>`
      insert into leads ${owner(aLead({ name: "Other", email: "other@example.com" }))} returning id`;
    const { running } = await owner.begin(async (sql) => {
      await sql`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
      const running = leads(url, "withdraw", id);
      await until(async () => (await sessionsWaitingForLocks(owner, "leads command")).length > 0);
      return { running };
    });
    expect(await running).toEqual({
      status: 1,
      stdout: `Permission withdrawn: also of ${reference(other)}, which has the same number.\n`,
      stderr: `There is no lead ${reference(id)} any more.\n`,
    });
  });
});
