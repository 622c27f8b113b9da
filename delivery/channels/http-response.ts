// How the answer of a receiver is read: what it means for the delivery, how long to wait, and what to leave unread.
import type { Outcome } from "./channel.ts";

/** What can never succeed however often it is tried: the receiver is gone for good, or the message is too large for it. */
const permanent = new Set([410, 413]);

/** What an operator can do about an answer. */
const remedies: Record<number, string> = {
  401: "check the secret or the key",
  403: "check the secret or the key, and any firewall in between",
  404: "check the address",
};

/**
 * Reads an answer. Everything but success, 410 and 413 is transient, because people fix a rotated
 * secret, a firewall or a deploy, and the lead is then sent by itself. `subject` opens the reason, as in "the mail API ". `contentRefusals`
 * are the answers by which this receiver refuses what one message says.
 */
export function outcomeOf(
  { ok, status, headers }: Response,
  subject: string,
  now: Date,
  contentRefusals: readonly number[] = [],
): Outcome {
  if (ok) return { kind: "delivered" };
  const reason = `${subject}answered ${status}${remedyFor(status)}`;
  if (permanent.has(status))
    return { kind: "permanent", reason, ...(status === 413 && { mayPassDivided: true }) };
  const askedToWait = waitAskedFor(headers.get("retry-after"), now);
  return {
    kind: "transient",
    reason,
    ...(askedToWait && { askedToWait }),
    ...(contentRefusals.includes(status) && { isRefusedContent: true }),
  };
}

function remedyFor(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  const remedy = isRedirect ? "it points elsewhere, where no lead is sent" : remedies[status];
  return remedy ? `: ${remedy}` : "";
}

/** Seconds from a Retry-After header, which holds seconds or a date (RFC 9110, 10.2.3); undefined when there is nothing to wait for. */
export function waitAskedFor(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  // Without a letter it is a number of seconds. Date.parse would read one with a fraction, such as "1.5", as a date.
  const isDate = /[a-z]/i.test(text);
  const seconds = isDate
    ? (Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text) - now.getTime()) / 1000
    : Number(text);
  return seconds > 0 ? seconds : undefined;
}

/**
 * Discards an answer's body. A short one is read, because only then the connection can serve the next delivery; a long one,
 * or one of unknown length, is cancelled, because the status has said everything.
 */
export async function discardBody(response: Response): Promise<void> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  const done = length <= 1024 ? response.arrayBuffer() : response.body?.cancel();
  await done?.catch(() => {});
}
