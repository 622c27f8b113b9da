// The permission notice: the words above the form's button, which sending the form agrees to. The page shows them and states
// their hash with each lead, and the database stores the words by that hash. Pages, server, worker and build
// take them from here, and so does the hosted function where NOTICE_FILE is unset, so the wording shown and the wording recorded are the same.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ContentError } from "./content-error.ts";
import type { NoticePart } from "./language.ts";
import { type LanguageCode, pathOf, shownLanguages, textsIn } from "./languages.ts";
import {
  completeProvider,
  factNames,
  type Provider,
  type ProviderSettings,
  placeholdersOf,
  withProvider,
} from "./provider.ts";

/** One wording of the notice. */
export interface PermissionNotice {
  language: LanguageCode;
  /** The exact words, as the page shows them and the database keeps them. */
  text: string;
  /** SHA-256 of the text in UTF-8, in lower-case hex. */
  hash: string;
}

/** What a notice depends on. */
export interface NoticeSettings {
  site: { languages?: readonly string[] };
  provider: ProviderSettings;
}

const cache = new WeakMap<NoticeSettings, PermissionNotice[]>();

/**
 * The notice in each language that is shown, in the order of LANGUAGES. The notices of a settings object are kept, because a page that is
 * rendered later must show the wording that the server recorded at its start, even if NOTICE_FILE has changed. The pages' renderer, which
 * the build bundles, has a copy of this module and reads the file once more.
 * @throws ContentError when the file cannot be read or lacks what the regulation asks.
 */
export function permissionNotices(settings: NoticeSettings): PermissionNotice[] {
  const notices = cache.get(settings) ?? readNotices(settings);
  cache.set(settings, notices);
  return notices;
}

function readNotices({ site, provider: settings }: NoticeSettings): PermissionNotice[] {
  const { provider } = completeProvider(settings);
  const shown = shownLanguages(site.languages);
  return shown.map((language) => {
    const file = settings.noticeFile && fileOf(pathOf(language, shown), settings.noticeFile);
    const own = file && ownWording(file);
    const wording = (own || textsIn(language).notice).replaceAll("{button}", textsIn(language).form.button);
    if (own) refuseUnfilled(own, language, file);
    const text = withProvider(wording, provider);
    if (own) refuseIncomplete(text, language, provider, file);
    return { language, text, hash: createHash("sha256").update(text).digest("hex") };
  });
}

/** The file of a language: NOTICE_FILE itself for the first one; notice.es.txt beside notice.txt for Spanish. */
const fileOf = (path: string, noticeFile: string): string =>
  path ? noticeFile.replace(/(\.[^./]*)?$/, `.${path.slice(1)}$1`) : noticeFile;

/** The provider's own wording. */
function ownWording(file: string): string {
  const refused = (why: string, cause?: unknown) =>
    new ContentError(`NOTICE_FILE: ${file} ${why}.`, { cause });
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw refused(`cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    // Readers would see other characters in the place of accents and quotation marks.
    throw refused("is not UTF-8. Save it in that encoding", error);
  }
  // In one form of accents, because a Mac may write two characters for one.
  const wording = text.normalize("NFC").split(/\s+/).filter(Boolean).join(" ");
  if (wording === "") throw refused("is empty");
  return wording;
}

/** What a notice has to say, and the rule that asks for it. Each language has the words that show it (`noticeWords`). */
const required: Record<NoticePart, string> = {
  signature: "that the person signs (47 CFR 64.1200(f)(9): “bearing the signature”)",
  permission: "that it is written permission (42 CFR 424.57(c)(11)(i))",
  call: "that you may call (47 CFR 64.1200(f)(9)(i)(A))",
  number: "at which number: the one the person typed (47 CFR 64.1200(f)(9))",
  product: "about what: a continuous glucose monitor (42 CFR 424.57(c)(11)(i))",
  noCondition: "that it is no condition of buying anything (47 CFR 64.1200(f)(9)(i)(B))",
};

/** A placeholder that nothing fills, such as a mistyped one, would be shown to readers as it stands. */
function refuseUnfilled(wording: string, language: LanguageCode, file: string): void {
  const known = [...factNames, "button"].map((name) => `{${name}}`);
  const unknown = placeholdersOf(wording).filter((one) => !known.includes(one));
  if (unknown.length > 0)
    throw new ContentError(
      `NOTICE_FILE: ${file} (${language}) has ${unknown.join(", ")}, which nothing fills. There are: ${known.join(", ")}.`,
    );
}

function refuseIncomplete(text: string, language: LanguageCode, provider: Provider, file: string): void {
  const folded = (words: string) => words.normalize("NFC").toLowerCase();
  const says = (words: string) => folded(text).includes(folded(words));
  // The provider's facts say nothing of this, as Signature Supply does not say that somebody signs, and 1-800-CALL-NOW not that somebody
  // calls. The longest first, because a name may be a part of the legal name.
  const facts = factNames
    .map((name) => folded(provider[name]))
    .sort((one, other) => other.length - one.length);
  const factless = facts.reduce((rest, fact) => rest.replaceAll(fact, " "), folded(text));
  // At the beginning of a word, because "automatically" does not say that somebody calls.
  const inWords = ` ${factless.replace(/[^\p{L}\d]+/gu, " ")}`;
  const { noticeWords } = textsIn(language);
  const missing = (Object.keys(required) as NoticePart[])
    .filter((part) => !noticeWords[part].some((word) => inWords.includes(` ${word}`)))
    .map((part) => required[part]);
  if (!says(provider.legalName))
    missing.unshift("your legal name, as {legalName} (47 CFR 64.1200(f)(9): “the seller”)");
  if (!says(provider.phone)) missing.push("how to stop, with your number as {phone} (47 CFR 64.1200(a)(10))");
  if (missing.length === 0) return;
  throw new ContentError(
    [`NOTICE_FILE: ${file} (${language}) does not say:`, ...missing.map((what) => `  - ${what}`)].join("\n"),
  );
}
