// Asks a deployment one question over HTTP. No answer is an answer too: a name that is not found and a certificate that is
// not good are mended in different places.

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  /** The fields of a JSON answer that PostgREST, the gateway and submit-lead use; empty for any other body. */
  told: { code?: string; message?: string };
}

export interface NoAnswer {
  status: 0;
  /** The system's word for why: ENOTFOUND, ECONNREFUSED, CERT_HAS_EXPIRED, or "timeout". */
  why: string;
}

const patience = 15_000;

/** Asks and never throws. Redirects are answers, not followed. */
export async function ask(address: string, init: RequestInit = {}): Promise<Answer | NoAnswer> {
  try {
    const response = await fetch(address, {
      redirect: "manual",
      signal: AbortSignal.timeout(patience),
      ...init,
    });
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, told: toldIn(body) };
  } catch (error) {
    return { status: 0, why: whyOf(error) };
  }
}

/** The headers that the page's call 1 sends. */
export const keyed = (key: string): Record<string, string> => ({
  apikey: key,
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
});

/** An answer in short, for a sentence: never its body, which may be anybody's. */
export const shortly = (answer: Answer | NoAnswer): string => {
  if ("why" in answer) return `no answer: ${answer.why}`;
  return answer.told.code ? `${answer.status} ${answer.told.code}` : String(answer.status);
};

function toldIn(body: string): Answer["told"] {
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

// fetch hides the reason one or two causes deep, and a name with two addresses brings a reason for each.
function whyOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "timeout";
  for (let cause = error; cause instanceof Error; cause = innerOf(cause)) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return "no connection";
}

const innerOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause);
