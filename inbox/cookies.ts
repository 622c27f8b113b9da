// The inbox's cookies: the session's, and the one that binds a sign-in at the company's identity provider to the browser that began it.

/** Reads the cookies of a request, and makes the values of `Set-Cookie` headers. */
export interface Cookies {
  /** The session's token that a request carries. */
  sessionOf(request: Request): string | undefined;
  /** `endsAt` is ISO 8601; the browser keeps the cookie until then. */
  setSession(token: string, endsAt: string): string;
  endSession(): string;
  /** The state of a sign-in under way at the company's identity provider. */
  stateOf(request: Request): string | undefined;
  setState(state: string): string;
}

/**
 * Makes the cookies of an inbox at this public address. Over https their names begin with `__Host-`, which binds them to this one host;
 * browsers refuse the prefix without TLS.
 */
export function makeCookies(inboxUrl: string): Cookies {
  const isSecure = inboxUrl.startsWith("https:");
  const prefix = isSecure ? "__Host-" : "";
  const secure = isSecure ? "; Secure" : "";
  const strict = `; Path=/; HttpOnly; SameSite=Strict${secure}`;
  return {
    sessionOf: (request) => cookieOf(request, `${prefix}session`),
    setSession: (token, endsAt) =>
      `${prefix}session=${token}; Max-Age=${Math.max(0, Math.floor((Date.parse(endsAt) - Date.now()) / 1000))}${strict}`,
    endSession: () => `${prefix}session=; Max-Age=0${strict}`,
    stateOf: (request) => cookieOf(request, `${prefix}company-sign-in`),
    // Lax, because the identity provider sends the browser back from another site, and browsers then send no strict cookie.
    setState: (state) =>
      `${prefix}company-sign-in=${state}; Max-Age=600; Path=/; HttpOnly; SameSite=Lax${secure}`,
  };
}

function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key = "", value] = pair.trim().split("=", 2);
    // Our cookies hold base64url only, and at most 200 characters.
    if (key === name && value && value.length <= 200) return value;
  }
  return undefined;
}
