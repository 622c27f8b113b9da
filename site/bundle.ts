// Builds the site: bundles the form's script and the style with Vite, then the inline script that fetches the form's script, the counting script,
// and the renderer, which holds the results of all these and of the photos; and draws the share cards.
import { createHash } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type InlineConfig, type Rolldown } from "vite";
import type { Config } from "../config/config.ts";
import { ContentError } from "../content/content-error.ts";
import type { Experiment } from "../content/experiment.ts";
import { shownLanguages } from "../content/languages.ts";
import { completeProvider } from "../content/provider.ts";
import { projectRoot } from "./build-folder.ts";
import type { Built, Photo } from "./built.ts";
import { buildPhoto, photoIn, writeFormats } from "./photo.ts";
import { drawShareCard } from "./share-card.ts";

/**
 * What browsers of the end of 2020 understand (docs/decisions/012). Without it Vite builds for those of 2023, and writes `(width>=60rem)`, for which
 * older ones skip the whole rule. The scripts name the language and no browsers, because Vite would rewrite each `?.` for a rare fault of some.
 */
const ofTheYear2020 = {
  target: "es2020",
  cssTarget: ["chrome87", "edge87", "firefox84", "safari14", "ios14"],
};

/**
 * Writes `dist/assets/` and `render.js` into `folder`. `version` names the share cards, which have no content hash.
 * @throws ContentError when the picture of a variant is not there.
 */
export async function bundle(
  folder: string,
  config: Config,
  version: string,
  experiments: readonly Experiment[],
): Promise<void> {
  const common: InlineConfig = {
    root: projectRoot,
    configFile: false,
    publicDir: false,
    mode: "production",
    logLevel: "warn",
    // Set here and in `oxc`, whatever NODE_ENV says, because React's development build is twice the size, and the JSX of one mode
    // does not run with the React of the other.
    define: { "process.env.NODE_ENV": '"production"' },
    oxc: { jsx: { runtime: "automatic", development: false } },
  };
  const dist = join(folder, "dist");
  const client = await bundleClient(common, dist);
  const assets = join(dist, "assets");
  const content = join(projectRoot, "content");
  const built: Built = {
    ...client.built,
    loader: await bundleScript(common, "site/load-form.ts", {
      FORM_SCRIPT: JSON.stringify(client.formScript),
    }),
    counting: withAddress(await bundleScript(common, "site/count-page-load.ts")),
    shareCard: { version, providerName: completeProvider(config.provider).provider.name },
    photo: await buildPhoto(content, assets),
    variantPhotos: await buildVariantPhotos(experiments, content, assets),
  };
  await bundleRenderer(common, built, folder);
  for (const language of shownLanguages(config.site.languages)) {
    const card = await drawShareCard(
      { language, provider: config.provider, photo: photoIn(content) },
      folder,
    );
    writeFileSync(join(assets, `share-card-${language}-${version}.png`), card);
  }
}

/** Writes the pictures of the variants that are shown. Returns them by the names of their files. */
async function buildVariantPhotos(
  experiments: readonly Experiment[],
  content: string,
  assets: string,
): Promise<Record<string, Photo>> {
  const photos: Record<string, Photo> = {};
  for (const { variant, changes, endedOn } of experiments) {
    const file = changes.picture?.shows.file;
    if (!file || endedOn !== undefined) continue;
    const path = join(content, file);
    if (!existsSync(path))
      throw new ContentError(`The picture of the variant "${variant}" is not there: ${path}`);
    photos[file] = await writeFormats(path, assets, `photo-${variant}`);
  }
  return photos;
}

async function bundleClient(common: InlineConfig, dist: string) {
  const output = await run({
    ...common,
    build: {
      ...ofTheYear2020,
      outDir: dist,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: { form: "site/hydrate-form.tsx", style: "site/style.css" },
        preserveEntrySignatures: "strict",
      },
    },
  });
  const named = (name: string, ending: string) => {
    const file = output.find(
      ({ fileName }) => basename(fileName).startsWith(name) && fileName.endsWith(ending),
    );
    if (!file) throw new Error(`The build has made no file like ${name}*${ending}.`);
    return file;
  };
  // The style goes into the documents; nothing asks for its file.
  const style = named("style-", ".css") as Rolldown.OutputAsset;
  rmSync(join(dist, style.fileName));
  return {
    formScript: `/${named("form-", ".js").fileName}`,
    built: {
      style: String(style.source).trim(),
      fonts: output
        .filter(({ fileName }) => fileName.endsWith(".woff2"))
        .map(({ fileName }) => `/${fileName}`),
    },
  };
}

/** A small script as one text. */
async function bundleScript(common: InlineConfig, entry: string, define: Record<string, string> = {}) {
  const [chunk] = await run({
    ...common,
    define: { ...common.define, ...define },
    build: {
      ...ofTheYear2020,
      write: false,
      modulePreload: false,
      lib: { entry, formats: ["iife"], name: "script" },
    },
  });
  return (chunk as Rolldown.OutputChunk).code.trim();
}

/** The counting script with its address, which has its hash, so that browsers may keep it. */
function withAddress(code: string): Built["counting"] {
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 8);
  return { path: `/assets/count-${hash}.js`, code };
}

async function bundleRenderer(common: InlineConfig, built: Built, folder: string): Promise<void> {
  await run({
    ...common,
    define: { ...common.define, BUILT: JSON.stringify(built) },
    // Puts React's server code into the file, in its production form, so that the start looks for no modules.
    ssr: { noExternal: true },
    build: {
      ssr: "site/render.tsx",
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: "render.js" } },
    },
  });
}

async function run(config: InlineConfig): Promise<(Rolldown.OutputChunk | Rolldown.OutputAsset)[]> {
  const result = await build(config);
  const [first] = Array.isArray(result) ? result : [result];
  if (!first || !("output" in first)) throw new Error("Vite was asked to build, not to watch.");
  return first.output;
}
