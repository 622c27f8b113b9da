// Proves the plainest regular expressions linear at once, because the full proof takes seconds where a long text stands around
// a repetition. What this cannot prove is left to the full proof.

interface Token {
  kind: "class" | "literal" | "start" | "assertion" | "open" | "close" | "or";
  text: string;
  quantifier: string;
}

/**
 * True without an unbounded repetition. Otherwise true when each one is of a character or a class, not of a group, and
 * - the last one is followed by nothing, so that a search which enters it has found its match, or is entered at a boundary: within a bounded
 *   distance after a character outside its class, or after the start of the text. So each run of the class is entered a bounded number of
 *   times, each time read on and back;
 * - each one before it is entered at a boundary, and followed by a character outside its class. So it takes a run to its end, and the
 *   places from which a search comes to the next repetition are bounded in number as well.
 *
 * Such an expression takes linear time. False proves nothing.
 */
export function isPlainlyLinear(source: string, flags: string): boolean {
  const tokens = tokensOf(source, flags);
  if (!tokens) return false;
  const last = tokens.findLastIndex(isUnbounded);
  return tokens.every((token, at) => {
    if (!isUnbounded(token)) return true;
    const [before, after] = [tokens.slice(0, at), tokens.slice(at + 1)];
    if (token.kind === "close" || isInRepeatedGroup(after)) return false;
    if (at === last && after.every(({ kind }) => kind === "close")) return true;
    const isLeftAtItsEnd = at === last || isOutside(after[0], token.text, flags);
    return isLeftAtItsEnd && isEnteredAtABoundary(before, token.text, flags);
  });
}

/**
 * Reads an expression; undefined where it has anything that this does not read, such as a lookaround, a backreference, a named group or
 * \u.
 */
function tokensOf(source: string, flags: string): Token[] | undefined {
  if (flags.includes("v") || /[\ud800-\udfff]/.test(source)) return undefined;
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const kind = kindAt(source, at);
    if (!kind) return undefined;
    const end = endOf(source, at);
    // A class without its end is no expression.
    if (end > source.length) return undefined;
    const text = source.slice(at, end);
    at += text.length;
    const quantifier = quantifierAt(source, at);
    // Without numbers between them, braces are characters.
    if (quantifier.startsWith("{") && !/^\{\d{1,9}(?:,\d{0,9})?\}/.test(quantifier)) return undefined;
    at += quantifier.length;
    tokens.push({ kind, text, quantifier });
  }
  return tokens;
}

function kindAt(source: string, at: number): Token["kind"] | undefined {
  const [character = "", next = "", third = ""] = source.slice(at, at + 3);
  if (character === "\\") {
    if (/[bB]/.test(next)) return "assertion";
    if (/[dDsSwW]/.test(next)) return "class";
    return next in escapes || /[^\dA-Za-z]/.test(next) ? "literal" : undefined;
  }
  if (character === "(") return next !== "?" || third === ":" ? "open" : undefined;
  if (character === "{") return undefined;
  return kinds[character] ?? "literal";
}

const escapes: Record<string, string> = { f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const kinds: Record<string, Token["kind"]> = {
  "[": "class",
  ".": "class",
  "^": "start",
  $: "assertion",
  ")": "close",
  "|": "or",
};

function endOf(source: string, at: number): number {
  if (source[at] === "\\") return at + 2;
  if (source.startsWith("(?:", at)) return at + 3;
  if (source[at] !== "[") return at + 1;
  let end = at + 1;
  while (end < source.length && source[end] !== "]") end += source[end] === "\\" ? 2 : 1;
  return end + 1;
}

function quantifierAt(source: string, at: number): string {
  const first = source[at] ?? "";
  const end = first === "{" ? source.indexOf("}", at) + 1 : at + (/[*+?]/.test(first) ? 1 : 0);
  return source.slice(at, end > at && source[end] === "?" ? end + 1 : end);
}

const isUnbounded = ({ quantifier }: Token) => /^[*+]|,\}/.test(quantifier);

/** Says whether a group that ends after the repetition, and may hold it, is itself repeated. */
const isInRepeatedGroup = (after: Token[]) =>
  after.some(({ kind, quantifier }) => kind === "close" && quantifier !== "");

/** Whether a search can enter the repetition only near a character that it does not hold, or near the start of the text. */
function isEnteredAtABoundary(before: Token[], repeated: string, flags: string): boolean {
  for (const token of before.toReversed()) {
    if (token.kind === "or" || token.kind === "close" || isUnbounded(token)) return false;
    if (token.kind === "start")
      return !flags.includes("m") || !lineBreaks.some((one) => isInClass(one, repeated, flags));
    if (isOutside(token, repeated, flags)) return true;
  }
  return false;
}

/** Whether a token stands for a character that is always there, a bounded number of times, and that the repetition does not hold. */
function isOutside(token: Token | undefined, repeated: string, flags: string): boolean {
  if (token?.kind !== "literal" || !/^(?:|\{[1-9]\d{0,8}(?:,\d{1,9})?\}\??)$/.test(token.quantifier))
    return false;
  const character = escapes[token.text[1] ?? ""] ?? token.text.at(-1) ?? "";
  return !isInClass(character, repeated, flags);
}

const lineBreaks = ["\n", "\r", "\u2028", "\u2029"];

const isInClass = (character: string, repeated: string, flags: string) =>
  new RegExp(`^(?:${repeated})$`, flags).test(character);
