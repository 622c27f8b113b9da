// The inbox's pages in a browser: opened as a member who is signed in, or with a virtual authenticator for passkeys.
import type { Browser, ElementHandle, Locator, Page } from "playwright-core";
import { pageTimeout } from "./browser.ts";
import type { TestInbox, TestMember } from "./inbox.ts";

type Context = Parameters<Browser["newContext"]>[0];

/** Opens a page of the inbox as a member who is signed in. */
export async function openAs(
  browser: Browser,
  { url }: TestInbox,
  { cookie }: Pick<TestMember, "cookie">,
  path = "/",
  options: Context = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  await context.addInitScript(recordAnnouncements);
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  page.setDefaultTimeout(pageTimeout);
  await page.goto(`${url}${path}`);
  return page;
}

/** Runs in the page. An announcement goes after some seconds, which may be before anybody has looked. */
function recordAnnouncements(): void {
  const said: string[] = [];
  Object.assign(window, { said });
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      if (target instanceof Element && target.matches("[role=status]"))
        for (const added of addedNodes) said.push(added.textContent ?? "");
  }).observe(document, { childList: true, subtree: true });
}

/** What a page that was opened by `openAs` has said to a screen reader since it was loaded. */
export const said = (page: Page) => page.evaluate(() => Reflect.get(window, "said") as string[]);

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

/** Stops a page's clock some seconds ahead: fewer than those without a sign of life after which it opens its event stream anew. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 20_000);
}
