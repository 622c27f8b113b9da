// What the intake answers to call 1, the insert, in a form that a test can compare with one `toEqual`.
import type { makeIntake } from "./intake.ts";

type App = Awaited<ReturnType<typeof makeIntake>>["app"];

/** The status, the content type and the body of an answer. */
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

/** The query part of an address, which states the columns of an insert. */
export const columnsQuery = (names: string) => `?columns=${encodeURIComponent(names)}`;
