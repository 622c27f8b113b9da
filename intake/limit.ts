// How much one sender may send in a minute. It is asked for each lead and for each count of a page load, also in a flood, so it waits for
// nothing and starts no timer.
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** Why a sender may not send now: it has tried too often. */
export interface OverLimit {
  /** Until it may try again. */
  seconds: number;
  /** It goes on after twice as many tries as are allowed, which no person does. */
  isFlood: boolean;
}

/** Counts a try of a sender. Undefined while it may send. */
export type Limit = (address: string) => OverLimit | undefined;

interface Sender {
  tries: number;
  /** When its minute is over, by the clock of `now`. */
  until: number;
}

const minute = 60_000;

/**
 * Makes the limit on the tries of one address in a minute, which begins with its first try. For leads it is sixty, stored or refused, because
 * a senior centre sends its whole reading room from one address, and a person who taps again and again is not a flood. The IPv6 network of
 * one household counts as one address.
 *
 * Each sender that is remembered costs memory for a minute, and then until the next try. Those beyond `maxSenders` are let in uncounted,
 * because a flood that comes from more addresses than this is not one that a limit by address can stop. `now` is a clock in milliseconds that
 * never goes back.
 */
export function makeLimit(
  maxSenders = 20_000,
  triesAMinute = 60,
  now: () => number = () => performance.now(),
): Limit {
  /** In the order of their first try, so that the sender whose minute ends first stands first. */
  const senders = new Map<string, Sender>();

  const removeExpired = (moment: number) => {
    for (const [network, { until }] of senders) {
      if (until > moment) return;
      senders.delete(network);
    }
  };

  return (address) => {
    const moment = now();
    removeExpired(moment);
    const network = networkOf(address);
    const sender = senders.get(network) ?? { tries: 0, until: moment + minute };
    if (sender.tries === 0) {
      if (senders.size >= maxSenders) return undefined;
      senders.set(network, sender);
    }
    sender.tries += 1;
    if (sender.tries <= triesAMinute) return undefined;
    return {
      seconds: Math.ceil((sender.until - moment) / 1000),
      isFlood: sender.tries > 2 * triesAMinute,
    };
  };
}

/** The key of a sender: an IPv4 address, or the /64 network of an IPv6 address, which is the smallest that a household gets. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}
