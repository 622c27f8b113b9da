// One Chromium of each kind for the chapters that run in this process, and pages in it. A page has nothing of another test: it has a
// context of its own, which is closed after the test, or it is emptied then (kept-pages.ts).
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from "playwright-core";
import { afterEach, beforeAll } from "vitest";
import { findChromium, findHeadlessShell } from "./chromium.ts";
import { isEmpty, isOver, takeBackPages, takePage } from "./kept-pages.ts";
import { printPages } from "./pages-of-a-failure.ts";
import { refuseInQuickTier } from "./quick-tier.ts";

const flags = [
  // Without it, a page with a Cross-Origin-Opener-Policy is loaded in a process of its own beside the one of its empty tab: 134 ms of
  // processor time for a page, and 104 with it. Pages of two contexts share no process in either case.
  "--renderer-process-limit=1",
  "--no-sandbox",
  "--disable-gpu",
  // Without it, the pages are painted by a graphics card that is emulated, which takes 4 % of the processor time of four chapters.
  "--disable-software-rasterizer",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Playwright turns the back/forward cache off, which readers have on. */
const ignoreDefaultArgs = ["--disable-back-forward-cache"];

export const launch = (program = findChromium()): Promise<Browser> =>
  chromium.launch({ executablePath: program ?? "chromium", args: flags, ignoreDefaultArgs });

/** Milliseconds in which a page has to show what a test waits for: less than a test has, so that a failure names what did not come. */
export const pageTimeout = 20_000;

/** The browsers of this process by program. Playwright ends them with the process. */
const launched = new Map<string | undefined, Browser>();

async function launchOnce(program: string | undefined): Promise<Browser> {
  const before = launched.get(program);
  if (before?.isConnected()) return before;
  const browser = await launch(program);
  launched.set(program, browser);
  return browser;
}

/** Gives the chapter's tests a browser. Chapters about loading, fonts, going back and notifications ask for the whole browser. */
export function useBrowser(kind: "headless shell" | "whole browser" = "headless shell"): {
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  browser(): Browser;
} {
  let browser: Browser | undefined;
  beforeAll(async () => {
    refuseInQuickTier("a browser");
    browser = await launchOnce(kind === "whole browser" ? findChromium() : findHeadlessShell());
  });
  afterEach(async ({ task }) => {
    const isFailed = task.result?.state === "fail";
    if (isFailed) await printPages(running(), task.name);
    await takeBackPages(running(), !isFailed);
  });
  const running = () => {
    if (!browser)
      throw new Error(
        "Open a page within a test or a hook: while a chapter is loaded, its browser is not launched yet.",
      );
    return browser;
  };
  return {
    browser: running,
    async open(path, options) {
      const page =
        kind === "whole browser"
          ? await running().newPage(options)
          : (await takePage(running(), options)).page;
      page.setDefaultTimeout(pageTimeout);
      if (path) await page.goto(path);
      return page;
    },
  };
}

/**
 * Has `answer` handle the requests of a page to an address. Chapters use this and not `page.route`, because on a loaded page `page.route`
 * returns before the browser passes requests to Playwright: a request that is sent at once still goes to the server.
 */
export async function intercept(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => unknown,
  options?: { times: number },
): Promise<void> {
  const handle = async (route: Route) => {
    try {
      await answer(route);
    } catch (error) {
      // A request of a test that is over may still be under way.
      if (!isOver(page)) throw error;
    }
  };
  await page.route(address, handle, options);
  // An emptied page cannot send the probe below, because the server at its address may be gone, or be another one.
  if (isEmpty(page)) return;
  const probe = "/is-intercepted";
  await page.route(`**${probe}`, (route) => route.fulfill({ status: 204 }));
  await page.evaluate(async (path) => {
    const isIntercepted = () =>
      fetch(path).then(
        ({ status }) => status === 204,
        () => false,
      );
    while (!(await isIntercepted()));
  }, probe);
  await page.unroute(`**${probe}`);
}
