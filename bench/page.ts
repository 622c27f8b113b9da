// Measures the article page as a visitor on a slow phone gets it, and two pages to compare: a baseline, which is the same document
// without scripts, as a page written by hand would be; and the page without counting. All three take turns in one run, on two
// slow networks with a processor slowed four times. `npm run bench:page`; ROUNDS sets the number of rounds (7).
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { compress } from "../site/compress.ts";
import { launch } from "../spec/support/browser.ts";
import { answer, type Page as BuiltPage, pageOf } from "../web/page.ts";
import { loadSite } from "../web/pages.ts";

const networks = [
  { name: "1.6 Mbps, 150 ms", bitsPerSecond: 1_600_000, latency: 150 },
  { name: "400 kbps, 400 ms", bitsPerSecond: 400_000, latency: 400 },
];
const pages = { baseline: "/baseline", uncounted: "/uncounted", ours: "/" };
const rounds = Number(process.env.ROUNDS ?? 7);

interface Figures {
  fcp: number;
  lcp: number;
  cls: number;
  bytes: number;
  /**
   * From the start of the navigation to the press of the button, in ms. NaN when the server did not get just that one form. A press that
   * brings no thank-you page ends the run.
   */
  submit: number;
}

const built = (counting: boolean) =>
  loadSite({
    site: { url: "http://localhost", backendUrl: "", backendKey: "sb_publishable_of_the_bench", counting },
    provider: {},
  });
const [site, uncounted] = [await built(true), await built(false)];
const posts: string[] = [];
const server = createServer((request, response) => void serve(request, response)).listen(0, "localhost");
const address = () => `http://localhost:${(server.address() as AddressInfo).port}`;
const browser = await launch();
try {
  for (const network of networks) {
    const measured: Record<string, Figures[]> = { baseline: [], uncounted: [], ours: [] };
    for (let round = 0; round < rounds; round++) {
      for (const [name, path] of Object.entries(pages)) {
        measured[name]?.push(await visit(browser, path, network));
      }
    }
    print(network.name, measured);
  }
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // An experiment adds its variant to the address.
  if (request.url?.split("?")[0] === "/c") {
    request.resume().on("end", () => response.writeHead(204).end());
    return;
  }
  if (request.method === "POST") {
    let body = "";
    for await (const chunk of request) body += chunk;
    posts.push(body);
    response.writeHead(303, { location: "/thank-you" }).end();
    return;
  }
  const page = pageAt(request.url ?? "/");
  const accepted = String(request.headers["accept-encoding"] ?? "");
  const answered = answer(page, new Request(address(), { headers: { "accept-encoding": accepted } }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(Buffer.from(await answered.arrayBuffer()));
}

function pageAt(path: string): BuiltPage {
  if (path === pages.baseline) return baseline();
  if (path === pages.uncounted) return uncounted.pages.get("/") as BuiltPage;
  return site.pages.get(path) ?? site.notFound("/");
}

/** The article's document without its scripts. */
function baseline(): BuiltPage {
  const ours = site.pages.get("/") as BuiltPage;
  const [start = "", ...rest] = String(ours.encodings.at(-1)?.bytes).split("<script");
  const html =
    start + rest.map((part) => part.slice(part.indexOf("</script>") + "</script>".length)).join("");
  return pageOf(ours.status, ours.headers, compress(Buffer.from(html)));
}

async function visit(browser: Browser, path: string, network: (typeof networks)[number]): Promise<Figures> {
  const landing = await measurePaint(browser, path, network);
  return { ...landing, submit: await pressAtOnce(browser, path, network) };
}

/** Opens the page without touching it, and measures when it is painted, what shifts, and how many bytes it takes. */
async function measurePaint(browser: Browser, path: string, network: (typeof networks)[number]) {
  const { page, session, context } = await slowPage(browser, network);
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.addInitScript(() => {
    const seen = { lcp: 0, cls: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.lcp = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.cls += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(address() + path, { waitUntil: "networkidle" });
  const painted = await page.evaluate(() => {
    const fcp = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN;
    return { fcp, ...(Reflect.get(window, "seen") as { lcp: number; cls: number }) };
  });
  await context.close();
  return { ...painted, bytes };
}

/** Opens the page, and at the first frame with something painted and the button there, fills the form and presses the button. */
async function pressAtOnce(
  browser: Browser,
  path: string,
  network: (typeof networks)[number],
): Promise<number> {
  const { page, context } = await slowPage(browser, network);
  const before = posts.length;
  const pressed = Promise.withResolvers<number>();
  await page.exposeBinding("pressed", (_, time: number) => pressed.resolve(time));
  await page.addInitScript(() => {
    if (location.pathname === "/thank-you") return;
    const press = () => {
      const button = document.querySelector("button");
      if (!button || performance.getEntriesByName("first-contentful-paint").length === 0) {
        requestAnimationFrame(press);
        return;
      }
      for (const input of document.querySelectorAll<HTMLInputElement>("input[required]")) {
        input.value = input.type === "email" ? "ann@example.org" : "Ann";
      }
      (Reflect.get(window, "pressed") as (time: number) => void)(performance.now());
      button.click();
    };
    requestAnimationFrame(press);
  });
  await page.goto(address() + path, { waitUntil: "commit" });
  await page.waitForURL("**/thank-you");
  const time = await pressed.promise;
  await context.close();
  return posts.length === before + 1 && posts.at(-1)?.includes("Ann") ? time : Number.NaN;
}

async function slowPage(browser: Browser, { bitsPerSecond, latency }: (typeof networks)[number]) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: bitsPerSecond / 8,
    uploadThroughput: bitsPerSecond / 8,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  return { context, page, session };
}

function print(network: string, measured: Record<string, Figures[]>): void {
  console.log(`\n${network}, processor 4x slower: the median of ${rounds} rounds (the lowest)`);
  const columns: [string, keyof Figures, number][] = [
    ["FCP ms", "fcp", 0],
    ["LCP ms", "lcp", 0],
    ["CLS", "cls", 4],
    ["bytes", "bytes", 0],
    ["submits ms", "submit", 0],
  ];
  const row = (cells: string[]) => console.log(cells.map((cell) => cell.padEnd(17)).join(""));
  row(["", ...columns.map(([title]) => title)]);
  for (const [name, figures] of Object.entries(measured)) {
    const sorted = (key: keyof Figures) =>
      figures.map((one) => one[key]).sort((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b));
    const cells = columns.map(([, key, digits]) => {
      const values = sorted(key);
      return `${values[Math.floor(values.length / 2)]?.toFixed(digits)} (${values[0]?.toFixed(digits)})`;
    });
    row([name, ...cells]);
  }
}
