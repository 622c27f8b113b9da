// Who sent a request, as far as the proxies in front may be believed.
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";

/**
 * Makes the function that tells a visitor's address. `trusted` are the proxies that may name it (TRUST_PROXY); `ignored` is
 * called when another sender names one, which is not believed.
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

// The address without a port, which some proxies add, and as IPv4 where a socket for both kinds shows it as IPv6.
function plain(address: string): string {
  if (isIPv4(address)) return address;
  const [, bracketed, dotted] = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$/i.exec(address) ?? [];
  const one = bracketed ?? dotted ?? address;
  return one.startsWith("::ffff:") && ipaddr.isValid(one) ? ipaddr.process(one).toString() : one;
}
