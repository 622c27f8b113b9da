// Who may read /metrics and /alertz: a client that presents METRICS_TOKEN, or, where no token is set, a program on this machine. A proxy
// on this machine forwards the requests of others, so where INBOX_URL is a public address, only a token gives access.
import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopback, isThisMachine } from "../config/this-machine.ts";

export interface MetricsAccess {
  /** METRICS_TOKEN. */
  token: string | undefined;
  inboxUrl: string;
}

/** The refusal of a request that may not read, or undefined. `peer` is the network address that the request came from. */
export function refuseMetrics(
  request: Request,
  peer: string | undefined,
  { token, inboxUrl }: MetricsAccess,
): Response | undefined {
  if (token) {
    return isSame(request.headers.get("authorization") ?? "", `Bearer ${token}`)
      ? undefined
      : new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
  }
  const isOpen = [inboxUrl, request.url].every((address) => isThisMachine(new URL(address).hostname));
  return isOpen && peer !== undefined && isLoopback(peer) ? undefined : new Response(null, { status: 404 });
}

/** Compares in constant time. The hashes have one length, which timingSafeEqual requires. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one as Buffer, other as Buffer);
}
