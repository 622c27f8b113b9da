// The marked test lead: what it says, and whether the team was told of it.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import { typed } from "../log/installation.ts";
import { type Finding, fail, pass } from "./finding.ts";

/** What every test lead has, of this run and of earlier ones: the address, and the start of the name. */
export const email = "doctor@test.invalid";
export const marked = "TEST of npm run doctor";

/**
 * A test lead. Its name holds the time, because an equal lead within 24 hours is stored once: the doctor would judge what became
 * of the earlier one.
 */
export const makeTestLead = (now: Date) => ({
  name: `${marked} at ${now.toISOString()} - please ignore`,
  email,
  phone: "000 000 0000",
  zip_code: "00000",
  has_medicare: false,
  has_diabetes: false,
});

export type TestLead = ReturnType<typeof makeTestLead>;

/** Whether the backend stored the test lead. It is unknown after a time-out or a server's error, which may come after the insert. */
export type Stored = "yes" | "no" | "unknown";

/**
 * Follows this test lead's deliveries in the database. Has no finding where the lead is not there. `timeout` is how many milliseconds a
 * channel may take, after the cooldown that it may be in. @throws an AbortError, whose cause is the reason of `signal`, where that aborts.
 */
export async function followTestLead(
  sql: Sql,
  testLead: TestLead,
  { timeout = 10_000, signal }: { timeout?: number; signal?: AbortSignal | undefined } = {},
): Promise<Finding[]> {
  const id = await findTestLead(sql, testLead);
  return id === undefined ? [] : awaitDeliveries(sql, id, timeout, signal);
}

/** Returns the id of this test lead, and `undefined` where it is not in the database. */
export async function findTestLead(sql: Sql, { name }: TestLead): Promise<string | undefined> {
  const [lead] = await sql<{ id: string }[]>`
    select id from public.leads where name = ${name} and email = ${email}`;
  return lead?.id;
}

interface DeliveryOfTest {
  channel: string;
  isDelivered: boolean;
  reason: string | null;
  /** Whether a process holds it for an attempt. */
  isUnderWay: boolean;
  /** Milliseconds of the channel's cooldown that are left; it sends nothing in them. */
  cooldown: number;
}

async function awaitDeliveries(
  sql: Sql,
  id: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const channels = await sql<
    { name: string }[]
  >`select name from private.channels where enabled order by name`;
  // That no channel is set up is a finding of its own.
  if (channels.length === 0) return [];
  let deliveries = await readDeliveries(sql, id);
  const deadline = Date.now() + Math.max(0, ...deliveries.map(({ cooldown }) => cooldown)) + timeout;
  const isOpen = ({ isDelivered, reason }: DeliveryOfTest) => !isDelivered && !reason;
  while ((deliveries.length === 0 || deliveries.some(isOpen)) && Date.now() < deadline) {
    await wait(250, undefined, { signal });
    deliveries = await readDeliveries(sql, id);
  }
  return deliveries.length > 0 ? deliveries.map(findingOf) : [owedToNone(channels.map(({ name }) => name))];
}

function findingOf({ channel, isDelivered, reason, isUnderWay }: DeliveryOfTest): Finding {
  if (isDelivered) return pass(`The team was told of the test lead by ${channel}.`);
  const why = reason ?? (isUnderWay ? "an attempt is under way" : "no attempt was made yet");
  return fail(
    `The team was not told of the test lead by ${channel} (${why}).`,
    `See \`${typed("status")}\`.`,
  );
}

const owedToNone = (channels: readonly string[]): Finding =>
  fail(
    `The test lead is owed to no channel, although there are some (${channels.join(", ")}).`,
    "Check that the triggers of public.leads fire: `alter table public.leads enable trigger user;`.",
  );

const readDeliveries = (sql: Sql, id: string) => sql<DeliveryOfTest[]>`
  select d.channel, d.delivered_at is not null as "isDelivered", d.last_error as reason,
    coalesce(d.claimed_until > now(), false) as "isUnderWay",
    greatest(coalesce(extract(epoch from c.cooldown_until - now()) * 1000, 0), 0)::float8 as cooldown
  from private.deliveries d join private.channels c on c.name = d.channel
  where d.lead_id = ${id} and d.event = 'lead.created' order by d.channel`;
