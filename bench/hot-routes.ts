// `node bench/hot-routes.ts`: Node's processor time for a page, a beacon and an insert as the server answers them, beside a bare
// node:http that answers the same page, or the same status without a body. No socket and no database takes part, so code can be compared
// on a busy machine as well. All servers run in this process, in short slices by turns; the lower quartile of the slices is printed.
import { createServer, type Server } from "node:http";
import { makeCounters } from "../campaigns/counters.ts";
import { readConfig } from "../config/config.ts";
import { makeLimit } from "../intake/limit.ts";
import { makeAddressOf } from "../intake/visitor-address.ts";
import { commonHeaders, nothingAllowed } from "../site/security-headers.ts";
import { makeApp } from "../web/app.ts";
import { makeCounting } from "../web/counting.ts";
import { loadSite, pageDependencies, type Site } from "../web/pages.ts";
import { makeHttpServer } from "../web/server.ts";
import { connectTo } from "./connection-without-socket.ts";
import { key } from "./running.ts";

const [slices, perSlice, connections] = [60, 2_000, 8];
const phone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const browser = `host: localhost\r\nuser-agent: ${phone}\r\naccept-language: en-US,en;q=0.9\r\naccept-encoding: gzip, deflate, br\r\norigin: http://localhost\r\nsec-fetch-site: same-origin\r\nsec-fetch-mode: cors\r\nsec-fetch-dest: empty\r\n`;

const config = readConfig({ ANON_KEY: key });
const site = await loadSite(config);
const ours = makeServer(site);
for (const { name, request, bare } of requests(site)) await compare(name, request, bare);
process.exit();

function requests(site: Site): { name: string; request: (nth: number) => string; bare: Server }[] {
  const post = (path: string, headers: string, body: string) =>
    `POST ${path} HTTP/1.1\r\n${browser}${headers}content-length: ${body.length}\r\n\r\n${body}`;
  const { headers, bytes } = site.pages.get("/")?.encodings[0] ?? { headers: {}, bytes: Buffer.of() };
  const afterReading = (status: number, head: Record<string, string>) =>
    createServer((incoming, outgoing) => {
      incoming.on("data", () => {}).on("end", () => outgoing.writeHead(status, head).end());
    });
  return [
    {
      name: "a page",
      request: (nth) =>
        `GET /?utm_source=facebook&utm_campaign=spring-${nth % 50} HTTP/1.1\r\n${browser}\r\n`,
      bare: createServer((_, outgoing) => outgoing.writeHead(200, headers).end(bytes)),
    },
    {
      name: "a beacon",
      request: (nth) =>
        post(
          "/c",
          "",
          `steps=view.half_read&lcp=3&cls=0&utm_source=facebook&utm_campaign=spring-${nth % 50}`,
        ),
      bare: afterReading(204, {}),
    },
    {
      name: "an insert",
      request: (nth) =>
        post(
          "/rest/v1/leads",
          `apikey: ${key}\r\nauthorization: Bearer ${key}\r\nprefer: return=minimal\r\ncontent-type: application/json\r\n`,
          `{"name":"Rosa ${nth}","email":"rosa@example.com","phone":"(305) 555-0142","zip_code":"33101","has_medicare":true,"has_diabetes":false}`,
        ),
      bare: afterReading(201, { "content-length": "0" }),
    },
  ];
}

/** What bin/site-server.ts composes, as far as these requests need it. The store stores nothing, and the limit refuses nothing. */
function makeServer(site: Site): Server {
  const headers = {
    ...commonHeaders(config.site.url),
    "content-security-policy": nothingAllowed,
    "cache-control": "no-store",
  };
  const limit = makeLimit(undefined, Number.POSITIVE_INFINITY);
  const app = makeApp({
    anonKey: key,
    store: async () => {},
    allowedOrigins: "*",
    addressOf: makeAddressOf([]),
    limit,
    ...pageDependencies(site),
    counting: makeCounting({ counters: makeCounters(), variants: [], origins: "*", limit }),
    submitLead: () => new Response(),
    isReady: async () => true,
    headers,
    log: () => {},
  });
  const server = makeHttpServer(app, headers);
  // It listens nowhere, and must not take itself for one that is shutting down.
  return Object.defineProperty(server, "listening", { value: true });
}

async function compare(name: string, request: (nth: number) => string, bare: Server): Promise<void> {
  const contenders = [ours, bare].map((server) => ({
    connections: connectTo(server, connections),
    times: [] as number[],
  }));
  let sent = 0;
  for (let slice = 0; slice < slices; slice += 1) {
    for (const { connections, times } of contenders) {
      const before = process.cpuUsage();
      await Promise.all(
        connections.map((one) => one.send(perSlice / connections.length, () => request(sent++))),
      );
      const { user, system } = process.cpuUsage(before);
      // During the first slices, Node still compiles the code.
      if (slice >= 10) times.push((user + system) / perSlice);
    }
  }
  const [us = 0, them = 0] = contenders.map(
    ({ times }) => times.toSorted((a, b) => a - b)[times.length >> 2],
  );
  process.stdout.write(
    `${name.padEnd(9)}  ${us.toFixed(1)} µs, bare node:http ${them.toFixed(1)} µs: ${(us - them).toFixed(1)} more\n`,
  );
}
