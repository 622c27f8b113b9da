// How the channels that speak HTTP send a message: one POST of JSON, whose answer is the outcome.
import type { Outcome } from "./channel.ts";
import { discardBody, outcomeOf } from "./http-response.ts";
import { whyUnreachable } from "./unreachable.ts";

export interface Post {
  url: string;
  /** The JSON as it is sent. */
  body: string;
  /** Headers besides the content type. */
  headers?: Record<string, string>;
  /** The receiver's name in the reason why it cannot be reached, as in "the chat's server". */
  receiver: string;
  /** What opens the reason of an answer that is no success, as in "the mail API "; nothing where the channel's name says it. */
  subject?: string;
  /** The answers by which the receiver refuses what this message says, and not any other message. */
  contentRefusals?: readonly number[];
  /** Milliseconds for the answer's head. Without it, `stop` alone ends the wait. */
  timeout?: number;
  /** The time by which a date in Retry-After is read. */
  now?: () => Date;
}

/** Sends a message. No redirect is followed, because a lead goes only where the provider said. Nothing is thrown. */
export async function postJson(post: Post, stop: AbortSignal): Promise<Outcome> {
  const {
    url,
    body,
    headers,
    receiver,
    subject = "",
    contentRefusals,
    timeout,
    now = () => new Date(),
  } = post;
  const tooLate = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8", ...headers },
      body,
      redirect: "manual",
      signal: tooLate ? AbortSignal.any([stop, tooLate]) : stop,
    });
    await discardBody(response);
    return outcomeOf(response, subject, now(), contentRefusals);
  } catch (error) {
    if (stop.aborted) return { kind: "transient", reason: "stopped while sending" };
    if (tooLate?.aborted) return { kind: "transient", reason: `no answer within ${(timeout ?? 0) / 1000} s` };
    return { kind: "transient", reason: whyUnreachable(receiver, error) };
  }
}
