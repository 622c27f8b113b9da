// The built site in memory, for the server: every page and file with its headers, compressed once at start,
// and the one page that is rendered on demand, the article with a refused plain post.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type LanguageCode,
  languageNamed,
  pathOf,
  shownLanguages,
  thankYouPath,
} from "../content/languages.ts";
import { completeProvider } from "../content/provider.ts";
import { type Item, readItems } from "../intake/header-values.ts";
import { currentBuild } from "../site/build-folder.ts";
import { type Body, compress, compressible } from "../site/compress.ts";
import type { PageSettings } from "../site/page-content.ts";
import { photoIn } from "../site/photo.ts";
import type { Refused } from "../site/render.tsx";
import { rendererModule } from "../site/renderer.ts";
import { commonHeaders, contentSecurityPolicy, nothingAllowed } from "../site/security-headers.ts";
import { siteFiles } from "../site/site-files.ts";

export interface Page {
  status: number;
  /** What all its forms share. */
  headers: Record<string, string>;
  /** Smallest first. */
  forms: Form[];
}

/** A body with the whole of its headers, made once: nothing is put together for a reader. */
interface Form extends Body {
  headers: Record<string, string>;
}

export interface Site {
  pages: ReadonlyMap<string, Page>;
  /** The page for a path that leads nowhere, in the language that the path begins with. */
  notFound(path: string): Page;
  /** Where the form of a language leads. */
  thankYouPath(language: string | undefined): string;
  /** The article with the banner, and everything typed kept. The status is the caller's to choose. */
  article(refused: Refused): { headers: Record<string, string>; body: string };
}

/** Reads what `node site/build.ts` has made, and renders the pages with these settings. */
export async function loadSite(settings: PageSettings): Promise<Site> {
  const folder = currentBuild()?.folder;
  const { renderArticle, renderThankYou, renderNotFound, shareCardPath } = await rendererModule(folder);
  const assets = join(folder ?? "", "dist/assets");
  const { site } = settings;
  const documentHeaders = (html: string) => ({
    ...commonHeaders(site.url),
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy([html], site.backendUrl),
    "cache-control": "no-cache",
    vary: "accept-encoding",
  });
  const document = (html: string, status = 200): Page =>
    pageOf(status, documentHeaders(html), compress(Buffer.from(html)));
  const file = (type: string, bodies: Body[], cacheControl: string): Page =>
    pageOf(
      200,
      {
        ...commonHeaders(site.url),
        "content-type": type,
        "content-security-policy": nothingAllowed,
        "cache-control": cacheControl,
        vary: "accept-encoding",
      },
      bodies,
    );

  const shown = shownLanguages(site.languages);
  const pages = new Map<string, Page>();
  const notFound = new Map<LanguageCode, Page>();
  for (const code of shown) {
    const path = pathOf(code, shown);
    pages.set(path || "/", document(renderArticle(settings, code)));
    pages.set(`${path}/thank-you`, document(renderThankYou(settings, code)));
    notFound.set(code, document(renderNotFound(settings, code), 404));
  }
  for (const [path, { type, text }] of siteFiles(settings)) {
    pages.set(path, file(type, compress(Buffer.from(text)), "public, max-age=3600"));
  }
  for (const name of readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name))) {
    const type = types[extname(name)] ?? "application/octet-stream";
    pages.set(`/assets/${name}`, file(type, compressedAsset(join(assets, name)), immutable));
  }
  for (const code of shown) {
    const card = shareCardPath(code, completeProvider(settings.provider).provider.name);
    const anew = pages.has(card) ? undefined : await drawnAnew(settings, code).catch(() => undefined);
    if (anew) pages.set(card, file("image/png", anew, immutable));
  }
  return {
    pages,
    notFound: (path) => notFound.get(languageNamed(path.split("/")[1], shown)) as Page,
    thankYouPath: (language) => thankYouPath(language, shown),
    article(refused) {
      const html = renderArticle(settings, languageNamed(refused.language, shown), refused);
      return { headers: { ...documentHeaders(html), "cache-control": "no-store" }, body: html };
    },
  };
}

const immutable = "public, max-age=31536000, immutable";

// The build drew a card for another provider; loaded only here, because it takes a library of pictures. Where that cannot
// be had, no card is better than one that names another payer.
async function drawnAnew({ provider }: PageSettings, language: LanguageCode): Promise<Body[]> {
  const { drawShareCard } = await import("../site/share-card.ts");
  return compress(await drawShareCard({ language, provider, photo: photoIn(content) }), false);
}

/** A page of these bodies, each with the whole of its headers. */
export const pageOf = (status: number, headers: Record<string, string>, bodies: Body[]): Page => ({
  status,
  headers,
  forms: bodies.map((body) => ({
    ...body,
    headers: {
      ...headers,
      etag: body.etag,
      ...(body.encoding && { "content-encoding": body.encoding }),
      "content-length": String(body.bytes.length),
    },
  })),
});

/** The pages as the web side asks for them. */
export const show = (site: Site) => ({
  /** The answer, or undefined for an address that is no page's. */
  showPage: (request: Request): Response | undefined => {
    const page = site.pages.get(requestPath(request.url));
    return page && answer(page, request);
  },
  showNotFound: (request: Request): Response => answer(site.notFound(requestPath(request.url)), request),
  thankYouPath: site.thankYouPath,
  showArticle: (refused: Refused): Response => {
    const { headers, body } = site.article(refused);
    return new Response(body, { headers });
  },
});

// The path of an absolute address, without the cost of taking the whole address apart for each reader.
const requestPath = (url: string): string => /^[a-z]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "/";

/** Answers a GET or HEAD for a page: the smallest form the browser takes, or 304 when it has it already. */
export function answer(page: Page, request: Request): Response {
  const accepted = readItems(request.headers.get("accept-encoding") ?? "");
  const form = page.forms.find(({ encoding }) => !encoding || accepts(accepted, encoding)) as Form;
  const known = page.status === 200 ? request.headers.get("if-none-match") : null;
  if (known?.split(",").some((tag) => ["*", form.etag].includes(tag.trim().replace(/^W\//, "")))) {
    return new Response(null, { status: 304, headers: { ...page.headers, etag: form.etag } });
  }
  const bytes = request.method === "HEAD" ? null : (form.bytes as Uint8Array<ArrayBuffer>);
  return new Response(bytes, { status: page.status, headers: form.headers });
}

const content = fileURLToPath(new URL("../content/", import.meta.url));

const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".avif": "image/avif",
};

function compressedAsset(name: string): Body[] {
  const read = (ending = "") => readFileSync(name + ending);
  const [identity] = compress(read(), false) as [Body];
  if (!compressible(name)) return [identity];
  const form = (encoding: "br" | "gzip", ending: string): Body => ({
    encoding,
    etag: identity.etag.replace(/"$/, `-${encoding}"`),
    bytes: read(ending),
  });
  return [form("br", ".br"), form("gzip", ".gz"), identity];
}

/** Whether these items of an Accept-Encoding header take this encoding: named (or `*`), and not with `q=0`. */
function accepts(items: readonly Item[], encoding: string): boolean {
  const named = (name: string) => items.find(({ value }) => value.toLowerCase() === name);
  const item = named(encoding) ?? named("*");
  return item !== undefined && Number(item.parameters.get("q") ?? 1) !== 0;
}
