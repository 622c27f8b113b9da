// A page of the inbox while the server's answers come slowly, one after the other: nothing moves away under a press.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { intercept, useBrowser } from "./support/browser.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { openAs } from "./support/inbox-pages.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const maria = await inbox.member("Maria", "manager");
await inbox.member("Dana");
const lead = await addLead(database);

interface Held {
  /** The calls that are not sent yet, the first one first. */
  held: { path: string; send(): Promise<void> }[];
}

/** Has a page hold each call back until the test lets it go. */
const holdCalls = (page: Page) =>
  page.addInitScript(() => {
    const held: Held["held"] = [];
    Object.assign(globalThis, { held });
    const now = globalThis.fetch;
    globalThis.fetch = (address, options) => {
      if (options?.method !== "POST") return now(address, options);
      return new Promise((resolve) => {
        const send = async () => {
          const answer = await now(address, options);
          resolve(new Response(await answer.text(), answer));
        };
        held.push({ path: String(address), send });
      });
    };
  });

/** Sends the first call that is held, and returns its path once what its answer shows is on the screen. */
const letGo = (page: Page) =>
  page.evaluate(async () => {
    const call = (globalThis as unknown as Held).held.shift();
    await call?.send();
    for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame);
    return call?.path;
  });

/** Where everything is that can be pressed or typed in, by what it is. */
const places = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(() => {
    const numbers = ((globalThis as { numbers?: Map<Element, number> }).numbers ??= new Map());
    const found: Record<string, string> = {};
    for (const element of document.querySelectorAll("a, button, input, select, textarea, summary")) {
      const { x, y } = element.getBoundingClientRect();
      if (!numbers.has(element)) numbers.set(element, numbers.size);
      const text = element.closest("label")?.textContent ?? element.textContent;
      const what = `${element.tagName} ${numbers.get(element)} ${text}`;
      if (element.checkVisibility({ visibilityProperty: true }))
        found[what] = `${Math.round(x)}, ${Math.round(y)}`;
    }
    return found;
  });

const paths = [
  "/",
  `/leads/${lead}`,
  `/leads/${lead}/stop-proof`,
  "/stop",
  "/health",
  "/account",
  "/reports",
  "/campaigns",
  "/audit-log",
  "/team",
];

it("keeps everything that can be pressed where it is as each answer comes", async () => {
  const page = await openAs(browser(), inbox, maria, "/healthz");
  await holdCalls(page);
  const moved: string[] = [];
  for (const path of paths) {
    await page.goto(`${inbox.url}${path}`);
    let before = await places(page);
    for (;;) {
      const call = await letGo(page);
      // The script that shows the page may still be on its way.
      if (!call && (await page.locator(".loading").count()) === 0) break;
      const after = await places(page);
      for (const [what, place] of Object.entries(before))
        if (after[what] && after[what] !== place)
          moved.push(`${path}: ${call} moved ${what} from ${place} to ${after[what]}`);
      before = after;
    }
  }
  expect(moved).toEqual([]);
});

it("resumes a second state although the answer about the first has not come", async () => {
  for (const state of ["LA", "MS"]) await maria.call("pause-state", { state, reason: "A hurricane" });
  const page = await openAs(browser(), inbox, maria, "/team");
  const resume = page.getByRole("button", { name: "Call there again" });
  await expect.poll(() => resume.count()).toBe(2);
  const held = Promise.withResolvers<void>();
  await intercept(page, "**/api/resume-state", (route) => held.promise.then(() => route.continue()));
  await resume.nth(0).click();
  await resume.nth(1).click();
  held.resolve();
  await expect.poll(() => resume.count()).toBe(0);
  expect((await maria.call("paused-states")).body.states).toEqual([]);
});
