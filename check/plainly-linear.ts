// Proves the plainest regular expressions linear at once, because the full proof takes seconds where a long text stands around
// a single repetition. What this cannot prove is left to the full proof.

interface Token {
  kind: "class" | "literal" | "start" | "assertion" | "open" | "close" | "or";
  text: string;
  quantifier: string;
}

/**
 * True without an unbounded repetition. With just one, of a character or a class, true when one of these holds:
 * - nothing follows the repetition, so that a search which enters it has found its match;
 * - it is entered only within a bounded distance after a character outside the class, or after the start of the text, so that
 *   each run of the class is entered a bounded number of times, each time read on and back.
 *
 * Such an expression takes linear time. False proves nothing.
 */
export function isPlainlyLinear(source: string, flags: string): boolean {
  const tokens = tokensOf(source, flags);
  const unbounded = tokens?.filter(({ quantifier }) => isUnbounded(quantifier)) ?? [];
  const [repeated] = unbounded;
  if (!tokens || !repeated) return tokens !== undefined;
  const [before, after] = [
    tokens.slice(0, tokens.indexOf(repeated)),
    tokens.slice(tokens.indexOf(repeated) + 1),
  ];
  if (unbounded.length > 1 || repeated.kind === "close" || isInRepeatedGroup(after)) return false;
  return after.every(({ kind }) => kind === "close") || isEnteredAtABoundary(before, repeated.text, flags);
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

const isUnbounded = (quantifier: string) => /^[*+]|,\}/.test(quantifier);

/** Says whether a group that ends after the repetition, and may hold it, is itself repeated. */
const isInRepeatedGroup = (after: Token[]) =>
  after.some(({ kind, quantifier }) => kind === "close" && quantifier !== "");

/** Whether a search can enter the repetition only near a character that it does not hold, or near the start of the text. */
function isEnteredAtABoundary(before: Token[], repeated: string, flags: string): boolean {
  const holds = (character: string) => new RegExp(`^(?:${repeated})$`, flags).test(character);
  for (const { kind, text, quantifier } of before.toReversed()) {
    if (kind === "or" || kind === "close") return false;
    if (kind === "start") return !flags.includes("m") || !["\n", "\r", "\u2028", "\u2029"].some(holds);
    const character = escapes[text[1] ?? ""] ?? text.at(-1) ?? "";
    if (kind === "literal" && quantifier === "" && !holds(character)) return true;
  }
  return false;
}
