// Call 2: `POST /functions/v1/submit-lead` wakes the delivery. It discards the body of the request, so that a forged call makes no
// message about a lead that was never stored. Each call with the right key gets the same answer, so that no answer tells who enquired.
// Preflights are answered before it. Our server and Supabase's functions share it. (Specification 7)

export interface SubmitLeadDependencies {
  /** Whether a key is the anonymous key. */
  isAnonKey: (key: string) => boolean | Promise<boolean>;
  /** Must return at once; what it sets off goes on by itself. */
  wake: () => void;
}

/** More than any lead; the rest of a longer body is not read. */
const maxBytes = 16 * 1024;

/** Milliseconds. A body that takes longer is cancelled, because nothing in it is needed. */
const maxReadTime = 2_000;

export function makeSubmitLead({ isAnonKey, wake }: SubmitLeadDependencies) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") {
      const refusal = json(405, { code: "METHOD_NOT_ALLOWED", message: "Call submit-lead with POST." });
      refusal.headers.set("allow", "POST, OPTIONS");
      return refusal;
    }
    const key = keyOf(request.headers);
    if (key === undefined) {
      return json(401, { code: "UNAUTHORIZED_NO_AUTH_HEADER", message: "Missing authorization header" });
    }
    if (!(await isAnonKey(key))) return json(401, { code: "UNAUTHORIZED", message: "Invalid API key" });
    wake();
    await discardBody(request);
    return json(202, { accepted: true, message: "Thank you. The team is being told." });
  };
}

// The page sends the key as the bearer; Supabase's client sends both. A bearer with nothing behind it is a wrong key.
function keyOf(headers: Headers): string | undefined {
  const bearer = /^bearer(?: (.*))?$/i.exec(headers.get("authorization") ?? "");
  return bearer ? (bearer[1] ?? "").trim() : (headers.get("apikey") ?? undefined);
}

// Read, because a connection whose request was not read cannot serve the next one.
async function discardBody(request: Request): Promise<void> {
  const reader = request.body?.getReader();
  if (!reader) return;
  const deadline = setTimeout(() => void reader.cancel().catch(() => {}), maxReadTime);
  try {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender closed the connection. The dispatcher has been woken already, so the error is of no consequence.
  } finally {
    clearTimeout(deadline);
  }
}

function json(status: number, body: Record<string, unknown>): Response {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  return new Response(JSON.stringify(body), { status, headers });
}
