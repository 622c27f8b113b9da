// The marked test lead: what it says, what became of it, and that it is erased again.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import { typed } from "../log/installation.ts";
import { ask } from "./ask.ts";
import { type Deployment, type Finding, fail, notExamined, pass } from "./finding.ts";

const email = "doctor@test.invalid";
const marked = "TEST of npm run doctor";

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

/** Follows this test lead in the database, and erases it there with those of earlier runs. */
export async function followTestLead(sql: Sql, { name }: TestLead): Promise<Finding[]> {
  const [lead] = await sql<{ id: string }[]>`
    select id from public.leads where name = ${name} and email = ${email}`;
  if (!lead) {
    return [
      fail(
        "The test lead is not in the database that was examined.",
        "DATABASE_URL names another database than the backend uses. Compare the two.",
      ),
    ];
  }
  const deliveries = await awaitDeliveries(sql, lead.id);
  await sql`
    select private.erase_leads(array(
      select id from public.leads where email = ${email} and starts_with(name, ${marked})
    ), 'asked')`;
  return [...deliveries, pass("The test lead is erased again.")];
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

/** Erases the test leads over the data path, with the project's secret key. */
export async function eraseTestLead({ url }: Deployment, secretKey: string): Promise<Finding> {
  const filter = new URLSearchParams({ email: `eq.${email}`, name: `like.${marked}*` });
  const answer = await ask(`${url}/rest/v1/leads?${filter}`, {
    method: "DELETE",
    // A JWT goes into both headers, the newer secret key into the first alone.
    headers: {
      apikey: secretKey,
      ...(secretKey.startsWith("eyJ") && { authorization: `Bearer ${secretKey}` }),
    },
  });
  if (answer.status === 204 || answer.status === 200) return pass("The test lead is erased again.");
  return fail(
    `The test lead could not be erased (${answer.status}).`,
    `Check SUPABASE_SECRET_KEY, or erase it where the database is: ${typed(`erase --email ${email}`)}`,
  );
}

/** That the test lead stays, because this run can reach neither the database nor a secret key. */
export const leaveTestLead = (): Finding =>
  notExamined(
    `The database from inside, and the test lead stays: give DATABASE_URL, or erase it with ${typed(`erase --email ${email}`)}`,
  );
