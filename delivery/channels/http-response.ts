// How the answer of a receiver is read, whether it takes webhooks or mails: how long to wait, what to leave unread, and
// why there was none.

/** Seconds from a Retry-After header, which holds seconds or a date; undefined when there is nothing to wait for. */
export function waitAskedFor(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return seconds > 0 ? seconds : undefined;
}

/**
 * Lets an answer's body go. A short one is read, because only then the connection can serve the next delivery; a long
 * one, or one of unknown length, is not waited for: the status has said it all.
 */
export async function letGo(response: Response): Promise<void> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  const done = length <= 1024 ? response.arrayBuffer() : response.body?.cancel();
  await done?.catch(() => {});
}

/** The code of a failed fetch, which hides its reason one or two causes deep. */
export function codeOfCause(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string" && /^[A-Z0-9_]+$/.test(cause.code))
      return cause.code;
  }
  return error instanceof Error ? error.name : "unknown";
}
