// How long the text of a field of one line may be.

/**
 * Gives a field its longest text. The browser says so when its form is sent with a longer one. A `maxLength` would cut off the end of what
 * is pasted, such as the last of several numbers, without a word.
 */
export const atMost = (length: number) => ({
  pattern: `.{0,${length}}`,
  title: `${length} characters at most`,
});
