// The built site in memory, for the server: every page and file with its headers, compressed once at start,
// and the one page that is rendered on demand, the article with a refused plain post.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkExperiments } from "../content/check-experiments.ts";
import { type Experiment, type ShownVariant, variantsIn } from "../content/experiment.ts";
import { experiments as listed } from "../content/experiments.ts";
import {
  type LanguageCode,
  languageNamed,
  pathOf,
  shownLanguages,
  thankYouPath,
} from "../content/languages.ts";
import { completeProvider } from "../content/provider.ts";
import { currentBuild } from "../site/build-folder.ts";
import { type Body, compress, compressible } from "../site/compress.ts";
import type { PageSettings } from "../site/page-content.ts";
import { photoIn } from "../site/photo.ts";
import type { Refused } from "../site/render.tsx";
import { rendererModule } from "../site/renderer.ts";
import { commonHeaders, contentSecurityPolicy, nothingAllowed } from "../site/security-headers.ts";
import { siteFiles } from "../site/site-files.ts";
import { answer, type Page, pageOf, pageOfVariants } from "./page.ts";

export interface Site {
  pages: ReadonlyMap<string, Page>;
  /** The paths of the articles among them. */
  articles: ReadonlySet<string>;
  /** The page for a path that leads nowhere, in the language that the path begins with. */
  notFound(path: string): Page;
  /** Where the form of a language leads. */
  thankYouPath(language: string | undefined): string;
  /**
   * The article with the banner, everything typed kept, and the variant that the form names, if it is one that is shown. The
   * status is the caller's to choose.
   */
  article(refused: RefusedPost): { headers: Record<string, string>; body: string };
}

/** A refused plain post, and the variant that its form names. */
export type RefusedPost = Refused & { variant?: string | undefined };

/**
 * Reads what `node site/build.ts` has made, and renders the pages with these settings.
 * @throws ContentError when an experiment is not to be shown.
 */
export async function loadSite(
  settings: PageSettings,
  experiments: readonly Experiment[] = listed,
): Promise<Site> {
  checkExperiments(experiments);
  const folder = currentBuild()?.folder;
  const { renderArticle, renderThankYou, renderNotFound, shareCardPath, countingScript } =
    await rendererModule(folder);
  const assets = join(folder ?? "", "dist/assets");
  const { site } = settings;
  const documentHeaders = (html: string) => ({
    ...commonHeaders(site.url),
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy([html], site),
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

  /** The article, or both of its variants. */
  const article = (code: LanguageCode): Page => {
    const variants = variantsIn(experiments, code);
    if (variants.length === 0) return document(renderArticle(settings, code));
    return pageOfVariants(variants.map((variant) => documentOf(code, variant)));
  };
  const documentOf = (code: LanguageCode, variant: ShownVariant): Page => {
    const html = renderArticle(settings, code, undefined, variant);
    // A cache that visitors share would show all of them the one variant that it has.
    const headers = { ...documentHeaders(html), "cache-control": "private, no-cache" };
    return { ...pageOf(200, headers, compress(Buffer.from(html))), variant: variant.name };
  };

  const shown = shownLanguages(site.languages);
  const pages = new Map<string, Page>();
  const notFound = new Map<LanguageCode, Page>();
  for (const code of shown) {
    const path = pathOf(code, shown);
    pages.set(path || "/", article(code));
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
  // The build's folder has it for a static host; whether this server sends it is this server's setting.
  pages.delete(countingScript.path);
  if (site.counting) {
    const { path, code } = countingScript;
    pages.set(path, file(types[".js"] as string, compress(Buffer.from(code)), immutable));
  }
  for (const code of shown) {
    const card = shareCardPath(code, completeProvider(settings.provider).provider.name);
    if (pages.has(card)) continue;
    const redrawn = await redrawnShareCard(settings, code).catch(() => undefined);
    if (redrawn) pages.set(card, file("image/png", redrawn, immutable));
  }
  return {
    pages,
    articles: new Set(shown.map((code) => pathOf(code, shown) || "/")),
    notFound: (path) => notFound.get(languageNamed(path.split("/")[1], shown)) as Page,
    thankYouPath: (language) => thankYouPath(language, shown),
    article(refused) {
      const code = languageNamed(refused.language, shown);
      const variant = variantsIn(experiments, code).find(({ name }) => name === refused.variant);
      const html = renderArticle(settings, code, refused, variant);
      return { headers: { ...documentHeaders(html), "cache-control": "no-store" }, body: html };
    },
  };
}

const immutable = "public, max-age=31536000, immutable";

// Draws the share card again when the build drew it for another provider. The module is imported only here, because it loads
// an image library. Where that is not installed, the site has no card, because one that names another payer is worse.
async function redrawnShareCard({ provider }: PageSettings, language: LanguageCode): Promise<Body[]> {
  const { drawShareCard } = await import("../site/share-card.ts");
  return compress(await drawShareCard({ language, provider, photo: photoIn(content) }), false);
}

/** The pages in the form that the app's dependencies have (web/app.ts). */
export const show = (site: Site) => ({
  pages: site.pages,
  articles: site.articles,
  /** The answer, or undefined for an address that is no page's. */
  showPage: (request: Request): Response | undefined => {
    const page = site.pages.get(requestPath(request.url));
    return page && answer(page, request);
  },
  showNotFound: (request: Request): Response => answer(site.notFound(requestPath(request.url)), request),
  thankYouPath: site.thankYouPath,
  showArticle: (refused: RefusedPost): Response => {
    const { headers, body } = site.article(refused);
    return new Response(body, { headers });
  },
});

// The path of an absolute address, without the cost of taking the whole address apart for each reader.
const requestPath = (url: string): string => /^[a-z]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "/";

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
  const encoded = (encoding: "br" | "gzip", ending: string): Body => ({
    encoding,
    etag: identity.etag.replace(/"$/, `-${encoding}"`),
    bytes: read(ending),
  });
  return [encoded("br", ".br"), encoded("gzip", ".gz"), identity];
}
