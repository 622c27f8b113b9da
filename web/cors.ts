// Which other sites' pages may read the answers (CORS) to both calls on our own server, and to call 2 on hosted Supabase. Errors carry
// these headers as well: a browser hides an answer without them, and the visitor would read "no network". Where single sites are named,
// the answer to bytes that are no HTTP request allows no origin, because none is known.

export type AllowedOrigins = "*" | readonly string[];

export interface Cors {
  /** The headers for an answer to a request from this origin. */
  headersFor(origin: string | null | undefined): Readonly<Record<string, string>>;
  /** Answers a preflight: 200, as PostgREST does (Contract 4). */
  preflight(headers: Headers): Response;
}

/** Call 1. As at Supabase's gateway, a preflight allows any header, and every method: one that is not allowed is refused in words. */
export const insertCors = (allowed: AllowedOrigins): Cors =>
  makeCors(allowed, {
    methods: "GET,POST,PATCH,PUT,DELETE,OPTIONS,HEAD",
    exposed: "content-range,preference-applied,retry-after",
  });

/** Call 2. */
export const submitLeadCors = (allowed: AllowedOrigins): Cors =>
  makeCors(allowed, {
    methods: "POST, OPTIONS",
    headers: "authorization, x-client-info, apikey, content-type",
  });

interface Policy {
  methods: string;
  /** The request headers that may be sent; unset means those that the preflight asks for. */
  headers?: string;
  /** The answer's headers that a page may read. */
  exposed?: string;
}

function makeCors(allowed: AllowedOrigins, { methods, headers, exposed }: Policy): Cors {
  const readable = exposed ? { "access-control-expose-headers": exposed } : {};
  const forAny = { "access-control-allow-origin": "*", ...readable };
  const forNone = { vary: "origin", ...readable };
  const headersFor: Cors["headersFor"] = (origin) => {
    if (allowed === "*") return forAny;
    return origin && allowed.includes(origin)
      ? { "access-control-allow-origin": origin, ...forNone }
      : forNone;
  };
  return {
    headersFor,
    preflight: (request) =>
      new Response(null, {
        status: 200,
        headers: {
          ...headersFor(request.get("origin")),
          "access-control-allow-methods": methods,
          "access-control-allow-headers": headers ?? request.get("access-control-request-headers") ?? "*",
          "access-control-max-age": "86400",
        },
      }),
  };
}

/** Wraps a handler with the headers and the preflight. */
export const withCors =
  (cors: Cors, handle: (request: Request) => Response | Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    if (request.method === "OPTIONS") return cors.preflight(request.headers);
    const answer = await handle(request);
    for (const [name, value] of Object.entries(cors.headersFor(request.headers.get("origin"))))
      answer.headers.set(name, value);
    return answer;
  };
