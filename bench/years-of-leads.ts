// Fills a database with what years of leads leave behind: leads, permissions, deliveries, reviews, calls, outcomes and the audit log,
// spread as they would be. Rows are made in PostgreSQL, without triggers and with the indexes built at the end.
import { permissionNotices } from "../content/permission.ts";
import type { Sql } from "../database/connect.ts";
import { experimentDays, fillCounts } from "./years-of-counts.ts";

export interface Years {
  leads: number;
  /** How many of these, the newest, nobody has reviewed. The queue is these and one in a thousand of the older ones. */
  open: number;
  /** Over how many days they came. */
  days?: number;
  /** How many days before today have page loads counted by hour, as today has: eight, unless a test needs fewer rows. */
  daysByHour?: number;
  /** Whether the tables are vacuumed at the end, as autovacuum does in time. */
  vacuum?: boolean;
}

/** Leads that are made in one statement. */
const batchSize = 250_000;

/** The database has the schema and no leads, and belongs to a superuser. */
export async function fillDatabase(sql: Sql, years: Years, onRows: (leads: number) => void): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and not i.indisunique
      and c.relname in ('leads', 'permissions', 'deliveries', 'lead_work', 'reviews', 'calls', 'outcomes', 'audit_log', 'erasures')`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql`set session_replication_role = replica`;
  await sql`set synchronous_commit = off`;
  await sql`set maintenance_work_mem = '1GB'`;
  await sql`
    insert into private.members (name, role, joined_at)
    select 'Member ' || n, case when n = 1 then 'manager' else 'member' end, now() from generate_series(1, 12) n`;
  const notices = permissionNotices({ site: { languages: ["en", "es"] }, provider: {} });
  for (const { hash, language, text } of notices)
    await sql`insert into private.notices (hash, language, text) values (${hash}, ${language}, ${text})`;
  for (let from = 0; from < years.leads; from += batchSize) {
    await fillBatch(sql, years, from, Math.min(years.leads, from + batchSize));
    onRows(Math.min(years.leads, from + batchSize));
  }
  await sql`
    insert into private.erasures (lead_id, erased_at, reason)
    select gen_random_uuid(), now() - n * interval '1 minute', 'asked' from generate_series(1, ${Math.round(years.leads / 20)}::integer) n`;
  for (const { definition } of indexes) await sql.unsafe(definition);
  await fillCounts(sql, years.days ?? 700, years.daysByHour);
  await sql`set session_replication_role = origin`;
  await sql`reset synchronous_commit`;
  const vacuum = () => (years.vacuum === false ? sql`analyze` : sql`vacuum analyze`);
  await vacuum();
  await sql`select private.recount()`;
  for (let days = 1; days > 0; ) {
    const [summed] = await sql<{ days: number }[]>`select private.sum_up_report_days(50) as days`;
    days = summed?.days ?? 0;
  }
  await vacuum();
  await sql`checkpoint`;
}

async function fillBatch(sql: Sql, years: Years, from: number, to: number): Promise<void> {
  await makeBatch(sql, years, from, to);
  await fillLeads(sql);
  await fillCalls(sql);
  await sql`drop table batch`;
}

// The oldest lead comes first; the open leads came in the last day. One in twelve has the number and e-mail address of an earlier lead, one
// in 100,000 has a number that all of those share, one in a hundred withdrew the permission, one in a thousand was never reviewed.
async function makeBatch(
  sql: Sql,
  { leads, open, days = 700 }: Years,
  from: number,
  to: number,
): Promise<void> {
  const [server] = await sql<
    { version: number }[]
  >`select current_setting('server_version_num')::int as version`;
  // PostgreSQL before 18 has no uuidv7(), and the product's ids are random there.
  const id = (server?.version ?? 0) >= 180_000 ? "uuidv7(t.given - now())" : "gen_random_uuid()";
  await sql`
    create temporary table batch as
    select ${sql.unsafe(id)} as id, t.n, t.given as created_at, t.is_done, t.is_withdrawn,
      t.first_name || ' ' || t.last_name as name,
      'visitor' || t.person || '@example.com' as email,
      case when t.n % 100000 = 7 then '3055550100' else (2012000000 + (t.person * 7919) % 6000000000)::text end as phone,
      lpad((t.n * 7919 % 1000)::text, 3, '0') || '01' as zip_code,
      '198.' || t.n % 199 || '.' || t.n % 251 || '.' || t.n % 241 as address,
      case when t.is_done then (array[
        'likely_qualifies', 'needs_visit', 'does_not_qualify', 'not_interested', 'likely_qualifies', 'wrong_number', 'needs_visit'
      ])[1 + t.n % 7] end as outcome,
      case when t.given >= date_trunc('day', now(), 'UTC') - ${experimentDays}::integer * interval '1 day'
        then (array['original', 'garden'])[1 + t.n / 4 % 2] end as variant,
      case when t.n % 50 = 0 then array['link in name'] when t.n % 333 = 0 then array['page elsewhere'] else '{}' end as flags
    from (
      select n, given, n < ${leads - open} and n % 1000 <> 3 as is_done, n % 97 = 0 as is_withdrawn,
        case when n % 12 = 0 then greatest(n - 601, 0) else n end as person,
        (array['Rosa', 'José', 'Ann', 'Mary', 'Bob', 'James', 'Linda', 'Maria', 'Robert', 'Patricia', 'John', 'Barbara', 'Elena',
          'Wilma', 'Otis', 'Guadalupe', 'Nguyen', 'Eugene', 'Dolores', 'Xiomara'])[1 + (20 * (n * 2654435761 % 4294967296 / 4294967296.0) ^ 2)::integer % 20] as first_name,
        case when n % 3 = 0 then (array['Smith', 'García', 'Johnson', 'Martinez', 'Williams', 'Brown', 'Jones', 'O''Brien', 'Hernandez', 'St. John'])[1 + n / 3 % 10]
          else initcap(translate((n * 48271 % 30011)::text, '0123456789', 'aeioubdlmn')) || 'son' end as last_name
      from (
        select n, case when n < ${leads - open}
          then now() - interval '1 day' - (${leads - open} - n) * (make_interval(days => ${days}) / ${leads})
          else now() - interval '1 day' * (${leads} - n) / ${open} end as given
        from generate_series(${from}::bigint, ${to - 1}::bigint) as n
      ) times
    ) t`;
  await sql`analyze batch`;
}

async function fillLeads(sql: Sql): Promise<void> {
  await sql`
    insert into public.leads (id, created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
    select id, created_at, name, email, phone, zip_code, n % 2 = 0, n % 3 > 0 from batch order by n`;
  await sql`
    insert into private.permissions (lead_id, given_at, notice_hash, page_origin, page_path, address, browser, utm, withdrawn_at, variant)
    select id, created_at, (select hash from private.notices where language = case when n % 5 = 0 then 'es' else 'en' end),
      'https://site.example', '/', address,
      (array[
        'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
        'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
        'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/604.1',
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
      ])[1 + n % 4],
      jsonb_build_object('utm_source', (array['facebook', 'google', 'paper'])[1 + n % 3], 'utm_campaign', 'spring ' || n % 9),
      case when is_withdrawn then least(created_at + interval '5 hours', now()) end, variant
    from batch order by n`;
  await sql`
    insert into private.deliveries (lead_id, channel, created_at, due_at, attempts, delivered_at, failed_at, last_error)
    select id, channel, created_at, created_at, 1,
      case when (is_done or n % 10 > 0) and n % 5000 <> 9 then created_at + interval '2 seconds' end,
      case when n % 5000 = 9 then least(created_at + interval '1 day', now()) end, case when n % 5000 = 9 then 'answered 410' end
    from batch, unnest(array['email', 'webhook']) as channel order by n, channel`;
  await sql`
    insert into private.lead_work (
      lead_id, created_at, phone_digits, email_key, search, flags, address, place, number_key, stage, outcome,
      reviewed_at, withdrawn_at, is_owed, utm, first_called_at, device, variant
    )
    select id, created_at, phone, email, array_to_tsvector(private.words_of(name)), flags, address, private.place_of(zip_code, phone), phone,
      case when is_done or is_withdrawn then 'closed' else 'open' end, outcome,
      case when is_done then least(created_at + case when n % 20 = 0 then interval '30 hours' else interval '3 hours' end, now()) end,
      case when is_withdrawn then least(created_at + interval '5 hours', now()) end, true,
      jsonb_build_object('utm_source', (array['facebook', 'google', 'paper'])[1 + n % 3], 'utm_campaign', 'spring ' || n % 9),
      case when is_done and n % 2 = 0 then created_at + interval '1 hour' + n % 100 * interval '1 minute' end,
      (array['phone', 'phone', 'tablet', 'computer'])[1 + n % 4], variant
    from batch order by n`;
  await sql`
    insert into private.reviews (lead_id, reviewed_at, outcome)
    select id, least(created_at + case when n % 20 = 0 then interval '30 hours' else interval '3 hours' end, now()), replace(outcome, '_', ' ')
    from batch where is_done order by n`;
}

// Half of the leads were phoned, one in ten of them twice.
async function fillCalls(sql: Sql): Promise<void> {
  await sql`
    insert into private.calls (lead_id, number_key, member_id, at)
    select p.id, p.phone, m.id, p.created_at + c.nth * interval '1 hour' + p.n % 100 * interval '1 minute'
    from batch p
    join (select id, row_number() over (order by name) as nth from private.members) m on m.nth = 1 + p.n % 12
    join generate_series(1, 2) as c (nth) on c.nth = 1 or p.n % 20 = 0
    where p.is_done and p.n % 2 = 0 order by p.n`;
  await sql`
    insert into private.outcomes (lead_id, call_id, member_id, at, outcome, note, before)
    select c.lead_id, c.id, c.member_id, c.at + interval '6 minutes', p.outcome, 'Spoke with the daughter, who asked for a letter.', '{}'
    from private.calls c join batch p on p.id = c.lead_id`;
  await sql`
    insert into private.audit_log (at, member_id, who, action, lead_id)
    select c.at + s.nth * interval '1 minute', c.member_id, m.name, s.action, c.lead_id
    from private.calls c join batch p on p.id = c.lead_id join private.members m on m.id = c.member_id,
      (values (0, 'opened lead'), (1, 'called'), (6, 'recorded outcome')) s (nth, action)
    order by c.at`;
}
