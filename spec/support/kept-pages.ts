// Pages of the browser that one test hands on to the next. A page in a context of its own is a process of its own, which loads and compiles
// everything anew: a page of the inbox then takes some 360 ms of processor time, and 180 in a page that is handed on.
//
// A test gets a handle to the page. After the test the page is emptied of what the test may have left there, and the handle is of no
// use any more. The page of a test that failed, or that did more with it than `empty` undoes, is closed.
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { recordAnnouncements } from "./announcements.ts";

/** What a test may do with a page that is handed on: each of these leaves nothing behind, or `empty` or the next opening undoes it. */
const allowed = new Set([
  "locator",
  "getByRole",
  "getByLabel",
  "getByText",
  "keyboard",
  "mouse",
  "evaluate",
  "content",
  "title",
  "url",
  "waitForURL",
  "waitForResponse",
  "waitForRequest",
  "waitForEvent",
  "waitForFunction",
  "waitForLoadState",
  "context",
  "addCookies",
  "clearCookies",
  "cookies",
  "newCDPSession",
  "setOffline",
  "goto",
  "reload",
  "goBack",
  "pdf",
  "on",
  "route",
  "unroute",
  "setDefaultTimeout",
  "setViewportSize",
  "emulateMedia",
]);

const usualSize = { width: 1280, height: 720 };
const usualMedia = {
  media: null,
  colorScheme: "light",
  reducedMotion: "no-preference",
  forcedColors: "none",
  contrast: "no-preference",
} as const;

interface KeptPage {
  page: Page;
  /** What the test that has the page now has done with it, or undefined while no test has it. */
  use: Use | undefined;
}

interface Use {
  handle: Page;
  /** The names of what it has done with the page and its context. */
  names: Set<string>;
  listeners: Parameters<Page["removeListener"]>[];
  sessions: CDPSession[];
}

/** An address that every server of ours answers without a script. A page is emptied there. */
export const healthPath = "/healthz";

/** Whether a page has loaded nothing yet that sends requests: it is blank, or at the address where pages are emptied. */
export const isEmpty = (page: Page): boolean =>
  page.url() === "about:blank" || new URL(page.url()).pathname === healthPath;

const kept = new Map<Browser, KeptPage[]>();

/** The handles and the contexts of tests that are over. */
const over = new WeakSet<Page | BrowserContext>();

/** Whether the test that got this page is over. */
export const isOver = (page: Page): boolean => over.has(page) || over.has(page.context());

/** Returns an empty page and its context: a page that is handed on, unless the options name more than a viewport and a colour scheme. */
export async function takePage(
  browser: Browser,
  { viewport = usualSize, colorScheme = usualMedia.colorScheme, ...options }: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext }> {
  const mayBeHandedOn = Object.keys(options).length === 0;
  if (!mayBeHandedOn) return makePage(browser, { viewport, colorScheme, ...options });
  const pages = kept.get(browser) ?? [];
  kept.set(browser, pages);
  let taken = pages.find(({ use, page }) => !use && !page.isClosed());
  if (!taken) {
    taken = { page: (await makePage(browser, {})).page, use: undefined };
    pages.push(taken);
  }
  taken.use = useOf(taken.page);
  const page = taken.use.handle;
  if (viewport !== usualSize && viewport) await page.setViewportSize(viewport);
  if (colorScheme !== usualMedia.colorScheme) await page.emulateMedia({ colorScheme });
  return { page, context: taken.page.context() };
}

/** Opens a page in a context of its own. */
async function makePage(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  await context.addInitScript(recordAnnouncements);
  return { page: await context.newPage(), context };
}

/** A handle to a page that writes down what is done with it. */
function useOf(page: Page): Use {
  const use: Use = { handle: page, names: new Set(), listeners: [], sessions: [] };
  const refuse = () => {
    throw new Error("Call this on the page: on its context nothing undoes it.");
  };
  const context = watch(page.context(), use, {
    on: refuse,
    setDefaultTimeout: refuse,
    async newCDPSession() {
      const session = await page.context().newCDPSession(page);
      use.sessions.push(session);
      return session;
    },
  });
  use.handle = watch(page, use, {
    context: () => context,
    on(...listener: Use["listeners"][number]) {
      use.listeners.push(listener);
      page.on(...(listener as Parameters<Page["on"]>));
    },
  });
  return use;
}

/** Writes down the names of what a test does with this, and does `instead` for some of them. */
const watch = <Watched extends object>(watched: Watched, use: Use, instead: Record<string, unknown>) =>
  new Proxy(watched, {
    get(_, name) {
      if (over.has(use.handle)) throw new Error("The test that had this page is over.");
      const own = Object.hasOwn(instead, name) && Reflect.get(instead, name);
      const value = own || Reflect.get(watched, name);
      // A name that is not there leaves nothing behind, such as "then", for which every `await` asks.
      if (value !== undefined) use.names.add(String(name));
      return typeof value === "function" && !own ? value.bind(watched) : value;
    },
  });

/**
 * Takes the pages of a browser back from the test that is over, and closes every context whose page is not handed on. When `isKept` is
 * false, no page that this test had is handed on.
 */
export async function takeBackPages(browser: Browser, isKept: boolean): Promise<void> {
  const pages = kept.get(browser) ?? [];
  const areEmpty = await Promise.all(
    pages.map(async (one) => {
      const { page, use } = one;
      one.use = undefined;
      if (!use) return true;
      over.add(use.handle);
      return isKept && (await empty(page, use));
    }),
  );
  // In the same order, so that the next test gets the page that the last one had, which is at the address of the same server.
  const handedOn = pages.filter((_, at) => areEmpty[at]);
  kept.set(browser, handedOn);
  const contexts = new Set(handedOn.map(({ page }) => page.context()));
  const others = browser.contexts().filter((context) => !contexts.has(context));
  for (const context of others) over.add(context);
  await Promise.all(others.map((context) => context.close()));
}

/** Undoes what a test has done with a page. Returns false where it did something else, or where the page cannot be emptied. */
async function empty(page: Page, { names, listeners, sessions }: Use): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1 || [...names].some((name) => !allowed.has(name)))
    return false;
  for (const [event, listener] of listeners) page.removeListener(event, listener);
  try {
    await Promise.all([page, context].map((one) => one.unrouteAll({ behavior: "ignoreErrors" })));
    await Promise.all(sessions.map((session) => session.detach()));
    if (names.has("setOffline")) await context.setOffline(false);
    if (names.has("setViewportSize")) await page.setViewportSize(usualSize);
    if (names.has("emulateMedia")) await page.emulateMedia(usualMedia);
    // Of the same origin: at another one's address the browser would take another process.
    const answer = await page.goto(new URL(healthPath, page.url()).href);
    if (!answer?.ok()) return false;
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    return true;
  } catch {
    // Such as a server that is gone, or one that holds its answers back.
    return false;
  }
}
