// Times how long PostgreSQL takes for the queue's statements, for bench/inbox.ts.
import type { Sql } from "../database/connect.ts";
import { median } from "./median.ts";

interface Timing {
  rounds: number;
  say: (what: string, figure: string) => void;
}

/** Times what the inbox asks for its queue, in a member's session. */
export async function timeQueue(sql: Sql, token: string, { rounds, say }: Timing): Promise<void> {
  const timeSql = (what: string, ask: () => Promise<unknown>, after?: () => Promise<unknown>) =>
    time(what, ask, { rounds, say }, after);
  await sql`select set_config('leads.session', ${token}, false)`;
  await timeSql("SQL: queue, first page", () => sql`select team.queue('{}', null, 50)`);
  await timeSql(
    "SQL: queue, last section",
    () => sql`select team.queue('{"section":"not_callable"}', null, 50)`,
  );
  await timeSql(
    "SQL: queue of one state, late",
    () => sql`select team.queue('{"state":"FL","late":true}', null, 50)`,
  );
  await timeSql(
    "SQL: take next lead",
    () => sql`select team.take_next()`,
    // Otherwise the member would get the same lead again, because they have not opened it.
    () => sql`update private.claims set claimed_at = claimed_at - interval '1 hour'`,
  );
  await timeSql("SQL: look for new leads when there is none", () => sql`select team.index_new_leads()`);
}

/** What comes `after` each time is not timed. */
async function time(
  what: string,
  ask: () => Promise<unknown>,
  { rounds, say }: Timing,
  after = async (): Promise<unknown> => undefined,
): Promise<void> {
  await ask();
  await after();
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
    await after();
  }
  say(what, `${median(times).toFixed(1)} ms`);
}
