// A beacon: the few bytes in which a page tells which steps its reader took, once a page load each, with the words of the ad's
// link. Anything that is not exactly that is refused.
import { type CampaignWords, campaignWordsOf } from "./campaign-words.ts";
import { type BrowserStep, browserSteps } from "./steps.ts";
import { type Vital, vitalBuckets } from "./vital-buckets.ts";

export interface Beacon extends CampaignWords {
  steps: BrowserStep[];
  /** By web vital, its bucket from 0 to 7. */
  vitals: [Vital, number][];
}

/** The most that a beacon may hold, in bytes: three long campaign words, and all steps. */
export const maxBeaconBytes = 1024;

/**
 * Reads a body such as `steps=view.half_read&lcp=3&utm_source=facebook`. A `problem` is a sentence for whoever
 * wrote the program that sent it; it repeats nothing of the body.
 */
export function readBeacon(body: string): Beacon | { problem: string } {
  if (body.length > maxBeaconBytes) return { problem: "A beacon has at most 1,024 bytes." };
  if (!/^[\x21-\x7e]*$/.test(body)) return { problem: "A beacon is plain text without blanks." };
  const fields = new Map<string, string>();
  for (const field of body.split("&")) {
    const equals = field.indexOf("=");
    const name = field.slice(0, equals);
    if (equals < 0 || !(name in readers || ignored.has(name)))
      return { problem: "A beacon has a field that is not known." };
    if (fields.has(name) && name in readers) return { problem: "A beacon has each field once." };
    fields.set(name, field.slice(equals + 1));
  }
  const beacon: Beacon = { steps: [], vitals: [], ...campaignWordsOf(body) };
  for (const [name, value] of fields) {
    const problem = readers[name]?.(value, beacon);
    if (problem) return { problem };
  }
  if (beacon.steps.length + beacon.vitals.length === 0)
    return { problem: "A beacon tells a step or a web vital." };
  return beacon;
}

type Reader = (value: string, beacon: Beacon) => string | undefined;

/** Read by `campaignWordsOf`; an address may have each several times. */
const ignored = new Set(["utm_source", "utm_medium", "utm_campaign"]);

const readers: Readonly<Record<string, Reader>> = Object.assign(Object.create(null), {
  steps(value: string, beacon: Beacon) {
    const steps = value.split(".");
    if (new Set(steps).size < steps.length || !steps.every(isStep))
      return "A beacon has steps that are not known, or one twice.";
    beacon.steps = steps as BrowserStep[];
    return undefined;
  },
  ...Object.fromEntries(
    Object.keys(vitalBuckets).map((vital): [string, Reader] => [
      vital,
      (value, beacon) => {
        if (!/^[0-7]$/.test(value)) return "A web vital is the number of its bucket, from 0 to 7.";
        beacon.vitals.push([vital as Vital, Number(value)]);
        return undefined;
      },
    ]),
  ),
});

const isStep = (word: string): boolean => (browserSteps as readonly string[]).includes(word);
