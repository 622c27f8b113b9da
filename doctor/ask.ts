// Sends a deployment one HTTP request. "No answer" is a result too, with its reason, because a name that is not found and a
// certificate that has expired are fixed in different places.

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  /** The fields of a JSON answer that PostgREST, the gateway and submit-lead use; empty for any other body. */
  error: { code?: string; message?: string };
}

export interface NoAnswer {
  status: 0;
  /** The error's code, such as ENOTFOUND or CERT_HAS_EXPIRED; "timeout"; or "no connection" where the error has no code. */
  reason: string;
}

/** In milliseconds. */
const timeout = 15_000;

/** Sends a request, follows no redirect, and never throws. */
export async function ask(address: string, init: RequestInit = {}): Promise<Answer | NoAnswer> {
  try {
    const response = await fetch(address, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
      ...init,
    });
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, error: errorIn(body) };
  } catch (error) {
    return { status: 0, reason: reasonOf(error) };
  }
}

/** The key and the content type, as the page sends them. */
export const keyHeaders = (key: string): Record<string, string> => ({
  apikey: key,
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
});

/** An answer in short, for a sentence; without its body, which may hold anything. */
export const summaryOf = (answer: Answer | NoAnswer): string => {
  if ("reason" in answer) return `no answer: ${answer.reason}`;
  return answer.error.code ? `${answer.status} ${answer.error.code}` : String(answer.status);
};

function errorIn(body: string): Answer["error"] {
  try {
    const { code, message } = JSON.parse(body) ?? {};
    return {
      ...(["string", "number"].includes(typeof code) && { code: String(code).slice(0, 60) }),
      ...(typeof message === "string" && { message }),
    };
  } catch {
    return {};
  }
}

// The reason stands one or two causes deep in what `fetch` throws; a name with two addresses has a reason for each.
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "timeout";
  for (let cause = error; cause instanceof Error; cause = innerOf(cause)) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return "no connection";
}

const innerOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause);
