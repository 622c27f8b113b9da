// What a person waits for stays quick with millions of leads, because it reads the rows that it shows and not the table. This chapter
// counts the rows that PostgreSQL reads; a time would depend on how busy the machine is. (How long each takes: docs/scaling.md.)
import { beforeAll, describe, expect, it } from "vitest";
import { readSamples, waitedForTasks } from "../bench/many-leads-tasks.ts";
import { fillDatabase } from "../bench/years-of-leads.ts";
import { connect, type Sql } from "../database/connect.ts";
import { readLeadCounts } from "../delivery/counts.ts";
import { requeueFailed, syncChannels } from "../delivery/outbox.ts";
import { addUp } from "../delivery/scheduled-jobs.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { counted, countedByReading, lateInQueue, report, reportBothWays } from "./support/sums.ts";

const { owner, url } = await makeDatabase();
const leads = 12_000;
/** Rows that one request may read of the tables that grow with the leads. */
const maxRows = 2500;
beforeAll(async () => {
  await syncChannels(owner, ["email", "webhook"]);
  // The last 24 hours have as many leads as each day before: reports read each lead of a day that is not over, so they read the most
  // late in the day, and that must stay within the limit, too.
  await fillDatabase(owner, { leads, open: leads / 60, days: 60, daysByHour: 1, vacuum: false }, () => {});
  // In the ten minutes after midnight (UTC) a mark is left: the day before yesterday is not summed yet.
  await owner`delete from private.report_changes`;
}, 180_000);

const growing = [
  "leads",
  "permissions",
  "deliveries",
  "lead_work",
  "reviews",
  "calls",
  "outcomes",
  "audit_log",
  "erasures",
  "report_changes",
];

interface RowsRead {
  /** The rows read in all, through an index or without one. */
  rows: number;
  /** The tables of which rows were read without an index. */
  scanned: string[];
}

/** What PostgreSQL reads of the growing tables for some work. */
async function rowsRead(work: (sql: Sql) => Promise<unknown>): Promise<RowsRead> {
  const sql = connect(url, { max: 1 });
  const start = await readSoFar(sql);
  await work(sql);
  const end = await readSoFar(sql);
  await sql.end();
  const by = (nth: number, of: "rows" | "scanned") => (end[nth]?.[of] ?? 0) - (start[nth]?.[of] ?? 0);
  return {
    rows: end.reduce((all, _, nth) => all + by(nth, "rows"), 0),
    scanned: end.filter((_, nth) => by(nth, "scanned") > 0).map(({ name }) => name),
  };
}

// Flushes the session's own counts first, because PostgreSQL publishes them with a delay.
async function readSoFar(sql: Sql) {
  await sql`select pg_stat_force_next_flush()`;
  return sql<{ name: string; rows: number; scanned: number }[]>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows, seq_tup_read::int as scanned
    from pg_stat_user_tables where relname = any (${growing}::text[]) order by relname`;
}

describe("with many leads", () => {
  const tasks = async () => waitedForTasks(await readSamples(owner));
  const task = async (name: string) =>
    (await tasks()).find(([what]) => what === name)?.[1] ?? (async () => {});

  it("reads few rows and no whole table for what a person or the dispatcher waits for, with two exceptions", async () => {
    const reads: Record<string, RowsRead> = {};
    for (const [what, act] of await tasks()) reads[what] = await rowsRead(act);
    // For a name that nobody has, the planner expects that scanning a table of this size is quicker than using its index.
    delete reads["inbox: search by a name that nobody has"];
    delete reads["erase --email: find"];
    const tooMuch = Object.entries(reads).filter(
      ([, { rows, scanned }]) => rows > maxRows || scanned.length > 0,
    );
    expect(tooMuch).toEqual([]);
  });

  it("reads each lead once for an erasure by e-mail address, because a lead that is not in the lists is to be erased too", async () => {
    const { rows } = await rowsRead(await task("erase --email: find"));
    // From both tables, and a few more for the leads that it finds.
    expect(rows).toBeLessThan(2 * leads + maxRows);
  });

  it("is tested with times, names, numbers, addresses, reviews and campaigns in the form in which the product stores them", async () => {
    const undone = new Error("undone");
    const rows = (sql: Sql) => sql`
      select created_at, search::text, phone_digits, other_numbers, email_key, other_addresses, number_key, place, address,
        reviewed_at, withdrawn_at, is_owed, utm, variant, device
      from private.lead_work where lead_id in (select id from public.leads order by created_at desc, id limit 500)
      order by created_at desc, lead_id`;
    const filled = await rows(owner);
    const written = owner.begin(async (tx) => {
      await tx`delete from private.lead_work`;
      await tx`select private.index_leads(array(select id from public.leads order by created_at desc, id limit 500))`;
      expect(await rows(tx as unknown as Sql)).toEqual(filled);
      throw undone;
    });
    await expect(written).rejects.toBe(undone);
  });

  it("reads too many rows, and a whole table, when the index of e-mail addresses is missing", async () => {
    const search = await task("inbox: search by e-mail");
    const [index] = await owner<{ definition: string }[]>`
      select pg_get_indexdef('private.lead_work_by_email'::regclass) as definition`;
    await owner`drop index private.lead_work_by_email`;
    try {
      const read = await rowsRead(search);
      expect(read.rows).toBeGreaterThan(maxRows);
      expect(read.scanned).toEqual(["lead_work"]);
    } finally {
      await owner.unsafe(index?.definition ?? "");
    }
  });
});

describe("the tables that grow with the leads and whose rows change", () => {
  it("have the setting by which PostgreSQL vacuums them once one row in a hundred has changed, not one in five", async () => {
    const changing = growing.filter((name) => !["audit_log", "erasures", "report_changes"].includes(name));
    const early = await owner<{ name: string }[]>`
      select relname as name from pg_class
      where relkind = 'r' and 'autovacuum_vacuum_scale_factor=0.01' = any (reloptions) order by 1`;
    expect(early.map(({ name }) => name)).toEqual(changing.sort());
  });
});

describe("the reports", () => {
  const isTheSame = async (days: number) => {
    const { fromSums, fromLeads } = await reportBothWays(owner, days);
    expect(fromSums).toEqual(fromLeads);
  };

  it("say the same from the sums of the days as from the leads, also after a change to an old lead", async () => {
    for (const days of [1, 9.3, 800]) await isTheSame(days);
    const lastSummed = owner`private.utc_day(now() - interval '10 minutes') - 2`;
    const [old] = await owner<{ id: string }[]>`
      select lead_id as id from private.calls where at < now() - interval '5 days' order by at desc limit 1`;
    const id = old?.id ?? "";
    const before = await report(owner, 9);
    const changes = [
      () => owner`update private.lead_work set outcome = 'not_interested' where lead_id = ${id}`,
      () =>
        owner`update private.reviews set reviewed_at = reviewed_at + interval '10 days' where lead_id = ${id}`,
      () => owner`update private.calls set at = at + interval '2 days' where lead_id = ${id}`,
      () => owner`update private.outcomes set outcome = 'no_answer' where lead_id = ${id}`,
      () => owner`delete from private.outcomes where lead_id = ${id}`,
      () => owner`update private.permissions set withdrawn_at = now() where lead_id = ${id}`,
      () => owner`select private.erase_leads(array[${id}]::uuid[], 'asked')`,
    ];
    for (const change of changes) {
      await change();
      await isTheSame(9);
      await addUp(owner);
      expect(await owner`select from private.report_changes where day <= ${lastSummed}`).toHaveLength(0);
      await isTheSame(9);
    }
    expect(await report(owner, 9)).not.toEqual(before);
  });

  it("read the list of changed days only once, and so hardly more rows for 50 days than for 5", async () => {
    const marks = 5_000;
    await owner`
      insert into private.report_changes (day)
      select (now() at time zone 'UTC')::date - 100 from generate_series(1, ${marks}::integer)`;
    // As autovacuum does in time. With these statistics, a plain join would make PostgreSQL read all marks once for each day.
    await owner`analyze private.report_changes`;
    const { rows: forFew } = await rowsRead((sql) => report(sql, 5));
    const { rows: forMany } = await rowsRead((sql) => report(sql, 50));
    await owner`delete from private.report_changes`;
    expect(forFew).toBeGreaterThanOrEqual(marks);
    expect(forMany).toBeLessThan(marks + maxRows);
    expect(forMany - forFew).toBeLessThan(100);
  });

  it("have each day marked as changed only once when one transaction erases many of its leads", async () => {
    await owner`
      select private.erase_leads(array(select lead_id from private.lead_work order by created_at limit 150), 'asked')`;
    const marks = await owner<{ day: string }[]>`select day::text from private.report_changes order by day`;
    await addUp(owner);
    expect(marks.length).toBeGreaterThan(0);
    expect(marks).toEqual([...new Map(marks.map((mark) => [mark.day, mark])).values()]);
  });
});

describe("the counts", () => {
  const someLeads = (hours: number) => owner<{ id: string }[]>`
    select lead_id as id from private.lead_work where created_at < now() - ${hours} * interval '1 hour'
    order by created_at desc limit 3`;
  const ids = async (hours: number) => (await someLeads(hours)).map(({ id }) => id);

  it("read few rows, although thousands of leads came within the last 24 hours", async () => {
    await owner`
      insert into public.leads (created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
      select now() - interval '23 hours' * n / 5000, 'Today ' || n, n || '@example.com', '1', '05401', true, true
      from generate_series(5000, 1, -1) as n`;
    await owner`select private.index_new_leads(null, '100 years')`;
    await addUp(owner);
    // As autovacuum does.
    await owner`select brin_summarize_new_values('public.leads_by_time')`;
    await owner`analyze`;
    for (const count of [readLeadCounts, lateInQueue]) {
      expect((await rowsRead(count)).rows).toBeLessThan(maxRows);
    }
  });

  it("have few rows to add up when a transaction has erased many leads", async () => {
    await addUp(owner);
    await owner`
      select private.erase_leads(array(select lead_id from private.lead_work order by created_at limit 150), 'asked')`;
    const [toAddUp] = await owner<{ rows: number }[]>`
      select ((select count(*) from private.lead_tallies) + (select count(*) from private.delivery_tallies))::int as rows`;
    expect(toAddUp?.rows).toBeLessThan(20);
  });

  it("equal a count of all rows after each of many things that can happen to a lead, a delivery or a channel", async () => {
    const acts: [what: string, act: () => Promise<unknown>][] = [
      ["nothing", async () => {}],
      ["a new lead", () => owner`insert into public.leads ${owner(aLead({ name: "New" }))}`],
      ["its row in lead_work", () => owner`select private.index_new_leads()`],
      [
        "a lead owed to nobody",
        async () => {
          await syncChannels(owner, []);
          await owner`insert into public.leads ${owner(aLead({ name: "Owed to nobody" }))}`;
          await owner`select private.index_new_leads()`;
          await syncChannels(owner, ["email", "webhook"]);
        },
      ],
      ["word of it after all", () => owner`select private.enqueue_missed_deliveries()`],
      [
        "deliveries made",
        () =>
          owner`update private.deliveries set delivered_at = now() where lead_id in (select id from public.leads where name = 'New')`,
      ],
      [
        "deliveries that fail",
        () =>
          owner`update private.deliveries set failed_at = now(), last_error = 'answered 410' where delivered_at is null`,
      ],
      ["sent again", () => requeueFailed(owner)],
      [
        "reviews",
        async () =>
          owner`insert into private.reviews (lead_id) select unnest(${await ids(1)}::uuid[]) on conflict do nothing`,
      ],
      [
        "a review undone",
        async () => owner`delete from private.reviews where lead_id = ${(await ids(30))[0] ?? ""}`,
      ],
      [
        "an attempt that reached nobody",
        async () =>
          owner`update private.lead_work set tried_at = now() where lead_id = any (${[...(await ids(0)), ...(await ids(24))]}::uuid[])`,
      ],
      ["a withdrawal", async () => owner`select private.withdraw_permission(${(await ids(2))[0] ?? ""})`],
      [
        "a withdrawal of a lead without its row in lead_work",
        async () => {
          const [lead] = await owner<
            { id: string }[]
          >`insert into public.leads ${owner(aLead({ name: "Withdrawn", phone: "1" }))} returning id`;
          await owner`select private.withdraw_permission(${lead?.id ?? ""})`;
        },
      ],
      ["leads erased", async () => owner`select private.erase_leads(${await ids(40)}::uuid[], 'asked')`],
      ["rows added up", () => addUp(owner)],
      ["everything counted anew", () => owner`select private.recount()`],
      [
        "a channel given up",
        async () => {
          await syncChannels(owner, ["webhook"]);
          await owner`select private.retire_channel('email')`;
        },
      ],
      [
        "the other channel given up as well",
        async () => {
          await syncChannels(owner, []);
          await owner`select private.retire_channel('webhook')`;
        },
      ],
      ["the channels set up again", () => syncChannels(owner, ["email", "webhook"])],
    ];
    for (const [what, act] of acts) {
      await act();
      expect([what, await counted(owner)]).toEqual([what, await countedByReading(owner)]);
    }
    await owner`truncate public.leads, private.deliveries, private.erasures cascade`;
    expect(await counted(owner)).toEqual(await countedByReading(owner));
  });
});
