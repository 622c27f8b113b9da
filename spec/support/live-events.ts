// What a member's page hears on the event stream of the inbox.
import { expect } from "vitest";
import type { LiveEvent } from "../../inbox/api.ts";
import type { TestDatabase } from "./database.ts";
import type { TestInbox, TestMember } from "./inbox.ts";

/** Opens the event stream, acts, and reads until `until` accepts the events so far. Returns these events and the text of the stream. */
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
  const decoder = new TextDecoder();
  await act();
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    heard.length = 0;
    // An event is whole when an empty line follows it. A sign of life, which no page listens to as an event, holds a number.
    for (const [, data = ""] of text.matchAll(/^data: (\{.*)\n\n/gm)) heard.push(JSON.parse(data));
    if (until(heard)) break;
  }
  controller.abort();
  return { heard, text };
}

/** The leads that the events name. */
export const ids = (heard: LiveEvent[], which: "new" | "changed") =>
  heard.flatMap((event) => (event.kind === "leads" ? event[which] : []));

/**
 * Resolves when the inbox listens and has sent each event so far to the pages. Without this wait the inbox may still hold back an event of
 * the test before, and would merge it with the next one.
 */
export async function allEventsSent(
  { owner }: Pick<TestDatabase, "owner">,
  inbox: Pick<TestInbox, "url">,
  member: Pick<TestMember, "cookie">,
): Promise<void> {
  let last = "";
  let isHeard = false;
  // Sent again until the page receives the last one, because an inbox that does not listen yet misses it.
  const sending = expect
    .poll(async () => {
      if (!isHeard) {
        last = crypto.randomUUID();
        const event = JSON.stringify({ kind: "leads", new: [], changed: [last] });
        await owner`select pg_notify('team', ${event})`;
      }
      return isHeard;
    })
    .toBe(true);
  const hearing = hear(
    inbox,
    member,
    () => Promise.resolve(),
    (heard) => {
      isHeard = ids(heard, "changed").includes(last);
      return isHeard;
    },
  );
  await Promise.all([sending, hearing]);
}
