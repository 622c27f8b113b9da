// HTML as the doctor reads it: without a parser, because the pages are our own build's.

/** Text or the value of an attribute without the escapes that React writes. */
export const unescaped = (html: string): string =>
  html
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
