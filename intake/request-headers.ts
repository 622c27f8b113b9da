// What a request's headers state about the permission its lead gives: on which page, under which wording, from which address,
// with which browser. They go to the table under the names that PostgREST gives them, so that one trigger serves
// our own server and PostgREST.

import type { HeaderValues } from "./answer.ts";

/** Headers that the permission record is made from, lower case as PostgREST has them. */
export interface RequestHeaders {
  host?: string;
  origin?: string;
  referer?: string;
  "user-agent"?: string;
  "x-forwarded-for"?: string;
  "x-honeypot-filled"?: string;
  "x-permission-notice"?: string;
  "x-variant"?: string;
  /** The kind of device, in our own words. */
  "x-device"?: string;
}

const passedOn = ["host", "origin", "referer", "user-agent", "x-permission-notice", "x-variant"] as const;

/** What a plain form post states in hidden fields, because it cannot set headers. */
export interface FormStatements {
  notice: string | null;
  variant: string | null;
  isHoneypotFilled: boolean;
  /** The browser runs no script. Only such a browser sends the field that says so, and an article that answers its refused post has the field again. */
  isWithoutScript: boolean;
  /** The form stands in an article that answered a refused post, so its page load is counted already. */
  isAfterRefusal: boolean;
  /** The utm_ parameters of the page that was posted from first, because an article that answers a refusal has another address. */
  campaign: string;
}

/** Returns the kind of device that a User-Agent names. */
export type DeviceOf = (userAgent: string | null | undefined) => string;

/**
 * Gathers the headers of a request. `address` is the sender's, as far as the proxies in front are trusted; `form` is given for a
 * plain form post; `deviceOf` where page loads are counted by device.
 */
export function requestHeadersOf(
  headers: HeaderValues,
  address: string,
  { form, deviceOf }: { form?: FormStatements; deviceOf?: DeviceOf | undefined } = {},
): RequestHeaders {
  const device = deviceOf?.(headers.get("user-agent"));
  const found: RequestHeaders = { "x-forwarded-for": address };
  for (const name of passedOn) {
    const value = headers.get(name);
    if (value) found[name] = storable(name === "referer" ? withinLength(value) : value, maxLength);
  }
  if (form?.campaign && found.referer && !campaignIn(found.referer))
    found.referer = `${found.referer.split(/[?#]/, 1)[0]}?${storable(form.campaign, 1_500)}`;
  if (form?.notice) found["x-permission-notice"] = storable(form.notice, 100);
  if (form?.variant) found["x-variant"] = storable(form.variant, 100);
  if (device) found["x-device"] = form?.isWithoutScript && device !== "bot" ? "no-script" : device;
  if (form?.isHoneypotFilled) found["x-honeypot-filled"] = "yes";
  return found;
}

/** The most characters of a header that are passed on. The table keeps fewer. */
const maxLength = 2_000;

/** A Referer that is not too long. One that is: without its other parameters, because those of the campaign may stand at its end. */
const withinLength = (referer: string): string =>
  referer.length <= maxLength
    ? referer
    : `${referer.split(/[?#]/, 1)[0]?.slice(0, 400)}?${campaignIn(referer)}`;

/**
 * At most `length` characters of a text, without what a jsonb refuses: U+0000, and half of a surrogate pair, which becomes U+FFFD. A form can hold them, but only
 * the six fields are a reason to refuse a lead, and a failure would refuse all leads that the same SQL statement stores.
 */
const storable = (text: string, length: number): string =>
  text.slice(0, length).replaceAll("\0", "").toWellFormed();

/** Reads what a plain form post states beside the six fields. */
export const formStatements = (form: URLSearchParams): FormStatements => ({
  notice: form.get("notice"),
  variant: form.get("variant"),
  // A field that no person sees.
  isHoneypotFilled: Boolean(form.get("website")),
  isWithoutScript: /^none\b/.test(form.get("script") ?? ""),
  isAfterRefusal: form.get("script") === "none, again",
  campaign: campaignIn(`?${form.get("campaign") ?? ""}`),
});

/**
 * The utm_ parameters of an address as they stand there, such as "utm_source=facebook&utm_campaign=spring"; "" for none. The last of each
 * name, as in campaignWordsOf, and cut, so that a long one leaves room for the others.
 */
export function campaignIn(address: string): string {
  const [parameters = ""] = address.split("#", 1);
  const last = new Map<string, string>();
  for (const parameter of parameters.split(/[?&]/).slice(1)) {
    const [name] = /^utm_[a-z]{1,20}=/.exec(parameter) ?? [];
    if (name) last.set(name, parameter.slice(0, 300));
  }
  return [...last.values()].join("&").slice(0, 1_500);
}
