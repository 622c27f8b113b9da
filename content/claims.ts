// The claims: every sentence of the article that a reader could check, with where it comes from and the day
// somebody last read the source. The article takes these sentences from here, so none can stand without one. Before
// the page goes out, and when a rule changes, the provider reads the sources again and sets the days.

/**
 * A place where claims can be checked. `reviewed` is the day it was last read, as YYYY-MM-DD. These days are those of a
 * reading in stored copies: the pages of Medicare.gov, NIDDK and JAMA themselves; of the two rules of CMS, copies that
 * others quote in full or in part. Before the site goes live somebody must open each and set its day anew.
 */
export interface Source {
  title: string;
  publisher: string;
  url: string;
  reviewed: string;
}

export interface Claim {
  says: string;
  from: readonly (keyof typeof sources)[];
}

/** In the order the article needs them; the list at its end follows this order. */
export const sources = {
  niddk: {
    title: "Continuous Glucose Monitoring",
    publisher: "National Institute of Diabetes and Digestive and Kidney Diseases",
    url: "https://www.niddk.nih.gov/health-information/diabetes/overview/managing-diabetes/continuous-glucose-monitoring",
    reviewed: "2026-11-21",
  },
  wisdm: {
    title: "A trial of CGMs with 203 older adults who have type 1 diabetes (WISDM)",
    publisher: "JAMA, 2020",
    url: "https://doi.org/10.1001/jama.2020.6928",
    reviewed: "2026-11-21",
  },
  medicare: {
    title: "Continuous glucose monitors",
    publisher: "Medicare.gov",
    url: "https://www.medicare.gov/coverage/therapeutic-continuous-glucose-monitors",
    reviewed: "2026-11-21",
  },
  lcd: {
    title: "Glucose Monitors, rule L33822, in force since April 16, 2023",
    publisher: "Centers for Medicare & Medicaid Services",
    url: "https://www.cms.gov/medicare-coverage-database/view/lcd.aspx?lcdid=33822",
    reviewed: "2026-11-21",
  },
  policyArticle: {
    title: "Glucose Monitors, policy article A52464",
    publisher: "Centers for Medicare & Medicaid Services",
    url: "https://www.cms.gov/medicare-coverage-database/view/article.aspx?articleid=52464",
    reviewed: "2026-11-21",
  },
} as const satisfies Record<string, Source>;

export const claims = {
  checksOften: {
    says: "It checks your sugar every few minutes, day and night.",
    from: ["niddk"],
  },
  underTheSkin: {
    says: "A tiny part of it sits just under your skin.",
    from: ["niddk"],
  },
  changedOften: {
    says: "You put on a new sensor at set times, such as every few weeks. It depends on the kind.",
    from: ["niddk"],
  },
  readsFluid: {
    says: "The sensor reads the sugar in the fluid under your skin. Then it sends the number through the air to your reader.",
    from: ["niddk"],
  },
  anyTime: {
    says: "You can look at your number at any time. You can also see how it changed over hours or days.",
    from: ["niddk"],
  },
  alarm: {
    says: "An alarm can sound if you go too low or too high.",
    from: ["niddk"],
  },
  fingerSticks: {
    says: "You may still need a finger-stick now and then. Do one when your reader does not match how you feel.",
    from: ["niddk"],
  },
  lessTimeLow: {
    says: "One study looked at 203 adults with type 1 diabetes, all 60 or older. Those who used a CGM went from about 5 percent of the day with low sugar to under 3 percent. Your own results may differ.",
    from: ["wisdm"],
  },
  keepsTrack: {
    says: "A CGM keeps track of your numbers over time.",
    from: ["niddk"],
  },
  sharing: {
    says: "Some kinds can also send your numbers to a person you trust, such as your partner.",
    from: ["niddk"],
  },
  partB: {
    says: "Medicare Part B may cover a CGM as durable medical equipment. That is Medicare’s name for health gear that lasts and that you use at home.",
    from: ["medicare", "lcd"],
  },
  hasDiabetes: {
    says: "You have diabetes, type 1 or type 2.",
    from: ["medicare", "lcd"],
  },
  insulinOrLows: {
    says: "You use insulin, or you have had serious trouble with low blood sugar.",
    from: ["medicare", "lcd"],
  },
  ordered: {
    says: "Your doctor orders the CGM for you.",
    from: ["medicare", "lcd"],
  },
  trained: {
    says: "You, or someone who helps you, know how to use it.",
    from: ["medicare", "lcd"],
  },
  visit: {
    says: "You had a visit with your doctor in the 6 months before. It can be in person, or by a telehealth visit that Medicare accepts.",
    from: ["lcd"],
  },
  share: {
    says: "First you meet the Part B deductible for the year. After that, you usually pay 20 percent of the amount that Medicare approves.",
    from: ["medicare"],
  },
  receiver: {
    says: "Medicare counts the supplies only if you use the reader at least some of the time. A phone alone is not enough.",
    from: ["policyArticle"],
  },
} as const satisfies Record<string, Claim>;
