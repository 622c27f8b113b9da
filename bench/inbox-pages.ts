// The inbox's queue in Chromium, for bench/inbox.ts: opened cold, with leads that arrive, turned page by page, and searched.
import type { Browser, Page } from "playwright-core";

export interface SignedIn {
  browser: Browser;
  inboxUrl: string;
  /** The token of the member's session. */
  token: string;
}

async function newPage({ browser, inboxUrl, token }: SignedIn): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 } });
  await context.addCookies([{ name: "session", value: token, url: inboxUrl }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** Milliseconds from the navigation to the first paint and to the frame after the rows are in the document; nothing is cached. */
export async function coldVisit(member: SignedIn): Promise<{ firstPaint: number; rows: number }> {
  const page = await newPage(member);
  await slowDown(page);
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector(".row"))
        setTimeout(() => Object.assign(window, { rowsAt: performance.now() }));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(member.inboxUrl);
  const rows = await page.waitForFunction(() => Reflect.get(window, "rowsAt") as number | undefined);
  const firstPaint = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
  const visit = { firstPaint, rows: (await rows.jsonValue()) as number };
  await page.context().close();
  return visit;
}

/** The queue on screen, at the browser's full speed. */
export async function openQueue(member: SignedIn): Promise<Page> {
  const page = await newPage(member);
  const rows = page.locator(".row").first();
  const events = `${member.inboxUrl}/api/events`;
  await Promise.all([page.waitForResponse(events), page.goto(member.inboxUrl).then(() => rows.waitFor())]);
  return page;
}

/** Listens to the event stream and loads the list as the page does (use-live-events.ts), until the returned function is called. */
export async function followQueue({ inboxUrl, token }: SignedIn): Promise<() => void> {
  const over = new AbortController();
  const headers = {
    cookie: `session=${token}`,
    origin: inboxUrl,
    "content-type": "application/json",
  };
  const load = () =>
    fetch(`${inboxUrl}/api/queue`, { method: "POST", headers, body: '{"limit":50}', signal: over.signal })
      .then((answer) => answer.text())
      .catch(() => {});
  const stream = await fetch(`${inboxUrl}/api/events`, { headers, signal: over.signal });
  const follow = async () => {
    let loadedAt = 0;
    for await (const chunk of stream.body ?? []) {
      const text = new TextDecoder().decode(chunk);
      const interval = text.includes('"new":[]') ? 3_000 : 400;
      if (!text.includes('"leads"') || Date.now() - loadedAt < interval) continue;
      loadedAt = Date.now();
      await load();
    }
  };
  await load();
  follow().catch(() => {});
  return () => over.abort();
}

/** Sends leads, each at another moment of the server's looks, and returns after how many milliseconds each was on screen. */
export async function arrivals(
  member: SignedIn,
  count: number,
  send: (name: string) => Promise<void>,
): Promise<number[]> {
  const page = await openQueue(member);
  // The list has its first page alone on screen, and who has just come stands last.
  await page.evaluate(() => {
    const seen: Record<string, number> = {};
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll(".row-name")) {
        if (textContent) seen[textContent] ??= Date.now();
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  const times: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const name = `Arrival ${nth}`;
    await send(name);
    const sent = Date.now();
    const seen = await page.waitForFunction(
      (name) => (Reflect.get(window, "seen") as Record<string, number>)[name],
      name,
    );
    times.push(((await seen.jsonValue()) as number) - sent);
    await new Promise((resolve) => setTimeout(resolve, 137 * (nth % 5)));
  }
  await page.context().close();
  return times;
}

export interface Acts {
  times: number[];
  /** Milliseconds that the page did not answer at the most. */
  longestTask: number;
}

export const turnPages = (page: Page, count: number): Promise<Acts> =>
  act(
    page,
    Array.from({ length: count }, () => () => page.getByRole("button", { name: "Next page" }).click()),
  );

export const search = (page: Page, words: string[]): Promise<Acts> =>
  act(
    page,
    words.map((text) => async () => {
      await page.getByLabel("Search by name").fill(text);
      await page.getByRole("button", { name: "Search" }).click();
    }),
  );

/** Does one thing after the other, and times each until the list is another one. */
async function act(page: Page, things: (() => Promise<void>)[]): Promise<Acts> {
  await slowDown(page);
  await page.evaluate(() => {
    const tasks = { longest: 0 };
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.longest = Math.max(tasks.longest, duration);
    }).observe({ type: "longtask" });
  });
  const names = () =>
    page.locator("#main").evaluate((main) => main.querySelector(".rows, .empty")?.textContent);
  const times: number[] = [];
  for (const thing of things) {
    const before = await names();
    const started = performance.now();
    await thing();
    await page.waitForFunction(
      (before) => document.querySelector("#main .rows, #main .empty")?.textContent !== before,
      before,
    );
    times.push(performance.now() - started);
  }
  const longestTask = await page.evaluate(
    () => (Reflect.get(window, "tasks") as { longest: number }).longest,
  );
  return { times, longestTask };
}
