// The built site in memory, for the server: every document and file with its headers, and the one page that is rendered on demand, the
// article with a refused plain post.
import { checkExperiments } from "../content/check-experiments.ts";
import type { Experiment } from "../content/experiment.ts";
import { experiments as listed } from "../content/experiments.ts";
import { languageNamed, plainRefusal, shownLanguages, thankYouPath } from "../content/languages.ts";
import { completeProvider } from "../content/provider.ts";
import type { Log } from "../log/log.ts";
import { currentBuild } from "../site/build-folder.ts";
import type { PageSettings } from "../site/page-content.ts";
import { rendererModule } from "../site/renderer.ts";
import { type Documents, type RefusedPost, renderDocuments } from "./documents.ts";
import { loadFiles } from "./files.ts";
import { answer, type Page } from "./page.ts";

export interface Site extends Omit<Documents, "pages"> {
  /** Documents and files by path. */
  pages: ReadonlyMap<string, Page>;
  /** The path of the thank-you page that follows the form in a language. */
  thankYouPath(language: string | undefined): string;
  /** A refusal as plain text, in a language that is shown: its sentence, and the way back to what was typed. */
  plainRefusal(language: string | undefined, message: string): string;
}

/**
 * Reads what `node site/build.ts` has made, and renders the pages with these settings.
 * @throws BuildError when the site was never built, ContentError when an experiment, a language, a line of language help or a permission notice may not be shown.
 */
export async function loadSite(
  settings: PageSettings,
  experiments: readonly Experiment[] = listed,
  log: Log = () => {},
): Promise<Site> {
  checkExperiments(experiments);
  const folder = currentBuild()?.folder;
  const renderer = await rendererModule(folder);
  const files = await loadFiles(settings, folder ?? "", renderer, log);
  const shown = shownLanguages(settings.site.languages);
  const { name } = completeProvider(settings.provider).provider;
  const withoutShareCard = shown.filter((code) => !files.has(renderer.shareCardPath(code, name)));
  const documents = renderDocuments({ ...settings, withoutShareCard }, experiments, renderer);
  return {
    ...documents,
    pages: new Map([...documents.pages, ...files]),
    thankYouPath: (language) => thankYouPath(language, shown),
    plainRefusal: (language, message) => plainRefusal(languageNamed(language, shown), message),
  };
}

/** What the app needs of the site (web/app.ts). */
export const pageDependencies = (site: Site) => ({
  pages: site.pages,
  articles: site.articles,
  /** The answer, or undefined for an address that is not a page's. */
  showPage: (request: Request): Response | undefined => {
    const page = site.pages.get(requestPath(request.url));
    return page && answer(page, request);
  },
  showNotFound: (request: Request): Response => {
    const path = requestPath(request.url);
    return withoutSlash(site.articles, path, request.url) ?? answer(site.notFound(path), request);
  },
  thankYouPath: site.thankYouPath,
  plainRefusal: site.plainRefusal,
  showArticle: (refused: RefusedPost): Response => {
    const { headers, body } = site.article(refused);
    return new Response(body, { headers });
  },
});

/** Leads from an article's path with a slash at its end, which is easily written into an ad, to the article. */
function withoutSlash(articles: Site["articles"], path: string, url: string): Response | undefined {
  const page = path.slice(0, -1);
  if (!path.endsWith("/") || page === "/" || !articles.has(page)) return undefined;
  const [query = ""] = url.slice(url.indexOf(path) + path.length).split("#", 1);
  const location = page + query;
  return new Response(null, { status: 308, headers: { location, "cache-control": "no-cache" } });
}

// Returns the path of an absolute address. It does not parse the whole address, because that would cost more for each request.
const requestPath = (url: string): string => /^[a-z]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "/";
