// The shape of a language: everything that the pages say, apart from how they look. Each language is one folder here that
// exports one of these, and one line in `languages.ts`. In many texts, the pages replace {name}, {legalName}, {phone}, {callsFrom}, {npi}
// and {address} by the provider's own (`provider.ts`). `spec/placeholders.spec.ts` fails where a placeholder stands in any other text.
import type { Field } from "../lead/lead.ts";
import type { Claim, ClaimName, SourceName } from "./claims.ts";
import type { RefusalName } from "./refusals.ts";

/** A paragraph or a list item: sentences in order, some of them claims. */
export type Text = readonly (string | Claim)[];

export interface Picture {
  /** What the picture shows, for those who do not see it. */
  alt: string;
  caption: string;
}

export interface Language {
  /** BCP 47, for `lang`: "en-US". */
  tag: string;
  /** The link to the pages in this language, in this language: "Read this in English". */
  link: string;
  article: ArticleTexts;
  form: FormTexts;
  page: PageTexts;
  /** The permission notice; {button} in it is what the form's button says. */
  notice: string;
  /** For each thing that the provider's own notice has to say: how words that say it begin, in lower case. One of them is enough. */
  noticeWords: Record<NoticePart, readonly string[]>;
  thankYou: ThankYouTexts;
  notFound: { title: string; heading: string; text: string; link: string; call: string };
  claims: Record<ClaimName, Claim>;
  /** The title and publisher of each source, in this language. */
  sources: Record<SourceName, { title: string; publisher: string }>;
  /** The sentence for the banner of each refusal. */
  refusals: Record<RefusalName, string>;
  callScripts: CallScripts;
  /** The answers without a page to a plain post: from a hosted function, which may send no HTML, and from our own server in a flood (`back`). */
  plain: { back: string; thanks: string };
}

/** What a permission notice has to say beside the provider's name and number; `permission.ts` names the rules. */
export type NoticePart = "signature" | "permission" | "call" | "number" | "product" | "noCondition";

export interface ArticleTexts {
  label: string;
  paidFor: string;
  readingTime: string;
  headline: string;
  standfirst: string;
  /** Near the first mention of Medicare. */
  whoWeAre: string;
  picture: Picture;
  /** The texts of the provider's own photo, where there is one (`content/photo.jpg`): write what it shows. */
  photo: Picture;
  opening: readonly Text[];
  howItWorks: {
    heading: string;
    opening: string;
    steps: readonly { heading: string; text: Text }[];
    closing: Text;
  };
  keyBenefits: { heading: string; picture: Picture; benefits: readonly { heading: string; text: Text }[] };
  extraSupport: { heading: string; text: readonly Text[] };
  coverage: {
    heading: string;
    opening: Text;
    needs: readonly Text[];
    /** What the reader pays: whether the provider accepts assignment, does not, or has not said. */
    share: { accepted: Text; notAccepted: Text; unknown: Text };
    text: readonly Text[];
  };
  future: { heading: string; text: readonly Text[]; link: string };
  sources: { heading: string; reviewed: string };
}

export interface PageTexts {
  /** The title of the article's document begins with this: a word and a colon, as this language sets it. */
  sponsored: string;
  /** The way to the form and to the phone, near the top. */
  goToForm: string;
  call: string;
  /** How people who do not hear well call (711 is the relay service in every state). */
  tty: string;
  /** The heading above the provider's name and address. */
  askedBy: string;
  npi: string;
  footer: {
    heading: string;
    text: readonly string[];
    /** Before the provider's phone number, and before its NPI. */
    phone: string;
    npi: string;
    privacyLink: string;
    languageHelpLink: string;
  };
}

/** What the form says. The page hands the form's script what it needs of this, as JSON (ScriptTexts). */
export interface FormTexts {
  heading: string;
  opening: readonly string[];
  /** What Medicare usually asks, above the fields, so that readers who cannot qualify know it early. */
  usualNeeds: Text;
  /** For those who fill it in for somebody else. */
  helping: string;
  /** That a star marks a line that must be filled in. */
  stars: string;
  labels: Record<Field["name"], string>;
  /** Above the checkboxes. */
  boxes: string;
  button: string;
  busy: string;
  /** What a screen reader says while the form is busy. */
  sending: string;
  /** Before the title while the banner is shown. */
  error: string;
  /** Below a failure: what was typed is still in the form, or is no longer. */
  kept: string;
  emptied: string;
  call: string;
  /** When a failure has no message. (Specification 8) */
  failed: string;
  /** When the server does not answer. */
  unreachable: string;
  /** Before a message that is in another language; empty where the servers speak this one. */
  unknownRefusal: string;
}

export interface ThankYouTexts {
  heading: string;
  description: string;
  received: string;
  next: { heading: string; steps: readonly string[] };
  caller: { heading: string; text: string; warning: readonly string[] };
  permission: { heading: string; text: string };
  keep: { heading: string; text: readonly string[] };
  stop: { heading: string; text: string };
  back: string;
}

/**
 * What the team says to somebody who reads this language. The inbox puts in {member}, who calls, {person}, who is called, and the
 * provider's {name}, {phone} and {callsFrom}.
 */
export interface CallScripts {
  /** What stands for {person} where the lead has no name that can be read. */
  person: string;
  /** Sentences in order, until the person has agreed to talk. */
  call: readonly string[];
  /** Names no health matter apart from {name}, because others may hear it. */
  voicemail: string;
}
