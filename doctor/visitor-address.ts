// Whether visitors are told apart: behind a proxy that TRUST_PROXY does not name, the server takes the proxy's address for
// each visitor's. All share one rate limit then, and honest visitors are refused when a few are busy.
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import type { Sql } from "../database/connect.ts";
import { type Deployment, type Finding, fail, isHosted, pass } from "./finding.ts";
import type { TestLead } from "./test-lead.ts";

/** The addresses of a name; none where it cannot be looked up. */
type LookUp = (name: string) => Promise<string[]>;

const lookUpAll: LookUp = (name) =>
  lookup(name, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );

/**
 * Examines the address that was recorded with this test lead; no finding where none is kept (PERMISSION_ADDRESS=off). A proxy with a public
 * address cannot be told from a visitor here, so the finding shows the address.
 */
export async function examineVisitorAddress(
  sql: Sql,
  deployment: Deployment,
  { name }: TestLead,
  lookUp: LookUp = lookUpAll,
): Promise<Finding[]> {
  // A project has no TRUST_PROXY: the header in which Supabase gives the visitor's address is always the same.
  if (isHosted(deployment)) return [];
  const [found] = await sql<{ address: string | null }[]>`
    select p.address from private.permissions p join public.leads l on l.id = p.lead_id where l.name = ${name}`;
  const address = found?.address;
  // Where the doctor reaches the server by an address of the same network or machine, the server rightly sees such an address, too.
  if (!address || (await isReachedWithin(new URL(deployment.url).hostname, lookUp))) return [];
  if (!isInternal(address))
    return [
      pass(`The server takes ${address} for this visitor's address. If that is a proxy's, set TRUST_PROXY.`),
    ];
  return [
    fail(
      `The server takes ${address} for the visitor's address, a private one. Unless this examination came through a private network, it is a proxy's, and all visitors share one rate limit.`,
      "Set TRUST_PROXY to the proxy's address (loopback for one on the same machine), and start the server again.",
    ),
  ];
}

const internal = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["100.64.0.0", 10],
] as const)
  internal.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  internal.addSubnet(network, prefix, "ipv6");

/** Whether a host name leads to this machine or into a private network, from here. */
async function isReachedWithin(host: string, lookUp: LookUp): Promise<boolean> {
  if (/(^|\.)localhost$/.test(host) || host.endsWith(".local") || isInternal(host)) return true;
  return (await lookUp(host)).some(isInternal);
}

/** Whether an address is one of this machine or of a private network. */
function isInternal(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  return version !== 0 && internal.check(address, version === 4 ? "ipv4" : "ipv6");
}
