// The browser's page that a test gets has nothing of the test before, although it may be the same page (support/kept-pages.ts). The order
// of the tests matters here, because some leave a state behind and the next ones look for it.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { intercept, useBrowser } from "./support/browser.ts";
import { useSite } from "./support/site.ts";

const { open } = useBrowser();
const site = useSite();

/** What a page has that an earlier test could have left there. */
const stateOf = (page: Page) =>
  page.evaluate(async () => ({
    cookies: document.cookie,
    stored: localStorage.length + sessionStorage.length,
    size: [innerWidth, innerHeight],
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    intercepted: (await fetch("/", { method: "HEAD" })).status === 418,
    online: navigator.onLine,
    left: "left" in window,
  }));

let former: Page;
let formerTab: unknown;

/** The browser's id of the tab, which is different for each page. */
const tabOf = async (page: Page) => {
  const devTools = await page.context().newCDPSession(page);
  const { frameTree } = await devTools.send("Page.getFrameTree");
  return frameTree.frame.id;
};

describe("a page of the browser", () => {
  it("may be one of several that a test has", async () => {
    await open(site.url());
    await open(site.url());
  });

  it("may be left in any state by a test", async () => {
    former = await open(site.url(), { viewport: { width: 500, height: 400 }, colorScheme: "dark" });
    await former.evaluate(() => {
      localStorage.setItem("left", "1");
      sessionStorage.setItem("left", "1");
      Object.assign(window, { left: 1 });
    });
    await former.context().addCookies([{ name: "left", value: "1", url: site.url() }]);
    await intercept(former, site.url(), (route) => route.fulfill({ status: 418 }));
    former.on("request", () => {
      throw new Error("The listener of an earlier test is called.");
    });
    await former.context().setOffline(true);
    await former.context().setOffline(false);
    formerTab = await tabOf(former);
  });

  it("is handed on to the next test, with nothing that the test before left in it", async () => {
    const page = await open(site.url());
    expect(await stateOf(page)).toEqual({
      cookies: "",
      stored: 0,
      size: [1280, 720],
      dark: false,
      intercepted: false,
      online: true,
      left: false,
    });
    expect(await tabOf(page)).toBe(formerTab);
  });

  it("is refused to the test that had it before", () => {
    expect(() => former.url()).toThrow("The test that had this page is over.");
  });

  it("may be changed by a test in a way that cannot be undone, such as another clock", async () => {
    const page = await open(site.url());
    formerTab = await tabOf(page);
    await page.clock.install({ time: 0 });
  });

  it("is not handed on after such a change: the next test gets another page, with the right time", async () => {
    const page = await open(site.url());
    expect(await page.evaluate(() => new Date().getFullYear())).toBeGreaterThan(2000);
    expect(await tabOf(page)).not.toBe(formerTab);
  });
});
