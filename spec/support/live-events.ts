// What a member's page hears on the event stream of the inbox.
import { expect } from "vitest";
import type { LiveEvent } from "../../inbox/api.ts";
import type { TestDatabase } from "./database.ts";
import type { TestInbox, TestMember } from "./inbox.ts";

/** Opens the event stream, acts, and reads until `until` holds of what was heard. Returns that. */
export async function hear(
  { url }: Pick<TestInbox, "url">,
  { cookie }: Pick<TestMember, "cookie">,
  act: () => PromiseLike<unknown>,
  until: (heard: LiveEvent[]) => boolean,
): Promise<{ heard: LiveEvent[]; text: string }> {
  const controller = new AbortController();
  const answer = await fetch(`${url}/api/events`, { headers: { cookie }, signal: controller.signal });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const heard: LiveEvent[] = [];
  let text = "";
  await act();
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    heard.length = 0;
    for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm)) heard.push(JSON.parse(data));
    if (until(heard)) break;
  }
  controller.abort();
  return { heard, text };
}

/** The leads that the events name. */
export const ids = (heard: LiveEvent[], which: "new" | "changed") =>
  heard.flatMap((event) => (event.kind === "leads" ? event[which] : []));

/**
 * Resolves when the inbox listens and the pages have been sent each event so far, such as those of the test before, which the inbox may
 * hold back for a moment and would merge with the next one.
 */
export async function allEventsSent(
  { owner }: Pick<TestDatabase, "owner">,
  inbox: TestInbox,
  member: TestMember,
): Promise<void> {
  await expect
    .poll(
      () => owner`
        select from pg_stat_activity
        where application_name = 'leads inbox events' and datname = current_database()
          and state = 'idle' and query ilike 'listen %'`,
    )
    .toHaveLength(1);
  const last = crypto.randomUUID();
  const event = JSON.stringify({ kind: "leads", new: [], changed: [last] });
  await hear(
    inbox,
    member,
    () => owner`select pg_notify('team', ${event})`,
    (heard) => ids(heard, "changed").includes(last),
  );
}
