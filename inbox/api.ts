// The inbox's API, as one list: each call's name, who may make it, and the schemas of its request and its answer. The server holds requests
// and answers to the schemas, and the page takes its types from them. `manager` only tells a reader who may make a call, because the
// database decides that (private.require_manager). spec/inbox-manager-calls.spec.ts compares the two.
import * as v from "valibot";
import { campaigns } from "./api-campaigns.ts";
import { lead } from "./api-lead.ts";
import { managing } from "./api-managing.ts";
import { queue } from "./api-queue.ts";
import { session } from "./api-session.ts";

/**
 * How a call is made: `POST /api/<name>` with a JSON object as `content-type: application/json`, from the inbox's own page.
 * How it is answered:
 * - 200: JSON as `response` says. Most refusals that a member has to read are such an answer, with `refused`.
 * - 400: the request is not as `request` says, or the database refuses a value. With `{"error":"medicare number"}` a typed text holds one.
 * - 403: from another page, a manager's call made by a member, or `opened` with an entry of another member or from before this session.
 * - 401, empty: no session. Show the sign-in page.
 * - 401, `{"error": <one of signInErrors>}`: the new passkey of `passkeys/add` is refused. The session goes on.
 * - 404, `{"error":"not found"}`: no such lead, call, member. 409: a reference that several leads have, or a name that is taken.
 * - 423, empty: the session is locked. Show the lock; what was typed stays.
 * - 413, 415: too large a request, another content type. 500, `{"error":"a bug"}`: the log has it.
 * - 503: the database does not answer. Say so, keep what was typed, and try again.
 * `GET /api/downloads/<name>?...` is a CSV file, at the address that `export` or `audit/export` answered.
 * What the page loads by itself does not count as activity (`me`, `call-scripts`, `queue`, `rows`, `newest-lead`, `opened`, `members`,
 * `paused-states`, `health`, `alert`); every other call does. `GET /api/events` is the event stream (see `LiveEvent`).
 * Signing in happens outside of `/api/`: see `inbox/api-sign-in.ts`.
 */
export const calls = { ...session, ...queue, ...lead, ...managing, ...campaigns };

export type CallName = keyof typeof calls;
export type RequestOf<Name extends CallName> = v.InferInput<(typeof calls)[Name]["request"]>;
export type ResponseOf<Name extends CallName> = v.InferOutput<(typeof calls)[Name]["response"]>;

/**
 * What `GET /api/events` sends as `data:` of a server-sent event: ids alone, and no word about a person. `leads`: these leads are
 * new or have changed; no ids means that any lead may have changed, so load the list anew. `session`: ask `me` again (locked, ended, removed).
 * `team`: members, paused states or the alert have changed. An event with the name `alive` comes at the beginning and every 20
 * seconds: it keeps proxies from closing the stream, and tells the page that the connection still works.
 */
export const LiveEvent = v.variant("kind", [
  v.object({ kind: v.literal("leads"), new: v.array(v.string()), changed: v.array(v.string()) }),
  v.object({ kind: v.literal("session") }),
  v.object({ kind: v.literal("team") }),
]);
export type LiveEvent = v.InferOutput<typeof LiveEvent>;
