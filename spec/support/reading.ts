// Measures how hard a text is to read: in English the Flesch-Kincaid grade, which says how many years of American school a
// reader needs for it; in Spanish the INFLESZ scale, on which 65 to 80 is "rather easy" and more is "very easy".
import { syllable } from "syllable";

/** The grade of some sentences or blocks of text; a block without a full stop is a sentence of its own. */
export function readingGrade(blocks: readonly string[]): number {
  const { words, sentences, syllables } = measure(blocks, syllablesInEnglish);
  return 0.39 * (words / sentences) + 11.8 * (syllables / words) - 15.59;
}

/** Szigriszt Pazos' formula as Barrio-Cantalejo graded it for texts for patients (INFLESZ, 2008). */
export function inflesz(blocks: readonly string[]): number {
  const { words, sentences, syllables } = measure(blocks, syllablesInSpanish);
  return 206.835 - 62.3 * (syllables / words) - words / sentences;
}

function measure(blocks: readonly string[], syllablesIn: (word: string) => number) {
  const sentences = sentencesOf(blocks);
  const words = sentences.flatMap(wordsOf);
  const syllables = words.reduce((sum, word) => sum + syllablesIn(word), 0);
  return { words: words.length, sentences: sentences.length, syllables };
}

/**
 * A colon ends a sentence as well, as Flesch counted. A full stop after a single letter (U.S., p.m.) or after one of these abbreviations is
 * never counted as the end of a sentence, because it seldom is one.
 */
export const sentencesOf = (blocks: readonly string[]): string[] =>
  blocks
    .flatMap((block) =>
      block.split(
        /(?<=[.!?:])(?<!(?:(?<!\p{L})\p{L}|\b(?:Dr|Mr|Mrs|Ms|St|Inc|EE|UU|Ud|Uds))\.)["”]?\s{1,9}/u,
      ),
    )
    .filter((text) => wordsOf(text).length > 0);

export const wordsOf = (text: string): string[] => text.match(/\p{L}[\p{L}’'-]*/gu) ?? [];

/** The syllables of a word in capitals, such as CGM, which is said letter by letter; each letter counts as one. */
const syllablesSpelt = (word: string): number | undefined =>
  /^[A-Z]{2,4}s?$/.test(word) ? word.replace(/s$/, "").length : undefined;

const syllablesInEnglish = (word: string): number => syllablesSpelt(word) ?? Math.max(1, syllable(word));

/**
 * In Spanish each vowel group is one syllable, unless it has two strong vowels (a, e, o), or a strong one beside an accented weak one
 * (í, ú). The rule has no exceptions that matter here. It stands here because the packages that apply it depend on test frameworks.
 */
export function syllablesInSpanish(word: string): number {
  const letters = word
    .toLowerCase()
    .replaceAll(/qu|gu(?=[eiéí])/g, "k")
    .replace(/y$/, "i");
  const groups = letters.match(/[aeiouáéíóúü]+/g) ?? [];
  const syllables = groups.reduce((sum, group) => sum + 1 + hiatusesIn(group), 0);
  return syllablesSpelt(word) ?? Math.max(1, syllables);
}

function hiatusesIn(group: string): number {
  const pairs = [...group].slice(1).map((vowel, index) => `${group[index]}${vowel}`);
  return pairs.filter((pair) => /[aeoáéó]{2}|[aeoáéó][íú]|[íú][aeoáéó]/.test(pair)).length;
}
