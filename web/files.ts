// The files of the site beside its documents: the build's assets, the counting script, the share cards, and the small files.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LanguageCode, shownLanguages } from "../content/languages.ts";
import { completeProvider } from "../content/provider.ts";
import { codeOf, type Log } from "../log/log.ts";
import { type Body, compress, etagOf, isCompressible, uncompressed } from "../site/compress.ts";
import type { PageSettings } from "../site/page-content.ts";
import { photoIn } from "../site/photo.ts";
import type { Renderer } from "../site/renderer.ts";
import { commonHeaders, nothingAllowed } from "../site/security-headers.ts";
import { siteFiles } from "../site/site-files.ts";
import { type Page, pageOf } from "./page.ts";

/** Reads the files of a build, and makes those that depend on the settings. Returns them by path. */
export async function loadFiles(
  settings: PageSettings,
  folder: string,
  { countingScript, shareCardPath }: Renderer,
  log: Log,
): Promise<Map<string, Page>> {
  const { site, provider } = settings;
  const file = (type: string, bodies: Body[], cacheControl: string): Page =>
    pageOf(200, headersOf(site.url, type, cacheControl), bodies);
  const files = new Map<string, Page>();
  for (const [path, { type, text }] of siteFiles(settings))
    files.set(path, file(type, compress(Buffer.from(text)), "public, max-age=3600"));
  const assets = join(folder, "dist/assets");
  for (const name of readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name)))
    files.set(`/assets/${name}`, file(typeOf(name), compressedAsset(join(assets, name)), immutable));
  // The build may have written this script, for static hosts; this server sends it only when it counts.
  files.delete(countingScript.path);
  if (site.counting)
    files.set(
      countingScript.path,
      file(typeOf(countingScript.path), compress(Buffer.from(countingScript.code)), immutable),
    );
  for (const language of shownLanguages(site.languages)) {
    const path = shareCardPath(language, completeProvider(provider).provider.name);
    if (files.has(path)) continue;
    // Where it cannot be drawn, the site has no card, because one that names another sponsor is worse.
    const card = await drawMissingShareCard(settings, language).catch(
      (error) => void log("share-card-not-drawn", { language, code: codeOf(error) }),
    );
    if (card) files.set(path, file("image/png", card, immutable));
  }
  return files;
}

const immutable = "public, max-age=31536000, immutable";

const headersOf = (siteUrl: string, type: string, cacheControl: string) => ({
  ...commonHeaders(siteUrl),
  "content-type": type,
  "content-security-policy": nothingAllowed,
  "cache-control": cacheControl,
  vary: "accept-encoding",
});

// Draws a share card that the build has not drawn: for another provider, or in another language. The module is imported only here, because it
// loads an image library, which may not be installed.
async function drawMissingShareCard({ provider }: PageSettings, language: LanguageCode): Promise<Body[]> {
  const { drawShareCard } = await import("../site/share-card.ts");
  return [uncompressed(await drawShareCard({ language, provider, photo: photoIn(contentFolder) }))];
}

const contentFolder = fileURLToPath(new URL("../content/", import.meta.url));

const typeOf = (name: string): string => types[extname(name)] ?? "application/octet-stream";

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
  const identity = uncompressed(read());
  if (!isCompressible(name)) return [identity];
  const encoded = (encoding: "br" | "gzip", ending: string): Body => ({
    encoding,
    etag: etagOf(identity, encoding),
    bytes: read(ending),
  });
  return [encoded("br", ".br"), encoded("gzip", ".gz"), identity];
}
