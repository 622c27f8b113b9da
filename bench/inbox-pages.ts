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

/**
 * Listens to the event stream and loads the list after events about leads, as often as a page does (use-live-events.ts), until the returned
 * function is called.
 */
export async function followQueue({ inboxUrl, token }: SignedIn): Promise<() => void> {
  const stop = new AbortController();
  const headers = {
    cookie: `session=${token}`,
    origin: inboxUrl,
    "content-type": "application/json",
  };
  const load = () =>
    fetch(`${inboxUrl}/api/queue`, { method: "POST", headers, body: '{"limit":50}', signal: stop.signal })
      .then((answer) => answer.text())
      .catch(() => {});
  const stream = await fetch(`${inboxUrl}/api/events`, { headers, signal: stop.signal });
  let loadedAt = Number.NEGATIVE_INFINITY;
  let next: ReturnType<typeof setTimeout> | undefined;
  const loadNow = () => {
    loadedAt = performance.now();
    next = undefined;
    return load();
  };
  const follow = async () => {
    for await (const chunk of stream.body ?? []) {
      if (!new TextDecoder().decode(chunk).includes('"leads"')) continue;
      next ??= setTimeout(loadNow, Math.max(0, loadedAt + 400 - performance.now()));
    }
  };
  await load();
  follow().catch(() => {});
  return () => {
    clearTimeout(next);
    stop.abort();
  };
}

/**
 * Sends leads, and returns how many milliseconds after its acknowledgement each was on screen. The pauses differ, because the server looks for
 * new leads only now and then.
 */
export async function arrivals(
  member: SignedIn,
  count: number,
  send: (name: string) => Promise<void>,
): Promise<number[]> {
  const page = await openQueue(member);
  // The whole list is searched for the name, because a new lead is the last of those that may be called.
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

export interface ActionTimes {
  /** Of each action, in milliseconds. */
  times: number[];
  /** The longest time that the page did not answer, in milliseconds; 0 when no task took 50 ms, because browsers report only such tasks. */
  longestTask: number;
}

/** Something that a member does, by the elements of the page: a value typed or chosen, or a press. */
type Step = { in: string; value: string } | { press: string };

export const turnPages = (page: Page, count: number): Promise<ActionTimes> =>
  timeActions(
    page,
    Array.from({ length: count }, () => [{ press: ".pager button:last-of-type" }]),
  );

export const search = (page: Page, words: string[]): Promise<ActionTimes> =>
  timeActions(
    page,
    words.map((value) => [{ in: "form.search input", value }, { press: "form.search button[type=submit]" }]),
  );

export async function filter(page: Page, states: string[]): Promise<ActionTimes> {
  await page.getByText("More filters").click();
  await page.getByRole("combobox", { name: "State" }).waitFor();
  return timeActions(
    page,
    states.map((value) => [{ in: ".further-filters select", value }]),
  );
}

/**
 * Does the steps of one action after the other, and times each action until the frame in which the list has other leads, or none. A script
 * in the page measures the time, because each call from Playwright would take the page's processor time.
 */
async function timeActions(page: Page, actions: Step[][]): Promise<ActionTimes> {
  await slowDown(page);
  return page.evaluate(async (actions) => {
    const measured = { times: [] as number[], longestTask: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        measured.longestTask = Math.max(measured.longestTask, duration);
    }).observe({ type: "longtask" });
    const main = document.querySelector("#main") as HTMLElement;
    // The links are compared, because the text of a row changes as time passes.
    const leads = () =>
      [...main.querySelectorAll<HTMLAnchorElement>(".row-name")].map(({ href }) => href).join();
    const take = (step: Step) => {
      if ("press" in step) {
        const button = document.querySelector<HTMLButtonElement>(step.press);
        if (!button || button.disabled) throw new Error(`Nothing can be pressed at ${step.press}.`);
        return button.click();
      }
      const field = document.querySelector(step.in) as HTMLInputElement | HTMLSelectElement;
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, step.value);
      field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
    };
    for (const steps of actions) {
      const before = leads();
      const started = performance.now();
      const changed = new Promise<void>((resolve) => {
        const look = () => {
          if (leads() === before) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(resolve));
        };
        const observer = new MutationObserver(look);
        observer.observe(main, { subtree: true, childList: true, characterData: true });
      });
      for (const step of steps) {
        take(step);
        // React has taken what was typed before the next step.
        await new Promise((resolve) => setTimeout(resolve));
      }
      await changed;
      measured.times.push(performance.now() - started);
      // The observer of long tasks is told of the last one later.
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return measured;
  }, actions);
}

export interface Smoothness {
  longestTask: number;
  /** Tasks of more than 50 ms. */
  longTasks: number;
  /** Animation frames, and those that were due and did not come, at 60 a second. */
  frames: number;
  dropped: number;
}

/** How smoothly the page runs during `work`, on a processor that is slowed four times. */
export async function smoothnessDuring(page: Page, work: () => Promise<void>): Promise<Smoothness> {
  await slowDown(page);
  await page.evaluate(() => {
    const seen = { longestTask: 0, longTasks: 0, frames: 0, dropped: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        seen.longTasks += 1;
        seen.longestTask = Math.max(seen.longestTask, duration);
      }
    }).observe({ type: "longtask" });
    let before = performance.now();
    const look = (now: number) => {
      if (Reflect.get(window, "seen") !== seen) return;
      seen.frames += 1;
      seen.dropped += Math.max(0, Math.round(((now - before) * 60) / 1000) - 1);
      before = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await work();
  return page.evaluate(() => Reflect.get(window, "seen") as Smoothness);
}
