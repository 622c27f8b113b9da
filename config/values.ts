// The kinds of value that a setting may have, except addresses (config/addresses.ts): which text is accepted, the message for any other,
// and what the program gets. Each message follows the setting's name, as in "PORT must be a whole number from 0 to 65535."
import * as v from "valibot";
import { isNpi } from "./npi.ts";
import { isDialable } from "./phone-number.ts";

/** Any text. Settings arrive trimmed, and a blank one counts as not set. */
export const text = v.string();

/** A folder. */
export const folder = v.pipe(
  v.string(),
  v.check((given) => !given.startsWith("~"), "must be a path without ~, which only a shell understands."),
);

/** A phone number to be dialled, which may have letters as on the keys of a phone, and words around it: 1-800-CALL-NOW (TTY: 711). */
export const phoneNumber = v.pipe(
  v.string(),
  v.check(
    isDialable,
    "must be a phone number such as (800) 555-0142, or +52 55 1234 5678 for one of another country.",
  ),
);

export function wholeNumber(min: number, max: number) {
  const isInRange = (given: string) =>
    /^\d{1,9}$/.test(given) && Number(given) >= min && Number(given) <= max;
  return v.pipe(
    v.string(),
    v.check(isInRange, `must be a whole number from ${min} to ${max}.`),
    v.transform(Number),
  );
}

/** One of these words, however it is capitalised. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  v.pipe(v.string(), v.toLowerCase(), v.picklist(words, `must be ${words.join(" or ")}.`));

export const onOrOff = v.pipe(
  oneOf("on", "off"),
  v.transform((given) => given === "on"),
);

/** A National Provider Identifier. */
export const npi = v.pipe(
  v.string(),
  v.check(
    (given) => isNpi(given),
    "must be a National Provider Identifier: ten digits that begin with 1 or 2, of which the last is a check digit.",
  ),
);

/** One word of visible ASCII, as a key or an id is, so that it can stand in a header. */
export const token = v.pipe(
  v.string(),
  v.check(
    (given) => /^[\x21-\x7e]+$/.test(given),
    "must be one word of plain letters, digits and signs, without spaces.",
  ),
);

/** The key of a webhook, as Standard Webhooks has it. */
export const webhookSecret = v.pipe(
  v.string(),
  v.check(
    isWebhookSecret,
    "must be whsec_ and 24 to 64 random bytes in base64. To make one: echo whsec_$(openssl rand -base64 32)",
  ),
);

/** Codes of languages, such as `en` or `pt-BR`. One that is given twice counts once. */
export const languages = v.pipe(
  v.string(),
  v.transform((given) => [...new Set(listOf(given))]),
  v.check(
    (given) => isListOf(given, (one) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/.test(one)),
    "must be a list of languages such as en, es.",
  ),
);

/** The parts of a list with blanks or commas between them. */
export function listOf(given: string): string[] {
  return given.split(/[\s,]/).filter(Boolean);
}

/** Whether there is at least one part, and all pass. Separators alone are a mistake: they do not count as unset. */
export const isListOf = (parts: readonly string[], passes: (part: string) => boolean): boolean =>
  parts.length > 0 && parts.every(passes);

function isWebhookSecret(given: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]*={0,2})$/.exec(given)?.[1] ?? "";
  if (base64.length % 4 !== 0) return false;
  const bytes = atob(base64).length;
  return bytes >= 24 && bytes <= 64;
}
