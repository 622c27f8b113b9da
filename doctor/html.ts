// HTML as the doctor reads it: without a parser, because the pages are our own build's.

/** Text or the value of an attribute without the escapes that React writes. */
export const unescaped = (html: string): string =>
  html
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

/** The paths of the article's other languages, such as "/es". The page's links name the public site, which may have another host than `site`. */
export function otherLanguagesIn(html: string, site: string): string[] {
  const links = html.match(/<link rel="alternate"[^<>]*>/g) ?? [];
  const paths = links.flatMap((link) => {
    const href = /href="([^"]+)"/.exec(link)?.[1];
    const language = /hreflang="([^"]+)"/i.exec(link)?.[1];
    return href && language && URL.canParse(href, site) ? [new URL(href, site).pathname] : [];
  });
  return [...new Set(paths)].filter((path) => path !== "/");
}

/** The value of an attribute `data-...` of the page, where it has one. */
export function dataIn(html: string, name: string): string | undefined {
  const [, value] = new RegExp(`data-${name}="([^"]*)"`).exec(html) ?? [];
  return value && unescaped(value);
}
