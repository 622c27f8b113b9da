// The built site on a port of its own, with a backend that answers as a test tells it to. For the chapters
// about the pages; the whole journey runs on the real server.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { languageCodes, pathOf, thankYouPath } from "../../content/languages.ts";
import type { PageSettings } from "../../site/render.tsx";
import { answer } from "../../web/page.ts";
import { loadSite, type Site } from "../../web/pages.ts";
import { healthPath } from "./kept-pages.ts";

export const pageSettings: PageSettings = {
  site: { url: "http://localhost", backendUrl: "", backendKey: "sb_publishable_of_this_test" },
  provider: {},
};

/** The settings of a site in every language that there are texts in, English at `/`. */
export const inEveryLanguage: PageSettings = {
  ...pageSettings,
  site: { ...pageSettings.site, languages: languageCodes },
};

/** Where the article and the thank-you page of each language are on that site: `/`, `/es`. */
export const articlePaths = languageCodes.map((code) => pathOf(code, languageCodes) || "/");
export const thankYouPaths = languageCodes.map((code) => thankYouPath(code, languageCodes));

/** A call as the backend saw it. */
export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

type Reply = { status: number; headers?: Record<string, string>; body?: string } | "hang" | "hang up";

/** Serves the site for a chapter. `reset` makes its backend forget its calls and replies. */
export function useSite(settings: PageSettings = pageSettings) {
  const replies = new Map<string, Reply>();
  const calls: Call[] = [];
  let site: Site;
  let server: Server;
  beforeAll(async () => {
    site = await loadSite(settings);
    server = createServer((request, response) => void respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const { method = "GET", url = "/" } = request;
    const path = url.split("?")[0] ?? "/";
    if (path === healthPath) return void response.writeHead(200, healthHeaders).end();
    if (method === "GET" || method === "HEAD") return servePage(site, request, response, path);
    let body = "";
    for await (const chunk of request) body += chunk;
    calls.push({ method, path, headers: request.headers, body });
    const reply = replies.get(path) ?? defaultReply(path);
    if (reply === "hang") return;
    if (reply === "hang up") return response.destroy();
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  return {
    url: (path = "/") => `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    site: () => site,
    calls,
    /** How a call to a path is answered from now on. Other calls are answered as if the backend had taken a lead. */
    reply: (path: string, reply: Reply) => void replies.set(path, reply),
    reset() {
      replies.clear();
      calls.length = 0;
    },
  };
}

/** A page is emptied at `healthPath` between two tests. Without the policy of our pages the browser would take another process for it. */
const healthHeaders = { "cross-origin-opener-policy": "same-origin", "content-type": "text/plain" };

async function servePage(site: Site, request: IncomingMessage, response: ServerResponse, path: string) {
  const page = site.pages.get(path) ?? site.notFound(path);
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const answered = answer(
    page,
    new Request(`http://localhost${path}`, { method: request.method as string, headers }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(Buffer.from(await answered.arrayBuffer()));
}

function defaultReply(path: string): Reply {
  if (path === "/rest/v1/leads") return { status: 201 };
  if (path === "/functions/v1/submit-lead") {
    return { status: 202, headers: { "content-type": "application/json" }, body: '{"message":"ok"}' };
  }
  return { status: 303, headers: { location: "/thank-you" } };
}
