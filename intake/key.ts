// Whose key a request brings. There is one, the anonymous key, and it is public: it says which site a caller means, not
// who the caller is. (Specification 6, CONTRACT 4)

import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";

/** The refusal for a request on the data path without the key, or undefined. As the gateway, `apikey` alone is enough. */
export function refuseKey(request: Request, anonKey: string): Refusal | undefined {
  const key = request.headers.get("apikey") ?? new URL(request.url).searchParams.get("apikey");
  if (!key) return refusals.noKey;
  if (key !== anonKey) return refusals.wrongKey;
  const token = bearerOf(request.headers);
  return token === undefined || token === anonKey ? undefined : refusals.wrongToken;
}

/** The bearer token of a request, or undefined. */
const bearerOf = (headers: Headers): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
