// The counts of page loads that are not in the database yet: sums in memory for some seconds, by the words of a campaign as an address
// had them. The database cleans the words when it adds the sums, and keeps nothing that tells one visitor from another.
import type { CampaignWords } from "./campaign-words.ts";
import type { Device, Step } from "./steps.ts";
import type { Vital } from "./vital-buckets.ts";

/** What is counted of a step of a page load. */
export interface CountedStep extends CampaignWords {
  variant: string;
  device: Device;
  step: Step;
}

/** What is counted of a web vital of a page load. */
export interface CountedVital {
  variant: string;
  device: Device;
  vital: Vital;
  /** From 0 to 7. */
  bucket: number;
}

/** Sums, in the order of their words. */
export interface Batch {
  pages: (CountedStep & { n: number })[];
  vitals: (CountedVital & { n: number })[];
}

export interface Counters {
  addPage(step: CountedStep, n?: number): void;
  addVital(vital: CountedVital, n?: number): void;
  /** Returns everything counted since the last call, and begins anew. Undefined when nothing was counted. */
  take(): Batch | undefined;
}

/**
 * Makes counters that hold at most `maxSums` sums of pages, and the few of "(other)" in addition. Past that a new sum, even one for another
 * step of a campaign that has sums, is counted as "(other)". In the key of a sum a line break separates the words; no word has one, because
 * addresses, headers and beacons have none.
 */
export function makeCounters(maxSums = 2_000): Counters {
  let pages = new Map<string, Batch["pages"][number]>();
  let vitals = new Map<string, Batch["vitals"][number]>();

  const addPage: Counters["addPage"] = (counted, n = 1) => {
    const { source, medium, campaign, variant, device, step } = counted;
    const key = `${source}\n${medium}\n${campaign}\n${variant}\n${device}\n${step}`;
    const sum = pages.get(key);
    if (sum) sum.n += n;
    else if (pages.size < maxSums || isOther(counted))
      pages.set(key, { source, medium, campaign, variant, device, step, n });
    else addPage({ ...counted, ...other }, n);
  };

  return {
    addPage,
    addVital({ variant, device, vital, bucket }, n = 1) {
      const key = `${variant}\n${device}\n${vital}\n${bucket}`;
      const sum = vitals.get(key);
      if (sum) sum.n += n;
      else vitals.set(key, { variant, device, vital, bucket, n });
    },
    take() {
      if (pages.size + vitals.size === 0) return undefined;
      const batch = { pages: inOrder(pages), vitals: inOrder(vitals) };
      pages = new Map();
      vitals = new Map();
      return batch;
    },
  };
}

const other: CampaignWords = { source: "(other)", medium: "(other)", campaign: "(other)" };

// Compares all three words, because an address can have "(other)" for one of them and anything for the rest.
const isOther = ({ source, medium, campaign }: CampaignWords) =>
  source === other.source && medium === other.medium && campaign === other.campaign;

const inOrder = <Sum>(sums: ReadonlyMap<string, Sum>): Sum[] =>
  [...sums].sort(([one], [another]) => (one < another ? -1 : 1)).map(([, sum]) => sum);
