// Reads header values that are lists: `Accept`, `Accept-Encoding` and `Content-Type` share one grammar (RFC 9110, 5.6).
// Loops read the characters, and no regular expression that can backtrack, so that the cost of a long value grows with its length alone.

/** One item of a list, such as `gzip;q=0.5`. */
export interface Item {
  /** As it was sent, without the blanks around it. */
  value: string;
  /** By lower-case name; values without their quotes. */
  parameters: ReadonlyMap<string, string>;
}

/** The items of values read lately, because most requests bring one of a few values, and reading one takes a microsecond or more. */
const seen = new Map<string, readonly Item[]>();
const [maxSeen, maxLength] = [200, 200];

/** The items of a list, without the empty ones. */
export function readItems(header: string): readonly Item[] {
  const known = seen.get(header);
  if (known) return known;
  const items = split(header, ",").flatMap((one) => readItem(one) ?? []);
  if (seen.size >= maxSeen) seen.clear();
  if (header.length <= maxLength) seen.set(header, items);
  return items;
}

function readItem(text: string): Item | undefined {
  const [value = "", ...parameters] = split(text, ";");
  return value === "" && parameters.length === 0
    ? undefined
    : { value, parameters: new Map(parameters.map(readParameter)) };
}

function readParameter(text: string): [string, string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.toLowerCase(), ""];
  return [text.slice(0, equals).trim().toLowerCase(), unquoted(text.slice(equals + 1).trim())];
}

const unquoted = (text: string): string =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1")
    : text;

/** The trimmed parts of a text between separators that do not stand in a quoted string. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && isQuoted) at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

/** The token of an `Authorization: Bearer` header, "" when nothing stands behind the scheme, undefined for any other header. */
export function readBearer(authorization: string | null | undefined): string | undefined {
  const header = (authorization ?? "").trim();
  const scheme = "bearer";
  if (header.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  const rest = header.slice(scheme.length);
  return rest === "" || rest.startsWith(" ") ? rest.trim() : undefined;
}
