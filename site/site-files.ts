// The small files beside the pages that browsers and search engines ask for. Most depend on the settings, so
// the server makes them at start and the build writes them for a static host.
import { readFileSync } from "node:fs";
import { type LanguageCode, pathOf, shownLanguages, textsIn } from "../content/languages.ts";
import { completeProvider } from "../content/provider.ts";
import type { PageSettings } from "./page-content.ts";

/** The content type and the text of each file, by its path. */
export function siteFiles({ site, provider }: PageSettings): Map<string, { type: string; text: string }> {
  const { name } = completeProvider(provider).provider;
  const first = shownLanguages(site.languages)[0] ?? "en";
  return new Map([
    ["/favicon.svg", { type: "image/svg+xml", text: favicon }],
    ["/site.webmanifest", { type: "application/manifest+json", text: manifest(name, first) }],
    ["/robots.txt", { type: "text/plain; charset=utf-8", text: robots(site.url) }],
    ["/sitemap.xml", { type: "application/xml", text: sitemap(site) }],
  ]);
}

const favicon = readFileSync(new URL("./favicon.svg", import.meta.url), "utf8");

function manifest(provider: string, language: LanguageCode): string {
  const { page, article } = textsIn(language);
  return JSON.stringify({
    lang: language,
    name: `${page.sponsored} ${article.headline}`,
    short_name: provider,
    start_url: "/",
    display: "browser",
    background_color: "#fbf8f1",
    theme_color: "#fbf8f1",
    icons: [{ src: "/favicon.svg", type: "image/svg+xml", sizes: "any" }],
  });
}

// Crawlers may read all pages. The thank-you page is excluded by its own robots meta tag, which they have to read.
const robots = (url: string) => `User-agent: *\nAllow: /\n\nSitemap: ${url}/sitemap.xml\n`;

function sitemap({ url, languages }: PageSettings["site"]): string {
  const shown = shownLanguages(languages);
  const addresses = shown.map((code) => `${url}${pathOf(code, shown) || "/"}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...addresses.map((address) => `  <url><loc>${escapeXml(address)}</loc></url>`),
    "</urlset>\n",
  ].join("\n");
}

const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
