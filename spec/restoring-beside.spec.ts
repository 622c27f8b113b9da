// How a backup is restored beside what visitors have left in a new database meanwhile, so that both stay: `leads restore --keep`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { readLeadCounts } from "../delivery/counts.ts";
import { rowsOfBackupTables } from "./support/contents.ts";
import { aLead, makeDatabase, sessionsWaitingForLocks, type TestDatabase } from "./support/database.ts";
import { fill } from "./support/full-database.ts";
import { leads } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";

let folder: string;
let database: TestDatabase;
/** A backup of `database`. */
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "leads-beside-"));
  database = await makeDatabase();
  await fill(database.owner);
  // This lead has no row in private.lead_work yet, so the inbox does not list it.
  await database.owner`insert into leads ${database.owner(aLead({ name: "Just before the backup" }))}`;
  await database.owner`insert into private.audit_log (who, action) values ('Ruth', 'tried')`;
  file = join(folder, "leads.backup");
  expect(await leads(database.url, "backup", file)).toMatchObject({ status: 0 });
});
afterAll(() => rm(folder, { recursive: true }));

const aView = { source: "x", medium: "", campaign: "c", variant: "", device: "phone", step: "view", n: 2 };
const aVital = { variant: "", device: "phone", vital: "lcp", bucket: 1, n: 1 };

const count = async (owner: Sql) => (await owner`select count(*)::int as n from leads`)[0]?.n;

describe("leads restore", () => {
  it("keeps with --keep the leads that visitors have sent meanwhile, with their deliveries", async () => {
    const { url, owner } = await makeDatabase();
    await owner`update private.channels set enabled = true where name in ('email', 'webhook')`;
    await owner`insert into leads ${owner(aLead({ name: "Here first" }))}`;
    await owner`select private.index_new_leads()`;
    expect(await leads(url, "restore", "--keep", file)).toMatchObject({ status: 0 });
    // The inbox shows each, also one that came a moment before the backup was made.
    expect(await owner`select from leads where id not in (select lead_id from private.lead_work)`).toEqual(
      [],
    );
    const before = await rowsOfBackupTables(database.owner);
    const after = await rowsOfBackupTables(owner);
    for (const table of ["public.leads", "private.permissions", "private.deliveries"])
      expect(after[table]).toEqual(expect.arrayContaining(before[table] as unknown[]));
    expect(await count(owner)).toBe(7);
    // The status and the queue read stored sums. No trigger fires during a restore, so the restore itself counts them anew.
    expect((await readLeadCounts(owner)).stored).toBe(7);
    const [kept] = await owner`
      select count(*)::int as deliveries from private.deliveries d join leads l on l.id = d.lead_id
      where l.name = 'Here first'`;
    expect(kept).toEqual({ deliveries: 2 });
  });

  it("keeps with --keep the earlier day of a wording, and a channel given up where this server has not set it up", async () => {
    const [old, fresh] = [await makeDatabase(), await makeDatabase()];
    for (const [{ owner }, ...days] of [
      [old, "2026-01-05", "2026-02-01"],
      [fresh, "2026-03-01", "2026-01-07"],
    ] as const) {
      await owner`select private.sync_channels(array['email', 'webhook', 'chat'], array['email'])`;
      await owner`
        insert into private.notices (hash, language, text, first_used_at)
        select encode(sha256(n.text::bytea), 'hex'), 'en', n.text, n.day::timestamptz
        from unnest(array['You may call me.', 'You may phone me.'], ${days}::text[]) as n (text, day)`;
    }
    await old.owner`update private.channels set enabled = false, retired_at = now() where name in ('email', 'webhook')`;
    const path = join(folder, "given-up.backup");
    expect(await leads(old.url, "backup", path)).toMatchObject({ status: 0 });
    expect(await leads(fresh.url, "restore", "--keep", path)).toMatchObject({ status: 0 });
    const notices = await fresh.owner`
      select first_used_at::date::text as day from private.notices order by text`;
    expect(notices).toEqual([{ day: "2026-01-05" }, { day: "2026-01-07" }]);
    const retired = await fresh.owner`select name from private.channels where retired_at is not null`;
    expect(retired).toEqual([{ name: "webhook" }]);
  });

  it("withdraws with --keep the permission of a lead that came here and whose person asked to stop where the backup was made", async () => {
    const [old, fresh] = [await makeDatabase(), await makeDatabase()];
    const came = new Date(Date.now() - 60 * 60_000);
    await fresh.owner`insert into leads ${fresh.owner({ ...aLead(), created_at: came })}`;
    await fresh.owner`select private.index_new_leads()`;
    await old.owner`select private.stop_numbers(private.phone_numbers(${aLead().phone}))`;
    await old.owner`update private.stop_list set stopped_at = now() - interval '30 minutes'`;
    const path = join(folder, "stopped.backup");
    expect(await leads(old.url, "backup", path)).toMatchObject({ status: 0 });
    expect(await leads(fresh.url, "restore", "--keep", path)).toMatchObject({ status: 0 });
    const [lead] = await fresh.owner`
      select w.withdrawn_at is not null and p.withdrawn_at is not null as withdrawn
      from private.lead_work w join private.permissions p using (lead_id)`;
    expect(lead).toEqual({ withdrawn: true });
  });

  it("adds with --keep the backup's page counts, receipts and audit entries to those that the database holds already", async () => {
    const [old, fresh] = [await makeDatabase(), await makeDatabase()];
    const [clock] = await old.owner<{ today: string }[]>`select private.utc_day(now())::text as today`;
    const today = clock?.today ?? "";
    for (const { intake, owner } of [fresh, old]) {
      await intake`select private.add_counts(${JSON.stringify([aView])}::text::json, ${JSON.stringify([aVital])}::text::json)`;
      // Of the same hour in both, because another one may begin meanwhile.
      await owner`update private.page_counts set day = ${today}, hour = 12`;
      await owner`update private.vital_counts set day = ${today}`;
      await owner`insert into leads ${owner(aLead({ name: "Test lead" }))}`;
      await owner`select private.audit(private.require_session(), 'opened lead', id) from leads`;
      await owner`select private.audit(private.require_session(), 'erased lead', id) from leads`;
      await owner`select private.erase_leads(array(select id from leads), 'asked')`;
    }
    // A finished day whose sums stand on the new server must be summed anew.
    for (const { owner } of [old, fresh])
      await owner`insert into private.page_counts select ${today}::date - 2, -1, 'x', '', 'c', '', 'phone', 'view', 7`;
    await fresh.owner`select private.sum_up_report_days()`;
    const path = join(folder, "counted.backup");
    expect(await leads(old.url, "backup", path)).toMatchObject({ status: 0 });

    const { stderr } = await leads(fresh.url, "restore", path);
    expect(stderr).toContain(
      "This database holds counts of page loads, receipts of erased leads and entries of the audit log already.",
    );
    expect(stderr).toContain(`restore --keep ${path}`);
    // Marks that day's leads as summed, too.
    await fresh.owner`insert into private.report_days values (${today}::date - 2)`;
    expect(await leads(fresh.url, "restore", "--keep", path)).toMatchObject({ status: 0 });
    expect(await fresh.owner`select from private.report_days`).toEqual([]);
    const entries = await fresh.owner`select action from private.audit_log order by id`;
    expect(entries.map(({ action }) => action)).toEqual([
      "opened lead",
      "erased lead",
      "opened lead",
      "erased lead",
    ]);

    await fresh.owner`select private.sum_up_report_days()`;
    const [sums] = await fresh.owner`
      select (select json_agg(n order by day) from private.page_counts) as views,
        (select n::int from private.vital_counts) as vitals,
        (select max(views)::int from private.report_page_days) as summed,
        (select count(*)::int from private.audit_log where action = 'opened lead') as opened,
        (select count(*)::int from private.erasures) as erased`;
    expect(sums).toEqual({ views: [14, 4], vitals: 2, summed: 14, opened: 2, erased: 2 });
  });

  it("marks every calling window as out of date, so that the next look finds a state paused that the backup paused", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into leads ${owner(aLead({ zip_code: "70112", phone: "(504) 555-0142" }))}`;
    await owner`select private.index_new_leads()`;
    await owner`update private.place_windows set callable = true, holds_until = now() + interval '1 hour'`;
    const louisiana = () => owner`
      select callable, reason, blocking_state from private.place_windows where place = 'LA/America/Chicago'`;
    expect(await louisiana()).toEqual([{ callable: true, reason: null, blocking_state: null }]);
    expect(await leads(url, "restore", "--keep", file)).toMatchObject({ status: 0 });
    expect(await owner`select place from private.place_windows where holds_until > now()`).toEqual([]);
    await owner`select private.refresh_place_windows()`;
    expect(await louisiana()).toEqual([{ callable: false, reason: "paused", blocking_state: "LA" }]);
  });

  const refusedAsHeld = {
    status: 1,
    stderr: expect.stringContaining(
      "This database holds what the backup's database held already. Nothing was",
    ),
  };

  it("is refused with --keep a second time, because counts would double, and after an erasure, because leads would return", async () => {
    const { url, owner } = await makeDatabase();
    expect(await leads(url, "restore", file)).toMatchObject({ status: 0 });
    // A new entry of the audit log has a number after those of the backup.
    await owner`select private.audit(private.require_session(), 'tried again')`;
    // Removes the team's work, because the restore would be refused for that alone.
    await owner`truncate private.members, private.stop_list, private.reviews, private.paused_states cascade`;
    expect(await leads(url, "restore", "--keep", file)).toMatchObject(refusedAsHeld);
    await owner`select private.erase_leads(array(select id from leads), 'asked')`;
    expect(await leads(url, "restore", "--keep", file)).toMatchObject(refusedAsHeld);
    expect(await count(owner)).toBe(0);
  });

  it("is refused likewise for a backup without leads, for a later backup, and where its data came by way of another database", async () => {
    const [old, fresh, third] = [await makeDatabase(), await makeDatabase(), await makeDatabase()];
    const views = async (owner: Sql) =>
      (await owner<{ n: number }[]>`select n::int from private.page_counts`).map(({ n }) => n);
    const backUp = async ({ url }: TestDatabase, name: string) => {
      expect(await leads(url, "backup", join(folder, name))).toMatchObject({ status: 0 });
      return join(folder, name);
    };
    const add = ({ intake }: TestDatabase) =>
      intake`select private.add_counts(${JSON.stringify([aView])}::text::json, '[]')`;
    await add(old);
    const first = await backUp(old, "first.backup");
    await add(old);
    const later = await backUp(old, "later.backup");
    expect(await leads(old.url, "restore", "--keep", first)).toMatchObject(refusedAsHeld);
    expect(await leads(fresh.url, "restore", "--keep", first)).toMatchObject({ status: 0 });
    for (const again of [first, later])
      expect(await leads(fresh.url, "restore", "--keep", again)).toMatchObject(refusedAsHeld);
    expect(await leads(third.url, "restore", await backUp(fresh, "both.backup"))).toMatchObject({
      status: 0,
    });
    expect(await leads(third.url, "restore", "--keep", later)).toMatchObject(refusedAsHeld);
    expect(await Promise.all([old, fresh, third].map(({ owner }) => views(owner)))).toEqual([[4], [2], [2]]);
  });

  it("sees what somebody writes while it begins, and refuses then, too", async () => {
    const { url, owner } = await makeDatabase();
    const ran = await owner.begin(async (sql) => {
      await sql`insert into private.stop_list (phone_digits) values ('3055550199')`;
      const restoring = leads(url, "restore", file);
      await until(async () => (await sessionsWaitingForLocks(owner, "leads command")).length > 0);
      return { restoring };
    });
    expect((await ran.restoring).stderr).toContain("This database holds work of the team already.");
    expect(await owner`select phone_digits from private.stop_list`).toEqual([{ phone_digits: "3055550199" }]);
  });

  it("refuses with --keep, too, where the team has worked already", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into leads ${owner(aLead({ name: "Here first" }))}`;
    await owner`insert into private.reviews (lead_id) select id from leads`;
    const { status, stderr } = await leads(url, "restore", "--keep", file);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("This database holds 1 lead and work of the team already. Nothing was"),
    });
    expect(stderr).toContain("Nothing can be restored beside work of the team.");
    expect(stderr).not.toContain("--keep");
  });
});
