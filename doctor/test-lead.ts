// The marked test lead: what it says, and whether the team was told of it.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import { typed } from "../log/installation.ts";
import { type Finding, fail, pass } from "./finding.ts";

/** What every test lead has, of this run and of earlier ones: the address, and the start of the name. */
export const email = "doctor@test.invalid";
export const marked = "TEST of npm run doctor";

/** How long a channel may take to deliver the test lead, in milliseconds. */
const timeout = 10_000;

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

/** Follows this test lead's deliveries in the database. Has no finding where the lead is not there. */
export async function followTestLead(sql: Sql, testLead: TestLead): Promise<Finding[]> {
  const id = await findTestLead(sql, testLead);
  return id === undefined ? [] : awaitDeliveries(sql, id);
}

/** Returns the id of this test lead, and `undefined` where it is not in the database. */
export async function findTestLead(sql: Sql, { name }: TestLead): Promise<string | undefined> {
  const [lead] = await sql<{ id: string }[]>`
    select id from public.leads where name = ${name} and email = ${email}`;
  return lead?.id;
}

async function awaitDeliveries(sql: Sql, id: string): Promise<Finding[]> {
  for (const deadline = Date.now() + timeout; ; await wait(250)) {
    const deliveries = await sql<{ channel: string; isDelivered: boolean; reason: string | null }[]>`
      select channel, delivered_at is not null as "isDelivered", last_error as reason from private.deliveries
      where lead_id = ${id} and event = 'lead.created' order by channel`;
    const pending = deliveries.filter(({ isDelivered }) => !isDelivered);
    if (deliveries.length > 0 && pending.length === 0)
      return deliveries.map(({ channel }) => pass(`The team was told of the test lead by ${channel}.`));
    if (deliveries.length > 0 && Date.now() < deadline && !pending.some(({ reason }) => reason)) continue;
    return pending.map(({ channel, reason }) =>
      fail(
        `The team was not told of the test lead by ${channel} (${reason ?? "no attempt was made yet"}).`,
        `See \`${typed("status")}\`.`,
      ),
    );
  }
}
