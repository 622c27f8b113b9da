// Bundles the inbox's pages with Vite: scripts, styles, and the one document, which links to them and holds no data.
import { copyFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { build, type Rolldown } from "vite";

/** Writes `index.html` and `assets/` into `folder`. Returns the project's own modules and style sheets in them, as paths from its root. */
export async function bundleClient(projectRoot: string, folder: string): Promise<string[]> {
  const styles = new Set<string>();
  const result = await build({
    root: projectRoot,
    configFile: false,
    publicDir: false,
    mode: "production",
    logLevel: "warn",
    base: "/",
    // Whatever NODE_ENV says: React's development build is twice the size.
    define: { "process.env.NODE_ENV": '"production"' },
    oxc: { jsx: { runtime: "automatic", development: false } },
    css: { postcss: { plugins: [noteImports(styles)] } },
    build: {
      outDir: folder,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: {
          first: "inbox/client/first-requests.ts",
          inbox: "inbox/client/main.tsx",
          style: "inbox/client/styles/style.css",
        },
        // Libraries mark modules with "use client" for React Server Components, which the inbox does not use.
        onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
      },
    },
  });
  const [{ output }] = (Array.isArray(result) ? result : [result]) as [Rolldown.RolldownOutput];
  const nameOf = (stem: string, ending: string) => {
    const file = output.find(({ fileName }) => fileName.includes(stem) && fileName.endsWith(ending));
    if (!file) throw new Error(`The build has made no file like ${stem}*${ending}.`);
    return file.fileName;
  };
  const script = output.find(({ fileName }) => fileName === nameOf("inbox-", ".js")) as Rolldown.OutputChunk;
  const first = nameOf("first-", ".js");
  const others = script.imports.filter((name) => name !== first);
  copyFileSync(join(projectRoot, "inbox/client/icon.svg"), join(folder, "assets/icon.svg"));
  writeFileSync(
    join(folder, "index.html"),
    documentOf([first, script.fileName], others, nameOf("style-", ".css")),
  );
  const scripts = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return ownAmong([...scripts, ...styles], projectRoot);
}

/** Adds the files that a style sheet imports, because Vite puts them into it and names them nowhere. */
const noteImports = (styles: Set<string>) => ({
  postcssPlugin: "note-imports",
  OnceExit: (_: unknown, { result }: { result: { messages: { type: string; file?: string }[] } }) => {
    for (const { type, file } of result.messages) if (type === "dependency" && file) styles.add(file);
  },
});

const ownAmong = (ids: readonly string[], projectRoot: string): string[] =>
  ids.filter((id) => isAbsolute(id) && !id.includes("node_modules")).map((id) => relative(projectRoot, id));

/**
 * The document of every page, which no browser is to translate: that would send what is on screen to another server, and replace texts that
 * React changes. `scripts` run in their order, because each imports the one before; `imports` are what else they need. */
const documentOf = (scripts: string[], imports: string[], style: string): string => `<!doctype html>
<html lang="en" translate="no">
<head>
<meta charset="utf-8">
<title>Leads</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="google" content="notranslate">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/${style}">
${scripts.map((name) => `<script type="module" async src="/${name}"></script>\n`).join("")}${imports.map((name) => `<link rel="modulepreload" href="/${name}">\n`).join("")}</head>
<body>
<div id="page"><p class="loading first">Loading…</p></div>
<noscript><p>The inbox needs JavaScript. Turn it on in your browser, then load this page again.</p></noscript>
</body>
</html>
`;
