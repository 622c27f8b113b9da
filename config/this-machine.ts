// Which addresses are on this machine.
import ipaddr from "ipaddr.js";

/** Whether a host, as URL's `hostname` has it, is this machine itself. */
export const isThisMachine = (hostname: string): boolean =>
  /(^|\.)localhost$/.test(hostname) || isLoopback(hostname.replace(/^\[|\]$/g, ""));

/**
 * Whether an IP address is one of this machine's own, which no other machine can use: of 127.0.0.0/8, also as IPv6 writes it
 * (::ffff:127.0.0.1 and, in URLs, ::ffff:7f00:1), or ::1.
 */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
