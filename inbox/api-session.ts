// The calls of the inbox's API about the signed-in member: who it is, their passkeys, lock and sign-out.
import * as v from "valibot";
import { Done, Id, Moment, NonEmptyText, Role } from "./api-values.ts";

const Empty = v.strictObject({});

export const session = {
  /** Who is signed in, and what the page needs to know of the settings. Does not count as activity. */
  me: {
    manager: false,
    request: Empty,
    response: v.object({
      id: Id,
      name: v.string(),
      role: Role,
      /** After so long without activity the session is locked. */
      idle_minutes: v.number(),
      ends_at: Moment,
      /** One passkey is a risk: a second one is suggested. */
      passkeys: v.number(),
      provider: v.object({ name: v.string(), phone: v.string(), calls_from: v.string() }),
    }),
  },
  /** What to say on the phone, by the language's code; see content/language.ts for the placeholders in it. */
  "call-scripts": {
    manager: false,
    request: Empty,
    response: v.record(
      v.string(),
      v.object({ person: v.string(), call: v.array(v.string()), voicemail: v.string() }),
    ),
  },
  /**
   * Counts as activity: send it at most once a minute while a member types or moves. With the lead that is on screen it renews the
   * member's claim of it.
   */
  "keep-alive": { manager: false, request: v.strictObject({ lead: v.optional(Id) }), response: Done },
  lock: { manager: false, request: Empty, response: Done },
  "sign-out": { manager: false, request: Empty, response: Done },
  passkeys: {
    manager: false,
    request: Empty,
    response: v.object({
      passkeys: v.array(
        v.object({
          id: v.string(),
          label: v.string(),
          created_at: Moment,
          last_used_at: v.nullable(Moment),
          backed_up: v.boolean(),
        }),
      ),
    }),
  },
  /** Options for a further passkey, as `startRegistration` of @simplewebauthn/browser takes them. */
  "passkeys/options": { manager: false, request: Empty, response: v.object({ options: v.looseObject({}) }) },
  "passkeys/add": {
    manager: false,
    request: v.strictObject({ credential: v.looseObject({}), label: v.optional(NonEmptyText(100)) }),
    response: Done,
  },
  /** Refused for the last one of a member who cannot sign in with a company account. */
  "passkeys/remove": {
    manager: false,
    request: v.strictObject({ id: NonEmptyText(1400) }),
    response: v.union([Done, v.object({ refused: v.literal("last one") })]),
  },
} as const;
