// Who sent a request, as far as the proxies in front may be believed.
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";

/**
 * Makes the function that tells a visitor's address. `trusted` are the proxies whose X-Forwarded-For header is believed
 * (TRUST_PROXY); `ignored` is called when another sender sends this header, which is then ignored.
 */
export function makeAddressOf(trusted: readonly string[], ignored: () => void = () => {}) {
  const isTrusted = proxyAddr.compile([...trusted]);
  const trust = (address: string, hop: number) => isTrusted(plain(address), hop);
  return (incoming: IncomingMessage): string => {
    const peer = incoming.socket.remoteAddress;
    // A connection that is closed already has no address, so nobody knows whether its headers may be believed.
    if (peer === undefined) return "";
    if (incoming.headers["x-forwarded-for"] === undefined) return plain(peer);
    if (!trust(peer, 0)) ignored();
    return plain(proxyAddr(incoming, trust));
  };
}

// Removes the port that some proxies add to an address, and the prefix that a socket for IPv4 and IPv6 puts before an IPv4 address.
function plain(address: string): string {
  if (isIPv4(address)) return address;
  const [, bracketed, dotted] = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$/i.exec(address) ?? [];
  const one = bracketed ?? dotted ?? address;
  return one.startsWith("::ffff:") && ipaddr.isValid(one) ? ipaddr.process(one).toString() : one;
}
