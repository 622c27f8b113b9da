// The claims: every sentence of the article that a reader could check stands on a source, and each source carries the day
// somebody last read it. Each language words the claims; the sources are the same, so they are listed here once. Before the
// pages go out, and when a rule changes, the provider reads the sources again and sets the days.

export interface Claim {
  says: string;
  from: readonly SourceName[];
}

/**
 * A place where claims can be checked. `reviewed` is the day it was last read, as YYYY-MM-DD. These days are those of a
 * reading in stored copies. Before the site goes live somebody must open each source and set its day anew.
 */
export interface Source {
  url: string;
  reviewed: string;
}

/** In the order the article needs them; the list at its end follows this order. */
export const sources = {
  niddk: {
    url: "https://www.niddk.nih.gov/health-information/diabetes/overview/managing-diabetes/continuous-glucose-monitoring",
    reviewed: "2026-11-21",
  },
  fda: {
    url: "https://www.fda.gov/medical-devices/medical-device-safety/medical-device-recalls-and-early-alerts",
    reviewed: "2026-11-21",
  },
  wisdm: { url: "https://doi.org/10.1001/jama.2020.6928", reviewed: "2026-11-21" },
  medicare: {
    url: "https://www.medicare.gov/coverage/therapeutic-continuous-glucose-monitors",
    reviewed: "2026-11-21",
  },
  lcd: {
    url: "https://www.cms.gov/medicare-coverage-database/view/lcd.aspx?lcdid=33822",
    reviewed: "2026-11-21",
  },
  telehealth: { url: "https://www.medicare.gov/coverage/telehealth", reviewed: "2026-11-21" },
  policyArticle: {
    url: "https://www.cms.gov/medicare-coverage-database/view/article.aspx?articleid=52464",
    reviewed: "2026-11-21",
  },
  contractSuppliers: {
    url: "https://www.cms.gov/newsroom/fact-sheets/durable-medical-equipment-prosthetics-orthotics-supplies-competitive-bidding-program-updates",
    reviewed: "2026-11-21",
  },
} as const satisfies Record<string, Source>;

export type SourceName = keyof typeof sources;

/** The sources of each claim, where it can be checked. */
const claimSources = {
  checksOften: ["niddk"],
  worn: ["niddk"],
  underTheSkin: ["niddk"],
  changedOften: ["niddk"],
  readsFluid: ["niddk"],
  anyTime: ["niddk"],
  alarm: ["niddk"],
  fingerSticks: ["niddk"],
  canFail: ["fda"],
  lessTimeLow: ["wisdm"],
  keepsTrack: ["niddk"],
  sharing: ["niddk"],
  partB: ["medicare", "lcd"],
  hasDiabetes: ["medicare", "lcd"],
  insulinOrLows: ["medicare", "lcd"],
  ordered: ["medicare", "lcd"],
  trained: ["medicare", "lcd"],
  visit: ["lcd"],
  telehealth: ["telehealth"],
  usualNeeds: ["medicare", "lcd"],
  shareAccepted: ["medicare"],
  shareNotAccepted: ["medicare"],
  shareUnknown: ["medicare"],
  receiver: ["policyArticle"],
  overTheCounter: ["policyArticle"],
  contractSuppliers: ["contractSuppliers"],
} as const satisfies Record<string, readonly SourceName[]>;

export type ClaimName = keyof typeof claimSources;

/** Joins a language's wording of each claim to its sources. */
export function claimsSaying(wordings: Record<ClaimName, string>): Record<ClaimName, Claim> {
  const names = Object.keys(claimSources) as ClaimName[];
  const joined = names.map((name) => [name, { says: wordings[name], from: claimSources[name] }]);
  return Object.fromEntries(joined) as Record<ClaimName, Claim>;
}

/** A source older than this may say something else by now. */
export const daysBetweenReviews = 90;

/** The sources that were last read more than 90 days before `today`. */
export function sourcesToReview(today: Date): { source: SourceName; url: string; reviewed: string }[] {
  const oldest = today.getTime() - daysBetweenReviews * 86_400_000;
  return Object.entries(sources)
    .filter(([, { reviewed }]) => Date.parse(reviewed) < oldest)
    .map(([source, { url, reviewed }]) => ({ source: source as SourceName, url, reviewed }));
}
