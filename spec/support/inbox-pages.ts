// The inbox's pages in a browser: opened as a member who is signed in, or with a virtual authenticator for passkeys.
import { readFileSync } from "node:fs";
import type { Browser, BrowserContextOptions, ElementHandle, Locator, Page } from "playwright-core";
import { pageTimeout } from "./browser.ts";
import type { TestInbox, TestMember } from "./inbox.ts";
import { takePage } from "./kept-pages.ts";

export { said } from "./announcements.ts";

/** Opens a page of the inbox as a member who is signed in. */
export async function openAs(
  browser: Browser,
  { url }: TestInbox,
  { cookie }: Pick<TestMember, "cookie">,
  path = "/",
  options: BrowserContextOptions = {},
): Promise<Page> {
  const { page, context } = await takePage(browser, options);
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url }]);
  page.setDefaultTimeout(pageTimeout);
  await page.goto(`${url}${path}`);
  return page;
}

/** Watches a page's calls from now on. Returns how many of them are under way. */
export function callsUnderWay(page: Page): () => number {
  const underWay = new Set<unknown>();
  page.on("request", (request) => request.method() === "POST" && underWay.add(request));
  for (const over of ["requestfinished", "requestfailed"] as const)
    page.on(over as "requestfinished", (request) => underWay.delete(request));
  return () => underWay.size;
}

/** Whether one part of a page ends where another begins, or above it. Looks at both at one moment, because a page may scroll or grow. */
export const isAbove = async (one: Locator, other: Locator): Promise<boolean> =>
  one.evaluate(
    (upper, lower) =>
      upper.getBoundingClientRect().bottom <= (lower?.getBoundingClientRect().top ?? Number.NaN),
    (await other.elementHandle()) as ElementHandle<Element> | null,
  );

/** Gives a page a virtual authenticator for passkeys. `isUserVerified` says whether it recognizes its owner. */
export async function addAuthenticator(page: Page, isUserVerified = true): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
}

/** Stops a page's clock 20 seconds ahead: less than the silence after which the page takes its event stream for lost and opens it anew. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 20_000);
}

/** Presses what saves a file, and returns the file. */
export async function saved(page: Page, name: string | RegExp): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name }).first().click();
  const download = await coming;
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

/** The text of what has the focus. */
export const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.textContent);
