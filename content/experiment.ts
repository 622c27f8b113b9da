// An experiment: half of the page loads show the article's original, half a variant of its headline, standfirst, picture or running
// text. An experiment can change nothing else: not the label, the form and its words, the permission notice, the headings of the
// specification or the disclaimer.
import type { SourceName } from "./claims.ts";
import type { ArticleTexts, Picture, Text } from "./language.ts";
import type { LanguageCode } from "./languages.ts";

/** What the original is called, in the form, the counts and the reports. */
export const original = "original";

export interface Experiment {
  /** The variant's name, of a-z, 0-9 and "-", at most 40. It is used once, because leads and counts remember it. */
  variant: string;
  language: LanguageCode;
  changes: Changes;
  /**
   * The first day, and the day after the last one, as YYYY-MM-DD. `endedOn` is set when the experiment is over. Until then the variant is
   * shown.
   */
  startedOn: string;
  endedOn?: string;
  /** The share of the original's loads that is expected to become a lead (0.02), and the relative lift to be found (0.3). */
  plan: { rate: number; lift: number };
}

/** What a variant says instead of the original. */
export interface Changes {
  headline?: Approved<string>;
  standfirst?: Approved<string>;
  picture?: Approved<VariantPicture>;
  /** The paragraphs before "How It Works". */
  opening?: Approved<readonly Text[]>;
  /** The paragraphs below "Perfect for Seniors Who Need Extra Support". */
  extraSupport?: Approved<readonly Text[]>;
  /** The paragraphs below "The Future of Diabetes Management Is Here". */
  future?: Approved<readonly Text[]>;
}

/** Words or a picture with the reason why they may be shown. */
export interface Approved<Shown> {
  shows: Shown;
  /** Why it is true, in a sentence or two. */
  substantiation: string;
  /** Where that can be checked: a source of content/claims.ts, or a public address. */
  source: SourceName | `https://${string}`;
  approvedBy: string;
  /** YYYY-MM-DD. */
  approvedOn: string;
}

/** A photo in content/, such as "garden.jpg". */
export interface VariantPicture extends Picture {
  file: string;
}

/** What one page load shows: the variant, or the original, which is treated as a variant without changes. */
export interface ShownVariant {
  name: string;
  changes: Changes;
}

/** The original and the variant between which the page loads of a language are divided; empty while no experiment runs. */
export function variantsIn(experiments: readonly Experiment[], language: LanguageCode): ShownVariant[] {
  const running = experiments.find((one) => one.language === language && one.endedOn === undefined);
  if (!running) return [];
  return [
    { name: original, changes: {} },
    { name: running.variant, changes: running.changes },
  ];
}

/** The article's texts with the changes made, except for the picture. */
export function withChanges(article: ArticleTexts, changes: Changes): ArticleTexts {
  const { headline, standfirst, opening, extraSupport, future } = changes;
  return {
    ...article,
    ...(headline && { headline: headline.shows }),
    ...(standfirst && { standfirst: standfirst.shows }),
    ...(opening && { opening: opening.shows }),
    ...(extraSupport && { extraSupport: { ...article.extraSupport, text: extraSupport.shows } }),
    ...(future && { future: { ...article.future, text: future.shows } }),
  };
}
