// `node bench/many-leads.ts --leads 500000`: fills a database with leads, permissions, deliveries, reviews and calls as years would,
// and times what people and processes wait for: lists, searches, the queue, a lead page, reports, status, claims, exports and
// backups. Prints one line each: milliseconds of SQL, the middle of several tries. The figures stand in docs/scaling.md.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, type Sql } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { claim } from "../delivery/claim.ts";
import { countDeliveries, countLeads } from "../delivery/counts.ts";
import { indexNewLeads, syncChannels } from "../delivery/outbox.ts";
import { backUp } from "../team/backup.ts";
import { listLeads } from "../team/list-leads.ts";
import { median } from "./running.ts";

const { values } = parseArgs({
  options: {
    leads: { type: "string", default: "10000" },
    /** Leads that nobody has reviewed: the queue. */
    open: { type: "string", default: "2000" },
    tries: { type: "string", default: "5" },
  },
});
const [leads, open, tries] = [values.leads, values.open, values.tries].map(Number) as [
  number,
  number,
  number,
];
const say = (line: string) => process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), "many-leads-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const sql = connect(database.url, { max: 1, name: "many leads" });
try {
  await migrate(sql);
  await syncChannels(sql, ["email", "webhook"]);
  await fill(sql);
  await timeAll(sql);
} finally {
  await sql.end({ timeout: 1 });
  await database.stop();
  await rm(folder, { recursive: true });
}

/** Makes the rows set by set; the triggers of an insert would take hours and are timed elsewhere. */
async function fill(sql: Sql): Promise<void> {
  const started = performance.now();
  await sql`alter table public.leads disable trigger user`;
  await sql`alter table private.reviews disable trigger user`;
  for (let from = 0; from < leads; from += 100_000)
    await fillPortion(sql, from, Math.min(leads, from + 100_000));
  await sql`alter table public.leads enable trigger user`;
  await sql`alter table private.reviews enable trigger user`;
  await sql`vacuum analyze`;
  const [size] = await sql<
    { bytes: string }[]
  >`select pg_size_pretty(pg_database_size(current_database())) as bytes`;
  say(
    `${leads} leads, ${open} of them open: ${size?.bytes} in ${Math.round((performance.now() - started) / 1000)} s`,
  );
}

// The oldest lead first; the last `open` ones came within the last day and wait for a call.
async function fillPortion(sql: Sql, from: number, to: number): Promise<void> {
  await sql`
    create temporary table portion on commit preserve rows as
    select uuidv7(given - now()) as id, n, given as created_at,
      (array['Rosa Martinez', 'José García', 'Ann Smith', 'Mary-Ann St. John', 'Bob O''Brien'])[n % 5 + 1] || ' ' || n as name,
      'visitor' || n || '@example.com' as email,
      (2012000000 + (n * 7919) % 6000000000)::text as phone,
      (array['33101', '10001', '60601', '90210', '77002', '40202', '85001', '98101', '30301', '02134'])[n % 10 + 1] as zip_code,
      n < ${leads - open} as is_done
    from (
      select n, case when n < ${leads - open}
        then now() - interval '1 day' - (${leads - open} - n) * (interval '700 days' / ${leads})
        else now() - interval '1 day' * (${leads} - n) / ${open} end as given
      from generate_series(${from}::bigint, ${to - 1}::bigint) as n
    ) times`;
  await sql`
    insert into public.leads (id, created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
    select id, created_at, name, email, phone, zip_code, n % 2 = 0, n % 3 > 0 from portion order by created_at`;
  await sql`
    insert into private.permissions (lead_id, given_at, page_origin, page_path, address, browser, utm, withdrawn_at)
    select id, created_at, 'https://site.example', '/', '192.0.2.' || n % 250, 'A browser of the usual length, or nearly so',
      jsonb_build_object('utm_source', 'facebook', 'utm_campaign', 'spring ' || n % 7), case when n % 97 = 0 then created_at end
    from portion`;
  await sql`
    insert into private.deliveries (lead_id, channel, created_at, due_at, attempts, delivered_at)
    select id, channel, created_at, created_at, 1, case when is_done or n % 10 > 0 then created_at end
    from portion, unnest(array['email', 'webhook']) as channel`;
  await sql`
    insert into private.lead_work (
      lead_id, created_at, phone_digits, email_key, search, flags, address, place, number_key, stage, outcome
    )
    select id, created_at, phone, email, to_tsvector('simple', name), case when n % 50 = 0 then array['link in name'] else '{}' end,
      '192.0.2.' || n % 250, p.place, phone, case when is_done then 'closed' else 'open' end,
      case when is_done then (array['likely_qualifies', 'needs_visit', 'does_not_qualify', 'not_interested'])[n % 4 + 1] end
    from portion join (
      select z.zip_code as zip, private.place_of(z.zip_code, '') as place from (select distinct zip_code from portion) z
    ) p on p.zip = portion.zip_code`;
  await sql`
    insert into private.reviews (lead_id, reviewed_at, outcome)
    select id, created_at + interval '3 hours', 'likely qualifies' from portion where is_done`;
  await sql`insert into private.members (name, role, joined_at) values ('Member', 'manager', now()) on conflict do nothing`;
  await sql`
    insert into private.calls (lead_id, number_key, member_id, at)
    select p.id, p.phone, m.id, p.created_at + interval '2 hours' from portion p, private.members m where p.is_done and p.n % 2 = 0`;
  await sql`
    insert into private.outcomes (lead_id, call_id, member_id, at, outcome, before)
    select c.lead_id, c.id, c.member_id, c.at, 'likely_qualifies', '{}'
    from private.calls c join portion p on p.id = c.lead_id`;
  await sql`drop table portion`;
}

async function timeAll(sql: Sql): Promise<void> {
  const [any] = await sql<{ id: string; reference: string; phone: string }[]>`
    select lead_id as id, right(lead_id::text, 8) as reference, phone_digits as phone from private.lead_work
    where stage = 'open' order by created_at limit 1`;
  const filter = "{}";
  const nothing = async () => {};
  await time("leads list", () => listLeads(sql, { limit: 50 }, nothing));
  await time("leads list --due", () => listLeads(sql, { limit: 50, due: true }, nothing));
  await time("leads list --suspect", () => listLeads(sql, { limit: 50, suspect: true }, nothing));
  await time("leads status", () => Promise.all([countLeads(sql), countDeliveries(sql)]));
  await time("inbox: queue", () => sql`select team.queue(${filter}::jsonb, null, 50)`);
  await time("inbox: search by name", () => sql`select team.search('garcía 7', ${filter}::jsonb, null, 50)`);
  await time(
    "inbox: search by phone",
    () => sql`select team.search(${any?.phone ?? ""}, ${filter}::jsonb, null, 50)`,
  );
  await time(
    "inbox: search by reference",
    () => sql`select team.search(${any?.reference ?? ""}, ${filter}::jsonb, null, 50)`,
  );
  await time("inbox: lead page", async () => {
    const [row] = await sql<{ opening: string }[]>`
      select team.record_opening(${any?.id ?? ""}, false) as opening`;
    await sql`select team.open_lead(${row?.opening ?? 0})`;
  });
  await time(
    "inbox: reports of 30 days",
    () => sql`select team.reports((current_date - 30)::text, current_date::text, 'America/New_York')`,
  );
  await time("inbox: health of the machine", () => sql`select team.machine()`);
  await time("scheduled job: new leads", () => indexNewLeads(sql));
  await time("scheduled job: overdue alerts", () => sql`select private.enqueue_overdue_alerts()`);
  await time("dispatcher: claim of 12", () => claim(sql, "webhook", { max: 12, lease: 0 }));
  let rows = 0;
  const exported = await measure(() =>
    listLeads(sql, {}, async (page) => {
      rows += page.length;
    }),
  );
  say(`${"export of all leads".padEnd(32)} ${Math.round((rows / exported) * 1000)} rows a second`);
  const file = join(folder, "copy.backup");
  const copied = await measure(() => backUp(sql, file));
  say(
    `${"backup".padEnd(32)} ${(copied / 1000).toFixed(1)} s, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB of memory at most`,
  );
}

async function time(what: string, act: () => Promise<unknown>): Promise<void> {
  await act();
  const took: number[] = [];
  for (let n = 0; n < tries; n += 1) took.push(await measure(act));
  say(`${what.padEnd(32)} ${median(took).toFixed(1)} ms`);
}

async function measure(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
