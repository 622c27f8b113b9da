/** Divides the text after a number into the mark that belongs beside the number, such as a full stop, and the rest. */
export function markAndRest(text: string): [mark: string, rest: string] {
  const length = /^[.,;:]/.test(text) ? 1 : 0;
  return [text.slice(0, length), text.slice(length)];
}
