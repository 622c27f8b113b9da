// The little of Deno and of Supabase's edge runtime that the function uses.
declare const Deno: {
  env: { toObject(): Record<string, string> };
  serve(handler: (request: Request) => Response | Promise<Response>): unknown;
};

/** There on Supabase only: keeps the function alive until the promise settles, after the answer is sent. */
declare const EdgeRuntime: { waitUntil(promise: Promise<unknown>): void } | undefined;
