// Serves the files that inbox/build.ts makes: `.inbox/current.json` names the folder of the current build, which holds `index.html` and
// `assets/`. They are read once, at start, and need no session, because they hold no personal data.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

export interface ClientFiles {
  /** The answer to a GET or HEAD; undefined when no file of `/assets/` has the path. Any other path gets the application's page. */
  answer(request: Request, path: string): Response | undefined;
}

interface File {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer>;
  cacheControl: string;
}

const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** Reads the current build. Without one the page says how to make it. */
export function readClientFiles(root = projectRoot): ClientFiles {
  const folder = currentFolder(root);
  const files = new Map<string, File>();
  for (const name of folder && existsSync(join(folder, "assets"))
    ? readdirSync(join(folder, "assets"))
    : []) {
    const bytes = readFileSync(join(folder as string, "assets", name));
    files.set(`/assets/${name}`, fileOf(name, bytes, "public, max-age=31536000, immutable"));
  }
  const html = folder ? readFileSync(join(folder, "index.html")) : Buffer.from(notBuilt);
  const page = fileOf("index.html", html, "no-cache");
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

const notBuilt = `<!doctype html><html lang="en"><title>Leads</title><h1>Leads</h1>
<p>The pages of the inbox are not built yet. Run <code>npm run build</code>, then start again.</p></html>`;

function currentFolder(root: string): string | undefined {
  const file = join(root, ".inbox/current.json");
  if (!existsSync(file)) return undefined;
  const folder = join(root, ".inbox", JSON.parse(readFileSync(file, "utf8")).name);
  return existsSync(join(folder, "index.html")) ? folder : undefined;
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

const fileOf = (name: string, bytes: Buffer, cacheControl: string): File => ({
  type: types[extname(name)] ?? "application/octet-stream",
  bytes: Uint8Array.from(bytes),
  brotli: Uint8Array.from(brotliCompressSync(bytes)),
  cacheControl,
});

function answer(request: Request, { type, bytes, brotli, cacheControl }: File): Response {
  const takesBrotli = (request.headers.get("accept-encoding") ?? "")
    .split(",")
    .some((part) => part.trim() === "br");
  const body = takesBrotli ? brotli : bytes;
  return new Response(request.method === "HEAD" ? null : body, {
    headers: {
      "content-type": type,
      "content-length": String(body.length),
      "cache-control": cacheControl,
      vary: "accept-encoding",
      ...(takesBrotli && { "content-encoding": "br" }),
    },
  });
}
