// Counts page loads as HTTP brings them: documents served, beacons of the page's script, the image of browsers without script, and
// plain posts. Of a request only sums are kept: no address, no User-Agent, no referrer.
import { type Beacon, readBeacon } from "../campaigns/beacon.ts";
import { type CampaignWords, campaignWordsOf, campaignWordsOfAddress } from "../campaigns/campaign-words.ts";
import type { Counters } from "../campaigns/counters.ts";
import { deviceOf } from "../campaigns/device.ts";
import type { Device, Step } from "../campaigns/steps.ts";
import type { Answer, HeaderValues } from "../intake/answer.ts";
import type { Limit } from "../intake/limit.ts";

export interface CountingDependencies {
  counters: Counters;
  /** The variants of the article that are shown; any other that a page names is counted as none. */
  variants: readonly string[];
  /** Origins of pages that may count here, beside those of this server's own host; "*" for any. */
  origins: "*" | readonly string[];
  limit: Limit | undefined;
}

/** A request to count. */
export interface CountRequest {
  method: string;
  headers: HeaderValues;
  /** What follows the ? of its address: `variant=b`, or nothing. */
  query: string;
  /** Who sent it, for the rate limit alone. */
  address: string;
  /** The body, or undefined when it is longer than a beacon. */
  body: Uint8Array | undefined;
}

export interface Counting {
  /** Answers POST /c, a beacon, and GET /c, the image of a browser without script: 204, or a plain sentence. */
  answer(request: CountRequest): Answer;
  /** Counts a document that was served. */
  served(headers: HeaderValues, query: string, variant?: string): void;
  /** Counts a press of the button in a browser without script. */
  plainPost(headers: HeaderValues, variant?: string | null): void;
  /** The kind of device that a User-Agent names; a lead keeps it. */
  deviceOf(userAgent: string | null | undefined): string;
}

export function makeCounting(dependencies: CountingDependencies): Counting {
  return {
    deviceOf,
    answer(request) {
      const refusal = refusalOf(request, dependencies);
      if (refusal) return refusal;
      const { method, headers, query, body } = request;
      const variant = /^variant=([a-z0-9-]{1,40})$/.exec(query)?.[1] ?? "";
      if (method === "GET") {
        const words = campaignWordsOfAddress(headers.get("referer"));
        addSteps(dependencies, ["view"], withoutScript(headers), variant, words);
        return countedFrom(headers.get("origin"));
      }
      if (!body) return refuse(413, "A beacon has at most 4,096 bytes.");
      const beacon = readBeacon(latin1.decode(body));
      if ("problem" in beacon) return refuse(400, beacon.problem);
      addBeacon(dependencies, beacon, deviceOf(headers.get("user-agent")), variant);
      return countedFrom(headers.get("origin"));
    },
    served(headers, query, variant) {
      const step = isPrefetch(headers) ? "prefetched" : "served";
      const device = deviceOf(headers.get("user-agent"));
      addSteps(dependencies, [step], device, variant, campaignWordsOf(query));
    },
    plainPost(headers, variant) {
      const words = campaignWordsOfAddress(headers.get("referer"));
      addSteps(dependencies, ["pressed"], withoutScript(headers), variant, words);
    },
  };
}

const latin1 = new TextDecoder("latin1");

/** Why a request is not counted, whatever its body holds. */
function refusalOf(
  { method, headers, address }: CountRequest,
  { origins, limit }: CountingDependencies,
): Answer | undefined {
  if (method !== "POST" && method !== "GET")
    return refuse(405, "Send a beacon with POST.", { allow: "GET, POST" });
  if (!isFromOwnPage(headers, origins)) return refuse(403, "Only the pages of this site are counted here.");
  const over = limit?.(address);
  if (!over) return undefined;
  const sentence = "Many page loads came from your internet connection just now.";
  return refuse(429, sentence, { "retry-after": String(over.seconds) });
}

function addBeacon(dependencies: CountingDependencies, beacon: Beacon, device: Device, named: string): void {
  addSteps(dependencies, beacon.steps, device, named, beacon);
  const variant = knownVariant(dependencies.variants, named);
  for (const [vital, bucket] of beacon.vitals)
    dependencies.counters.addVital({ variant, device, vital, bucket });
}

function addSteps(
  { counters, variants }: CountingDependencies,
  steps: readonly Step[],
  device: Device,
  named: string | null | undefined,
  { source, medium, campaign }: CampaignWords,
): void {
  const variant = knownVariant(variants, named);
  for (const step of steps) counters.addPage({ source, medium, campaign, variant, device, step });
}

const knownVariant = (variants: readonly string[], named: string | null | undefined): string =>
  named && variants.includes(named) ? named : "";

const withoutScript = (headers: HeaderValues): Device =>
  deviceOf(headers.get("user-agent")) === "bot" ? "bot" : "no-script";

// A browser states with each request whether a page of the same origin sent it, and no page can change that statement. Older browsers
// state an origin with a post, and a referrer with an image. A program states what it likes; the counts are no secret and no promise.
function isFromOwnPage(headers: HeaderValues, origins: CountingDependencies["origins"]): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin") return true;
  const origin = headers.get("origin") ?? URL.parse(headers.get("referer") ?? "")?.origin;
  if (!origin) return !site;
  return origins === "*" || origins.includes(origin) || origin.split("://")[1] === headers.get("host");
}

/** Whether a browser fetches the document before its reader asked for it. */
const isPrefetch = (headers: HeaderValues): boolean =>
  purposes.some((name) => /^(prefetch|preview)/i.test(headers.get(name) ?? ""));

const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

// Pages of a static host ask from another origin, and their browser would refuse an answer without these headers.
const countedFrom = (origin: string | null | undefined): Answer => ({
  status: 204,
  headers: {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "cross-origin",
    ...(origin && { "access-control-allow-origin": origin, vary: "origin" }),
  },
  body: "",
});

const refuse = (status: number, sentence: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  body: `${sentence}\n`,
});

/** The answer where nothing is counted (COUNTING=off). */
export const notCounting: Answer = refuse(404, "Nothing is counted here.");
