// What the intake answers to a call 1, compared whole.
import type { makeIntake } from "./intake.ts";

type App = Awaited<ReturnType<typeof makeIntake>>["app"];

/** What an answer says, all of it. */
export async function answerOf(app: App, request: Request) {
  const answer = await app.fetch(request);
  const text = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    body: text ? JSON.parse(text) : text,
  };
}

export const refusal = (
  status: number,
  code: string,
  message: string,
  more: { details?: unknown; hint?: unknown } = {},
) => ({
  status,
  type: "application/json; charset=utf-8",
  body: { code, message, details: null, hint: null, ...more },
});

/** The query that states the columns of an insert. */
export const columnsOf = (names: string) => `?columns=${encodeURIComponent(names)}`;
