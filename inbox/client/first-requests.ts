// Requests who is signed in and, on the queue's page, the queue, before the pages' main script is loaded. It is a small script that
// runs first, so that the requests and the loading happen at the same time. The first calls of these names use the answers (call-api.ts).
import { firstPage } from "./queue/first-page.ts";

/**
 * After so many milliseconds without an answer the browser counts as offline: longer than the server waits for its database
 * (database/resilient-connection.ts), so that the server can still answer that its database does not.
 */
export const answerTimeout = 20_000;

const underWay = new Map<string, Promise<Response>>();

/** The answer to a request that was sent already, if it was. Each is returned once. */
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
  const answer = postJson(path, body, AbortSignal.timeout(answerTimeout));
  // The call that takes the answer handles a failure.
  answer.catch(() => {});
  underWay.set(path + body, answer);
}

if (location.pathname !== "/join") ask("/api/me", {});
if (location.pathname === "/") ask("/api/queue", firstPage);
