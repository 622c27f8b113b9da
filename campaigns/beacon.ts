// A beacon: the few bytes with which a page reports which steps its reader took, each once a page load, and its web vitals, with the
// campaign words of its address. Anything else is refused.
import { type CampaignWords, campaignWordsOf } from "./campaign-words.ts";
import { type BrowserStep, browserSteps } from "./steps.ts";
import { type Vital, vitalBuckets } from "./vital-buckets.ts";

export interface Beacon extends CampaignWords {
  steps: BrowserStep[];
  /** Web vitals, each with its bucket from 0 to 7. */
  vitals: [Vital, number][];
}

/** The most that a beacon may hold, in bytes: room for all steps, and for long campaign words even in a link that repeats each of them. */
export const maxBeaconBytes = 4096;

/**
 * Reads a body such as `steps=view.half_read&lcp=3?utm_source=facebook`: each campaign word has the ? or & before it that it has in the page's address. A `problem` is a sentence for the person who
 * wrote the program that sent it; it repeats nothing of the body.
 */
export function readBeacon(body: string): Beacon | { problem: string } {
  if (body.length > maxBeaconBytes) return { problem: "A beacon has at most 4,096 bytes." };
  if (!/^[\x21-\x7e]*$/.test(body)) return { problem: "A beacon is plain text without blanks." };
  const beacon: Beacon = { steps: [], vitals: [], ...campaignWordsOf(body) };
  for (const field of body.split(/[?&]/)) {
    const equals = field.indexOf("=");
    const read = readers.get(field.slice(0, equals));
    if (equals < 0 || !read) return { problem: "A beacon has a field that is not known." };
    const problem = read(field.slice(equals + 1), beacon);
    if (problem) return { problem };
  }
  if (beacon.steps.length + beacon.vitals.length === 0)
    return { problem: "A beacon tells a step or a web vital." };
  return beacon;
}

type Reader = (value: string, beacon: Beacon) => string | undefined;

const twice = "A beacon has each field once.";

/** For campaign words, which `campaignWordsOf` reads, because an address may have each several times. */
const readElsewhere: Reader = () => undefined;

const readSteps: Reader = (value, beacon) => {
  if (beacon.steps.length > 0) return twice;
  const steps = value.split(".", browserSteps.length + 1);
  if (!steps.every((step, at) => isStep(step) && steps.indexOf(step) === at))
    return "A beacon has steps that are not known, or one twice.";
  beacon.steps = steps as BrowserStep[];
  return undefined;
};

const readVital =
  (vital: Vital): Reader =>
  (value, beacon) => {
    if (beacon.vitals.some(([read]) => read === vital)) return twice;
    if (!/^[0-7]$/.test(value)) return "A web vital is the number of its bucket, from 0 to 7.";
    beacon.vitals.push([vital, Number(value)]);
    return undefined;
  };

const readers = new Map<string, Reader>([
  ["steps", readSteps],
  ...(Object.keys(vitalBuckets) as Vital[]).map((vital): [string, Reader] => [vital, readVital(vital)]),
  ...["utm_source", "utm_medium", "utm_campaign"].map((name): [string, Reader] => [name, readElsewhere]),
]);

const isStep = (word: string): boolean => (browserSteps as readonly string[]).includes(word);
