// Writes the rest of a build's `dist/` for a static host: the documents, the small files, every text compressed beside
// itself, and the headers in the form that Netlify and Cloudflare Pages (`_headers`) and Vercel read.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { type Experiment, variantsIn } from "../content/experiment.ts";
import { pathOf, shownLanguages } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { compress, isCompressible } from "./compress.ts";
import { rendererModule } from "./renderer.ts";
import { commonHeaders, contentSecurityPolicy } from "./security-headers.ts";
import { siteFiles } from "./site-files.ts";

/** Writes into the `dist/` of a build's folder, which has its renderer and its assets already, and beside it `notices.sql`. */
export async function writeStaticSite(
  folder: string,
  config: Config,
  experiments: readonly Experiment[],
): Promise<void> {
  const dist = join(folder, "dist");
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), text);
  };
  const documents = await renderDocuments(folder, config, experiments);
  for (const [name, html] of documents) write(name, html);
  for (const [path, { text }] of siteFiles(config)) write(path.slice(1), text);
  const { countingScript } = await rendererModule(folder);
  if (config.site.counting) write(countingScript.path.slice(1), countingScript.code);
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (isCompressible(name)) writeCompressed(join(dist, name));
  }
  // Hosts add up the rules that match a path, and two policies would both have to be met: so one serves all.
  const headers = {
    ...commonHeaders(config.site.url),
    "content-security-policy": contentSecurityPolicy(
      documents.map(([, html]) => html),
      config.site,
    ),
  };
  writeFileSync(join(folder, "notices.sql"), noticesSql(config));
  write("_headers", netlifyHeaders(headers));
  write("vercel.json", vercelSettings(headers));
}

/**
 * By file name, each document: index.html and thank-you.html, es.html and es/thank-you.html, 404.html. While an experiment runs,
 * index.html is its original, and b.html (or es/b.html) is its variant: the ad network splits the readers over the two addresses.
 */
async function renderDocuments(
  folder: string,
  config: Config,
  experiments: readonly Experiment[],
): Promise<[string, string][]> {
  const { renderArticle, renderThankYou, renderNotFound } = await rendererModule(folder);
  const shown = shownLanguages(config.site.languages);
  const pages = shown.flatMap((code): [string, string][] => {
    const path = pathOf(code, shown).slice(1);
    const [original, variant] = variantsIn(experiments, code);
    return [
      [path ? `${path}.html` : "index.html", renderArticle(config, code, undefined, original)],
      ...(variant
        ? [[join(path, "b.html"), renderArticle(config, code, undefined, variant)] as [string, string]]
        : []),
      [join(path, "thank-you.html"), renderThankYou(config, code)],
    ];
  });
  return [...pages, ["404.html", renderNotFound(config, shown[0] ?? "en")]];
}

/**
 * Statements that tell a hosted database the wordings of these pages. The hosted function cannot tell those of a NOTICE_FILE, because
 * it reads no files.
 */
function noticesSql(config: Config): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return permissionNotices(config)
    .map(({ hash, language, text }) => `(${[hash, language, text].map(quoted).join(", ")})`)
    .map(
      (row) => `insert into private.notices (hash, language, text) values ${row} on conflict do nothing;\n`,
    )
    .join("");
}

function writeCompressed(file: string): void {
  for (const { encoding, bytes } of compress(readFileSync(file))) {
    if (encoding) writeFileSync(`${file}.${encoding === "br" ? "br" : "gz"}`, bytes);
  }
}

const immutable = "public, max-age=31536000, immutable";

function netlifyHeaders(headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`);
  return `/*\n${lines.join("")}\n/assets/*\n  cache-control: ${immutable}\n`;
}

function vercelSettings(headers: Record<string, string>): string {
  const list = (values: Record<string, string>) =>
    Object.entries(values).map(([key, value]) => ({ key, value }));
  return JSON.stringify(
    {
      cleanUrls: true,
      headers: [
        { source: "/(.*)", headers: list(headers) },
        { source: "/assets/(.*)", headers: list({ "cache-control": immutable }) },
      ],
    },
    null,
    2,
  );
}
