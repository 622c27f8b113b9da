// What the delivery's frequent queries cost with many leads: counted in rows that PostgreSQL reads, because the time they take depends
// on how busy the machine is. They run each second or twice a second for years, and most of the time there is nothing to do.
import { beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { transaction } from "../database/transaction.ts";
import { claim, retryNow } from "../delivery/claim.ts";
import { indexNewLeads, syncChannels } from "../delivery/outbox.ts";
import { aLead, makeDatabase } from "./support/database.ts";

const { owner } = await makeDatabase();
const many = 10_000;

beforeAll(async () => {
  await syncChannels(owner, ["webhook"]);
  // The triggers are not what is measured, and each row would take an advisory lock.
  await owner`alter table public.leads disable trigger user`;
  await owner`
    insert into public.leads (created_at, name, email, phone, zip_code)
    select now() + make_interval(secs => i - ${many}::integer), 'Visitor ' || i, i || '@example.com', (3055550000 + i)::text, '33101'
    from generate_series(1, ${many}::integer) i`;
  await owner`alter table public.leads enable trigger user`;
  await owner`insert into private.permissions (lead_id, given_at) select id, created_at from public.leads`;
  await owner`
    insert into private.deliveries (lead_id, channel, created_at, due_at, attempts, delivered_at)
    select id, 'webhook', created_at, created_at, 1, created_at from public.leads`;
  await owner`select private.index_new_leads(${many}::integer, interval '100 years')`;
  await owner`vacuum analyze public.leads, private.permissions, private.deliveries, private.lead_work`;
});

/** How many rows of our tables PostgreSQL reads while `work` runs. */
async function rowsRead(work: (sql: Sql) => Promise<unknown>): Promise<number> {
  return transaction(owner, async (tx) => {
    const sql = tx as unknown as Sql;
    const before = await rowsSoFar(sql);
    await work(sql);
    return (await rowsSoFar(sql)) - before;
  });
}

// From the counters of this transaction, because those of all sessions are updated later.
async function rowsSoFar(sql: Sql): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as rows
    from pg_stat_xact_user_tables where schemaname in ('public', 'private')`;
  return row?.rows ?? 0;
}

describe("with many leads", () => {
  it("a look for new leads reads the newest alone", async () => {
    expect(await rowsRead(indexNewLeads)).toBeLessThan(3000);
  });

  it("a look for what is due reads nothing of what is delivered", async () => {
    const look = (sql: Sql) => claim(sql, "webhook", { max: 12, lease: 90 });
    expect(await rowsRead(look)).toBeLessThan(100);
    expect(await rowsRead((sql) => retryNow(sql, "webhook"))).toBeLessThan(100);
  });

  it("a claim reads some rows for each delivery that it gives out, and not the backlog", async () => {
    const claim12 = (sql: Sql) => claim(sql, "webhook", { max: 12, lease: 90 });
    await owner`
      update private.deliveries set delivered_at = null, attempts = 0
      where lead_id in (select id from public.leads order by created_at desc limit 3000)`;
    expect(await rowsRead(claim12)).toBeLessThan(1000);
    // Later events look for earlier ones of the same lead.
    await owner`delete from private.deliveries where delivered_at is null`;
    await owner`
      insert into private.deliveries (lead_id, channel, event, due_at)
      select id, 'webhook', 'lead.overdue', now() - interval '1 hour' from public.leads order by created_at desc limit 3000`;
    expect(await rowsRead(claim12)).toBeLessThan(1000);
  });

  it("the newest hundred of a flood from one address are flagged without a look at each lead before them", async () => {
    const address = "192.0.2.66";
    await owner`update private.permissions set address = ${address}`;
    await owner`update private.lead_work set address = ${address}, flags = array['burst from one address']`;
    await owner`vacuum analyze private.permissions, private.lead_work`;
    const flood = Array.from({ length: 1000 }, (_, nth) => aLead({ zip_code: `${nth}` }));
    await owner`insert into public.leads ${owner(flood)}`;
    await owner`update private.permissions set address = ${address} where address is null`;
    expect(await rowsRead(indexNewLeads)).toBeLessThan(40_000);
    const [flagged] = await owner<{ count: number }[]>`
      select count(*)::int from private.lead_work w join public.leads l on l.id = w.lead_id
      where l.name = ${aLead().name} and w.flags @> array['burst from one address']`;
    expect(flagged).toEqual({ count: 100 });
  });
});
