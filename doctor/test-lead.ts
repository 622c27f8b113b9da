// What became of the test lead: whether it stands in the database that we were given, whether the team was told, and that
// it is erased again.
import { setTimeout as wait } from "node:timers/promises";
import type { Sql } from "../database/connect.ts";
import { ask } from "./ask.ts";
import { testLead } from "./data-path.ts";
import { type Deployment, type Finding, notExamined, well, wrong } from "./finding.ts";

/** How long the team may take to be told, in milliseconds. */
const patience = 10_000;

/** Follows the test lead in the database and erases it there. */
export async function followTestLead(sql: Sql): Promise<Finding[]> {
  const [lead] = await sql<{ id: string }[]>`
    select id from public.leads where email = ${testLead.email} and name = ${testLead.name}`;
  if (!lead) {
    return [
      wrong(
        "The test lead is not in the database of DATABASE_URL.",
        "DATABASE_URL names another database than the backend uses. Compare the two.",
      ),
    ];
  }
  const delivery = await awaitDelivery(sql, lead.id);
  await sql`select private.erase_leads(array[id], 'asked') from public.leads where email = ${testLead.email} and name = ${testLead.name}`;
  return [...delivery, well("The test lead is erased again.")];
}

async function awaitDelivery(sql: Sql, id: string): Promise<Finding[]> {
  for (const deadline = Date.now() + patience; ; await wait(250)) {
    const owed = await sql<{ channel: string; told: boolean; reason: string | null }[]>`
      select channel, delivered_at is not null as told, last_error as reason from private.deliveries
      where lead_id = ${id} and event = 'lead.created' order by channel`;
    const waiting = owed.filter(({ told }) => !told);
    if (owed.length > 0 && waiting.length === 0)
      return owed.map(({ channel }) => well(`The team was told of the test lead by ${channel}.`));
    if (owed.length > 0 && Date.now() < deadline && !waiting.some(({ reason }) => reason)) continue;
    return waiting.map(({ channel, reason }) =>
      wrong(
        `The team was not told of the test lead by ${channel} (${reason ?? "nobody has tried yet"}).`,
        "See why: `npm run leads -- status`.",
      ),
    );
  }
}

/** Erases the test lead over the data path, with the project's secret key. */
export async function eraseTestLead({ url }: Deployment, secretKey: string): Promise<Finding> {
  const which = new URLSearchParams({ email: `eq.${testLead.email}`, name: `eq.${testLead.name}` });
  const answer = await ask(`${url}/rest/v1/leads?${which}`, {
    method: "DELETE",
    // A JWT goes into both headers, the newer secret key into the first alone.
    headers: {
      apikey: secretKey,
      ...(secretKey.startsWith("eyJ") && { authorization: `Bearer ${secretKey}` }),
    },
  });
  if (answer.status === 204 || answer.status === 200) return well("The test lead is erased again.");
  return wrong(
    `The test lead could not be erased (${answer.status}).`,
    `Check SUPABASE_SECRET_KEY, or erase it where the database is: npm run leads -- erase --email ${testLead.email}`,
  );
}

/** What to say when nobody can erase it from here. */
export const leaveTestLead = (): Finding =>
  notExamined(
    `The database from inside, and the test lead stays: give DATABASE_URL, or erase it with npm run leads -- erase --email ${testLead.email}`,
  );
