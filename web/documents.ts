// The rendered documents of the site: articles with their variants, thank-you pages, and pages for addresses that lead nowhere.
import { type Experiment, type ShownVariant, variantsIn } from "../content/experiment.ts";
import { type LanguageCode, languageNamed, pathOf, shownLanguages } from "../content/languages.ts";
import { compress } from "../site/compress.ts";
import type { PageSettings } from "../site/page-content.ts";
import type { Refused } from "../site/render.tsx";
import type { Renderer } from "../site/renderer.ts";
import { commonHeaders, contentSecurityPolicy } from "../site/security-headers.ts";
import { type Page, pageOf, pageOfVariants } from "./page.ts";

/** A refused plain post, and the variant that its form names. */
export type RefusedPost = Refused & { variant?: string | undefined };

export interface Documents {
  /** Articles and thank-you pages by path. */
  pages: Map<string, Page>;
  /** The paths of the articles among them. */
  articles: ReadonlySet<string>;
  /** The page for a path that leads nowhere, in the language that the path begins with. */
  notFound(path: string): Page;
  /**
   * The article with the banner, everything typed kept, and the variant that the form names, if it is one that is shown. The
   * caller chooses the status.
   */
  article(refused: RefusedPost): { headers: Record<string, string>; body: string };
}

export function renderDocuments(
  settings: PageSettings,
  experiments: readonly Experiment[],
  { renderArticle, renderThankYou, renderNotFound }: Renderer,
): Documents {
  const shown = shownLanguages(settings.site.languages);
  const article = (code: LanguageCode): Page => {
    const variants = variantsIn(experiments, code);
    if (variants.length === 0) return documentOf(renderArticle(settings, code), settings);
    return pageOfVariants(
      variants.map((variant) =>
        variantOf(renderArticle(settings, code, undefined, variant), variant, settings),
      ),
    );
  };
  const pages = new Map<string, Page>();
  const notFound = new Map<LanguageCode, Page>();
  for (const code of shown) {
    const path = pathOf(code, shown);
    pages.set(path || "/", article(code));
    pages.set(`${path}/thank-you`, documentOf(renderThankYou(settings, code), settings));
    notFound.set(code, documentOf(renderNotFound(settings, code), settings, 404));
  }
  return {
    pages,
    articles: new Set(shown.map((code) => pathOf(code, shown) || "/")),
    notFound: (path) => notFound.get(languageNamed(path.split("/")[1], shown)) as Page,
    article(refused) {
      const code = languageNamed(refused.language, shown);
      const variant = variantsIn(experiments, code).find(({ name }) => name === refused.variant);
      const html = renderArticle(settings, code, refused, variant);
      return { headers: { ...headersOf(html, settings), "cache-control": "no-store" }, body: html };
    },
  };
}

const documentOf = (html: string, settings: PageSettings, status = 200): Page =>
  pageOf(status, headersOf(html, settings), compress(Buffer.from(html)));

function variantOf(html: string, variant: ShownVariant, settings: PageSettings): Page {
  // A cache that visitors share would show all of them the one variant that it has.
  const headers = { ...headersOf(html, settings), "cache-control": "private, no-cache" };
  return { ...pageOf(200, headers, compress(Buffer.from(html))), variant: variant.name };
}

const headersOf = (html: string, { site }: PageSettings) => ({
  ...commonHeaders(site.url),
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy([html], site),
  "cache-control": "no-cache",
  vary: "accept-encoding",
});
