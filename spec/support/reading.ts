// Measures how hard a text is to read: the Flesch-Kincaid grade, which says how many years of American school
// a reader needs for it.

/** The grade of some sentences or blocks of text; a block without a full stop is a sentence of its own. */
export function readingGrade(blocks: readonly string[]): number {
  const sentences = sentencesOf(blocks);
  const words = sentences.flatMap(wordsOf);
  const syllables = words.reduce((sum, word) => sum + syllablesIn(word), 0);
  return 0.39 * (words.length / sentences.length) + 11.8 * (syllables / words.length) - 15.59;
}

export const sentencesOf = (blocks: readonly string[]): string[] =>
  blocks.flatMap((block) => block.split(/(?<=[.!?:])["”]?\s+/)).filter((text) => wordsOf(text).length > 0);

export const wordsOf = (text: string): string[] => text.match(/[A-Za-z][A-Za-z’'-]*/g) ?? [];

/** Counts groups of vowels, less the endings that are written and not said. */
function syllablesIn(word: string): number {
  if (/^[A-Z]{2,4}s?$/.test(word)) return word.replace(/s$/, "").length; // CGM is said letter by letter.
  return word
    .toLowerCase()
    .split(/[-’']/)
    .filter(Boolean)
    .reduce((sum, part) => {
      const said = part.replace(/(?:[^laeiouy]es|[^td]ed|[^l]e)$/, (end) => end[0] ?? "").replace(/^y/, "");
      return sum + Math.max(1, said.match(/[aeiouy]+/g)?.length ?? 0);
    }, 0);
}
