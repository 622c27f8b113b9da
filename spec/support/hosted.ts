// A Supabase project, as a page or an operator meets it from outside: one address, behind which are a REST data path and
// the function. The data path is our own intake, which answers as PostgREST does; the function is real, in Deno. Any part
// can be made to answer as a platform does when something is wrong.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { atTheEnd } from "./at-the-end.ts";
import { keys, startFunction } from "./edge-function.ts";
import { startServer } from "./server.ts";
import { type SupabaseLike, startSupabaseLike } from "./supabase-like.ts";

export interface Call {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
}

/** Answers a call in place of the project; `undefined` lets the call through. */
type Override = (
  call: Call,
) => { status: number; headers?: Record<string, string>; body?: string } | undefined;

export interface HostedProject {
  url: string;
  database: SupabaseLike;
  calls: Call[];
  /** Answers calls in place of the project while it is set. */
  override: Override | undefined;
}

const submitLeadPath = "/functions/v1/submit-lead";

/** Starts a project whose pages are at `site`. It runs until the chapter ends. */
export async function startHosted(
  site: string,
  settings: Record<string, string> = {},
): Promise<HostedProject> {
  const database = await (await startSupabaseLike()).makeDatabase();
  const [rest, submitLead] = await Promise.all([
    startServer({ DATABASE_URL: database.url, ANON_KEY: keys.publishable, DELIVERY: "off" }),
    startFunction(database.url, { SITE_URL: site, ...settings }, atTheEnd),
  ]);
  const project: HostedProject = { url: "", database, calls: [], override: undefined };
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const call = { method: request.method ?? "", path, headers: request.headers };
    project.calls.push(call);
    const override = project.override?.(call);
    if (override) {
      request.resume();
      response.writeHead(override.status, override.headers).end(override.body);
    } else if (path.startsWith(submitLeadPath))
      forward(request, response, `${submitLead.url}${path.slice(submitLeadPath.length)}`);
    else if (path.startsWith("/rest/v1/")) forward(request, response, `${rest.address}${path}`);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  project.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return project;
}

// Supabase's gateway takes the JWT and the publishable key of the project. Our intake knows the publishable key alone, so that key replaces the JWT here.
function forward(request: IncomingMessage, response: ServerResponse, to: string): void {
  const { host: _, ...headers } = request.headers;
  if (headers.apikey === keys.jwt) {
    headers.apikey = keys.publishable;
    headers.authorization = `Bearer ${keys.publishable}`;
  }
  const forwarded = send(
    to,
    { method: request.method ?? "GET", headers: { ...headers, connection: "close" } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  forwarded.on("error", () => response.destroy());
  request.pipe(forwarded);
}
