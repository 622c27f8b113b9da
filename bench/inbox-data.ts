// What bench/inbox.ts puts into the database: a manager who is signed in, many open leads, and a lead as a visitor sends it.
import type { Sql } from "../database/connect.ts";
import { key } from "./running.ts";

/** Adds a manager, and returns the token of a session of theirs. */
export async function signIn(sql: Sql): Promise<string> {
  const [row] = await sql<{ session: { token: string } }[]>`
    with made as (insert into private.members (name, role) values ('Dana', 'manager') returning id)
    select private.begin_session(id, 'bench') as session from made`;
  return row?.session.token ?? "";
}

/** Adds open leads of the last day. All at once and without the triggers, which are measured elsewhere. */
export async function fill(sql: Sql, count: number): Promise<void> {
  await sql`alter table public.leads disable trigger user`;
  await sql`
    insert into public.leads (created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
    select now() - interval '20 hours' * n / ${count},
      (array['Rosa Martinez', 'José García', 'Ann Smith', 'Mary-Ann St. John'])[n % 4 + 1] || ' ' || n,
      'visitor' || n || '-' || ${count}::int || '@example.com', (2012000000 + (n::bigint * 7919) % 6000000000)::text,
      (array['33101', '10001', '60601', '90210', '77002', '40202', '85001', '98101', '30301', '96801'])[n % 10 + 1],
      n % 2 = 0, n % 3 > 0
    from generate_series(1, ${count}::int) as n`;
  await sql`alter table public.leads enable trigger user`;
  await sql`
    insert into private.permissions (lead_id)
    select l.id from public.leads l where not exists (select from private.permissions p where p.lead_id = l.id)`;
  await sql`select private.index_new_leads(1000000, interval '100 years')`;
  // As the job of each minute does.
  await sql`select private.add_up_tallies()`;
  await sql`vacuum analyze`;
}

/** Helps the product index what a load has left, because the next round would otherwise pay for it. */
export async function settle(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ made: number }[]>`
      select private.index_new_leads(5000, interval '1 hour') as made`;
    if (row?.made === 0) break;
  }
}

/** Sends a lead as a visitor's page does, except that it names no permission notice. */
export async function sendLead(address: string, name: string): Promise<void> {
  const body = JSON.stringify({ ...aLead, name, email: `${crypto.randomUUID()}@example.com` });
  const answer = await fetch(`${address}/rest/v1/leads`, {
    method: "POST",
    headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  if (answer.status !== 201) throw new Error(`The insert was answered with ${answer.status}.`);
}

const aLead = {
  name: "Rosa",
  email: "rosa@example.com",
  phone: "(305) 555-0142",
  zip_code: "33101",
  has_medicare: true,
  has_diabetes: false,
};
