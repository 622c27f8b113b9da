// Asks who is in and, on the queue's page, for the queue, before the pages' script has been read: this file is a small script of its
// own that runs first, so that a slow machine does both at once. The first calls of these names take the answers (call-api.ts).
import { firstPage } from "./queue/first-page.ts";

const underWay = new Map<string, Promise<Response>>();

/** The answer to a request that was sent already, if it was; each is given out once. */
export function takeFirstAnswer(path: string, body: string): Promise<Response> | undefined {
  const answer = underWay.get(path + body);
  underWay.delete(path + body);
  return answer;
}

/** Posts JSON to the server that the page came from. */
export const postJson = (path: string, body: string, signal: AbortSignal): Promise<Response> =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body, signal });

function ask(path: string, request: object): void {
  const body = JSON.stringify(request);
  const answer = postJson(path, body, AbortSignal.timeout(15_000));
  // Whoever takes the answer hears of a failure.
  answer.catch(() => {});
  underWay.set(path + body, answer);
}

if (location.pathname !== "/join") ask("/api/me", {});
if (location.pathname === "/") ask("/api/queue", firstPage);
