// Serves the files that inbox/build.ts makes: `.inbox/current.json` names the folder of the current build, which holds `index.html` and
// `assets/`, each with its compressed form beside it. They are read once, at start, and need no session, because they hold no personal
// data.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { accepts } from "../web/page.ts";

export interface ClientFiles {
  /** The answer to a GET or HEAD; undefined for a path in `/assets/` that no file has. A path outside of it gets the application's page. */
  answer(request: Request, path: string): Response | undefined;
}

interface File {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer> | undefined;
  cacheControl: string;
}

const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** A name that changes when the file's contents do. */
const hasHash = /-[\w-]{8}\.\w+$/;

/** Reads the current build. Without one the page says how to make it. */
export function readClientFiles(root = projectRoot): ClientFiles {
  const folder = currentFolder(root);
  const files = new Map<string, File>();
  const assets = folder && join(folder, "assets");
  for (const name of assets && existsSync(assets) ? readdirSync(assets) : []) {
    if (name.endsWith(compressedEnding)) continue;
    files.set(
      `/assets/${name}`,
      readBuilt(
        join(assets as string, name),
        hasHash.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
      ),
    );
  }
  const page = folder ? readBuilt(join(folder, "index.html"), "no-cache") : notBuilt;
  return {
    answer(request, path) {
      if (path.startsWith("/assets/")) {
        const file = files.get(path);
        return file && answer(request, file);
      }
      return answer(request, page);
    },
  };
}

/** What inbox/build.ts adds to a file's name for its compressed form. */
export const compressedEnding = ".br";

/** What `.inbox/current.json` holds. */
export interface CurrentBuild {
  name: string;
  /** A hash of the sources. */
  madeOf: string;
}

/** The current build; undefined without one, and after a crash or a full disk that left the file without its content. */
export function readCurrent(root: string): CurrentBuild | undefined {
  const file = join(root, ".inbox/current.json");
  if (!existsSync(file)) return undefined;
  try {
    const build: CurrentBuild | null = JSON.parse(readFileSync(file, "utf8"));
    return typeof build?.name === "string" ? build : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function currentFolder(root: string): string | undefined {
  const build = readCurrent(root);
  if (!build) return undefined;
  const folder = join(root, ".inbox", build.name);
  return existsSync(join(folder, `index.html${compressedEnding}`)) ? folder : undefined;
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".mp3": "audio/mpeg",
  ".webmanifest": "application/manifest+json",
};

const readBuilt = (path: string, cacheControl: string): File => ({
  type: types[extname(path)] ?? "application/octet-stream",
  bytes: Uint8Array.from(readFileSync(path)),
  brotli: Uint8Array.from(readFileSync(path + compressedEnding)),
  cacheControl,
});

const notBuilt: File = {
  type: types[".html"] as string,
  bytes: new TextEncoder().encode(`<!doctype html><html lang="en"><title>Leads</title><h1>Leads</h1>
<p>The pages of the inbox are not built yet. Run <code>npm run build</code>, then start again.</p></html>`),
  brotli: undefined,
  cacheControl: "no-cache",
};

function answer(request: Request, { type, bytes, brotli, cacheControl }: File): Response {
  const compressed = accepts(request.headers.get("accept-encoding"), "br") ? brotli : undefined;
  const body = compressed ?? bytes;
  return new Response(request.method === "HEAD" ? null : body, {
    headers: {
      "content-type": type,
      "content-length": String(body.length),
      "cache-control": cacheControl,
      vary: "accept-encoding",
      ...(compressed && { "content-encoding": "br" }),
    },
  });
}
