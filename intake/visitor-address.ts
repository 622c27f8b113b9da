// Who sent a request, as far as the proxies in front may be believed, and how many leads one sender may add.
import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";

/**
 * Makes the function that tells a visitor's address. `trusted` are the proxies that may name it (TRUST_PROXY); `ignored` is
 * called when another sender names one, which is not believed.
 */
export function makeAddressOf(trusted: readonly string[], ignored: () => void = () => {}) {
  const isTrusted = proxyAddr.compile([...trusted]);
  const trust = (address: string, hop: number) => isTrusted(plain(address), hop);
  return (incoming: IncomingMessage): string => {
    const peer = incoming.socket.remoteAddress ?? "";
    if (incoming.headers["x-forwarded-for"] !== undefined && !trust(peer, 0)) ignored();
    return plain(proxyAddr(incoming, trust));
  };
}

// The address without a port, which some proxies add, and as IPv4 where a socket for both kinds shows it as IPv6.
function plain(address: string): string {
  const [, bracketed, dotted] = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$/i.exec(address) ?? [];
  const one = bracketed ?? dotted ?? address;
  return one.startsWith("::ffff:") && ipaddr.isValid(one) ? ipaddr.process(one).toString() : one;
}

/** A sender of too many leads. */
export interface TooMany {
  /** Until it may try again. */
  seconds: number;
  /** It goes on after twice as many tries as are allowed, which no person does. */
  isFlood: boolean;
}

/** Counts a try of a sender. Undefined while it may send. */
export type Limit = (address: string) => Promise<TooMany | undefined>;

// A senior centre sends its whole reading room from one address; a person who taps again and again is not a flood.
const generous = { points: 60, duration: 60 };

// Each sender that is remembered costs half a kilobyte for a minute. A flood that comes from more addresses than this is
// not one that a limit by address can stop; it must not cost the memory either.
const remembered = { points: 20_000, duration: 60 };

/**
 * Makes the limit on leads from one address: sixty a minute unless told otherwise, whether they are stored or refused. An IPv6 network of one
 * household counts as one. Senders beyond those it can remember are let in uncounted.
 */
export function makeLimit(newSendersAMinute = remembered.points, triesAMinute = generous.points): Limit {
  const leads = new RateLimiterMemory({ ...generous, points: triesAMinute });
  const newSenders = new RateLimiterMemory({ ...remembered, points: newSendersAMinute });
  return async (address) => {
    const sender = networkOf(address);
    const isNew = (await leads.get(sender)) === null;
    if (isNew && (await consume(newSenders, "any"))) return undefined;
    return consume(leads, sender);
  };
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<TooMany | undefined> {
  try {
    await limiter.consume(key);
    return undefined;
  } catch (refused) {
    const { msBeforeNext = 1_000, consumedPoints = 0 } = refused as Partial<RateLimiterRes>;
    return {
      seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      isFlood: consumedPoints > 2 * limiter.points,
    };
  }
}

/** What stands for a sender: an IPv4 address, or the /64 of an IPv6 one, which is the least a household gets. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}
