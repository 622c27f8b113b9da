// What bench/many-leads.ts times on a database of many leads.
import type { Sql } from "../database/connect.ts";
import { claim } from "../delivery/claim.ts";
import { indexNewLeads, requeueFailed } from "../delivery/outbox.ts";
import { campaignRows } from "../team/campaigns.ts";
import { findErasable } from "../team/erase-leads.ts";
import { findLead } from "../team/find-lead.ts";
import { listLeads } from "../team/list-leads.ts";
import { showLead } from "../team/show-lead.ts";
import { readStatus } from "../team/status.ts";
import { median } from "./median.ts";

/** What each timing works with. */
export interface TimingContext {
  sql: Sql;
  say: (line: string) => void;
}

/** Times what somebody waits for and what runs in the background, and prints the median and the maximum of the tries in milliseconds. */
export async function timeQueries({ sql, tries, say }: TimingContext & { tries: number }): Promise<void> {
  const samples = await readSamples(sql);
  for (const [what, act] of [...waitedForTasks(samples), ...backgroundTasks]) {
    await act(sql);
    const durations: number[] = [];
    for (let n = 0; n < tries; n += 1) durations.push(await measure(() => act(sql)));
    say(`${what.padEnd(48)} ${inColumn(median(durations))} ms ${inColumn(Math.max(...durations))} ms`);
  }
}

const inColumn = (milliseconds: number) => milliseconds.toFixed(1).padStart(9);

type Task = readonly [what: string, act: (sql: Sql) => Promise<unknown>];

/** What a person or a dispatcher waits for. */
export const waitedForTasks = (samples: Samples): Task[] => [
  ...commandTasks(samples),
  ...memberTasks(samples),
  ...managerTasks(samples),
  ...dispatcherTasks,
];

const commandTasks = (samples: Samples): Task[] => [
  ["leads list", list({})],
  ["leads list --due", list({ due: true })],
  ["leads list --suspect", list({ suspect: true })],
  ["leads list --due --suspect", list({ due: true, suspect: true })],
  ["leads list --since 7d", list({ since: new Date(Date.now() - 7 * 86_400_000) })],
  ["leads campaigns --since 30d", campaignsCommand(30)],
  ["leads campaigns --since 365d", campaignsCommand(365)],
  ["leads show", (sql) => showLead(sql, samples.id)],
  ["leads status", (sql) => readStatus(sql)],
  ["find by reference", (sql) => findLead(sql, samples.reference)],
  ["find by the first 8 characters", (sql) => findLead(sql, samples.id.slice(0, 8))],
  ["find by the last 4 characters", (sql) => findLead(sql, samples.reference.slice(-4))],
  ["find a reference that no lead has", (sql) => findLead(sql, "fffffffffffff", { erased: true })],
  ["erase --email: find", (sql) => findErasable(sql, { email: samples.email })],
];

const nothing = async () => {};
const list = (filter: object) => (sql: Sql) => listLeads(sql, { limit: 50, ...filter }, nothing);
const campaignsCommand = (days: number) => (sql: Sql) =>
  campaignRows(sql, new Date(Date.now() - days * 86_400_000));

/** What a member waits for in the inbox. */
const memberTasks = (samples: Samples): Task[] => [
  ["inbox: queue", queue({})],
  [
    "inbox: queue, a far page of what is not callable",
    queue({ section: "not_callable" }, samples.farInQueue),
  ],
  ["inbox: queue of one state, flagged", queue({ state: "VT", flagged: true })],
  ["inbox: take next lead", (sql) => takeNext(sql)],
  ["inbox: all leads", search("")],
  ["inbox: all leads, a far page", search("", {}, samples.farPage)],
  ["inbox: all leads, withdrawn", search("", { withdrawn: true })],
  ["inbox: all leads, flagged", search("", { flagged: true })],
  ["inbox: all leads, late", search("", { late: true })],
  ["inbox: all leads, open", search("", { stage: "open" })],
  ["inbox: all leads, one outcome", search("", { outcome: "wrong_number" })],
  ["inbox: all leads, one state and outcome", search("", { state: "VT", outcome: "wrong_number" })],
  ["inbox: all leads of a far day", search("", { since: samples.farDay, until: samples.farDay })],
  ["inbox: search by a common name", search("maria")],
  ["inbox: search by two words", search("garcía rosa")],
  ["inbox: search by a rare name", search("Xiomara oabson")],
  ["inbox: search by one letter", search("o")],
  ["inbox: search by a name that nobody has", search("qqqqq")],
  ["inbox: search by phone", search(samples.phone)],
  ["inbox: search by a phone that one in 100,000 leads has", search("3055550100")],
  ["inbox: search by e-mail", search(samples.email)],
  ["inbox: search by reference", search(samples.reference)],
  ["inbox: search by id", search(samples.id)],
  ["inbox: lead page", (sql) => openLead(sql, samples.id)],
  ["inbox: lead page, with a phone that one in 100,000 leads has", (sql) => openLead(sql, samples.sharedId)],
];

const queue =
  (filter: object, after: string | null = null) =>
  (sql: Sql) =>
    sql`select team.queue(${JSON.stringify(filter)}::text::jsonb, ${after}, 50)`;
const search =
  (words: string, filter: object = {}, after: string | null = null) =>
  async (sql: Sql) => {
    const [recorded] = words === "" ? [] : await sql`select team.record_search(${words}) as entry`;
    return sql`select team.search(${recorded?.entry ?? null}, ${JSON.stringify(filter)}::text::jsonb, ${after}, 50)`;
  };

/** What a manager waits for in the inbox. */
const managerTasks = (samples: Samples): Task[] => [
  ["inbox: reports of 30 days", reports("now() - interval '30 days'")],
  ["inbox: reports of a year", reports("now() - interval '365 days'")],
  ["inbox: reports of all", reports("'2000-01-01'")],
  ["inbox: campaigns of 30 days", campaigns(30)],
  ["inbox: campaigns of a year", campaigns(365)],
  ["inbox: experiments", (sql) => sql`select team.experiments()`],
  ["inbox: audit log", audit({})],
  ["inbox: audit log, a far page", audit({}, samples.farEntry)],
  ["inbox: audit log of a lead", audit({ lead: samples.reference })],
  ["inbox: audit log of a member and an action", audit({ member: samples.member, action: "erased lead" })],
  [
    "inbox: audit log of a far day",
    audit({ since: samples.farDay, until: samples.farDay, zone: "America/New_York" }),
  ],
  ["inbox: health", (sql) => sql`select team.health()`],
];

const reports =
  (since: string, until = "now()") =>
  (sql: Sql) =>
    sql`select team.reports((${sql.unsafe(since)})::date::text, (${sql.unsafe(until)})::date::text, 'America/New_York')`;
const campaigns = (days: number) => (sql: Sql) =>
  sql`select team.campaigns((now() - ${days}::integer * interval '1 day')::date::text, now()::date::text, 'America/New_York')`;
const audit =
  (filter: object, before: number | null = null) =>
  (sql: Sql) =>
    sql`select team.audit_log(${JSON.stringify(filter)}::text::jsonb, ${before}, 50)`;

const dispatcherTasks: Task[] = [
  ["dispatcher: claim of 12", (sql) => claim(sql, "webhook", { max: 12, lease: 0 })],
  ["dispatcher: claim of 12, nothing due", (sql) => claim(sql, "chat", { max: 12, lease: 0 })],
];

/** Work of scheduled jobs, with nothing to do, and the command that tries failed deliveries again, where none has failed. */
const backgroundTasks: Task[] = [
  ["job: new leads", (sql) => indexNewLeads(sql)],
  ["job: overdue alerts", (sql) => sql`select private.enqueue_overdue_alerts()`],
  ["job: leads owed to no channel", (sql) => sql`select private.enqueue_missed_deliveries()`],
  ["job: tallies", (sql) => sql`select private.add_up_tallies()`],
  ["retry --failed, nothing failed", (sql) => requeueFailed(sql)],
];

/** What the tasks ask for. */
interface Samples {
  id: string;
  reference: string;
  phone: string;
  email: string;
  /** A lead with the number that one in 100,000 leads has. */
  sharedId: string;
  farPage: string;
  farInQueue: string;
  farEntry: number;
  member: string;
  farDay: string;
}

export async function readSamples(sql: Sql): Promise<Samples> {
  const [row] = await sql<Omit<Samples, "farInQueue">[]>`
    select w.lead_id as id, right(w.lead_id::text, 8) as reference, w.phone_digits as phone, w.email_key as email,
      coalesce((select x.lead_id from private.lead_work x where x.phone_digits = '3055550100' limit 1), w.lead_id) as "sharedId",
      concat_ws('|', w.created_at, w.lead_id) as "farPage",
      (select max(a.id) / 2 from private.audit_log a)::int as "farEntry",
      (select m.id from private.members m where m.name = 'Member 3') as member,
      w.created_at::date::text as "farDay"
    from private.lead_work w 
    where w.created_at <= (select min(x.created_at) + (max(x.created_at) - min(x.created_at)) / 2 from private.lead_work x)
    order by w.created_at desc limit 1`;
  if (!row) throw new Error("There are no leads.");
  return { ...row, farInQueue: `3|f|${new Date(Date.now() + 6 * 3_600_000).toISOString()}|${row.id}` };
}

// Asks in a member's session, and gives the claim back, so that the next try finds the same queue.
async function takeNext(sql: Sql): Promise<void> {
  const [begun] = await sql<{ token: string }[]>`
    select private.begin_session(m.id, 'bench') ->> 'token' as token from private.members m where m.name = 'Member 3'`;
  await sql`select set_config('leads.session', ${begun?.token ?? ""}, false)`;
  await sql`select team.take_next()`;
  await sql`delete from private.claims`;
  await sql`select set_config('leads.session', '', false)`;
}

async function openLead(sql: Sql, id: string): Promise<void> {
  const [row] = await sql<{ entry: string }[]>`select team.record_opening(${id}, false) as entry`;
  await sql`select team.open_lead(${row?.entry ?? 0})`;
}

async function measure(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
