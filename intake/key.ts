// Checks the key of a request. There is one, the anonymous key, and it is public: it says which site a caller means, not
// who the caller is. (Specification 6, Contract 4)
import type { HeaderValues } from "./answer.ts";
import { readBearer } from "./header-values.ts";
import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";

/**
 * The refusal of a request below /rest that lacks the key or has a wrong one, or undefined. `apikey` alone is enough, as at Supabase's
 * gateway; a bearer token, even an empty one, has to be the key as well.
 */
export function refusalOfKey(
  headers: HeaderValues,
  query: URLSearchParams,
  anonKey: string,
): Refusal | undefined {
  const key = headers.get("apikey") ?? query.get("apikey");
  if (!key) return refusals.noKey;
  if (key !== anonKey) return refusals.wrongKey;
  const token = readBearer(headers.get("authorization"));
  return token === undefined || token === anonKey ? undefined : refusals.wrongToken;
}
