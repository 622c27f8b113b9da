// The lead form in a browser, with a backend that answers as each test needs: how the chapters about the form open it, press its button
// and read what it shows.
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeEach } from "vitest";
import { permissionNotices } from "../../content/permission.ts";
import { intercept, useBrowser } from "./browser.ts";
import { pageSettings, useSite } from "./site.ts";
import { formReady } from "./visitor.ts";

/** The paths of the form's two calls. */
export const insertPath = "/rest/v1/leads";
export const submitLeadPath = "/functions/v1/submit-lead";

/** A lead whose phone and ZIP code are not what one expects: the form takes whatever a person types. */
export const lead = {
  name: "Ann Lee",
  email: "ann@example.org",
  phone: "call me after 5pm",
  zip_code: "K1A 0B1",
  has_medicare: true,
  has_diabetes: false,
};

/** The hash that the page states of its notice. */
export const shownHash = createHash("sha256")
  .update(permissionNotices(pageSettings)[0]?.text ?? "")
  .digest("hex");

/** A browser and the site for a chapter. Each test begins with no call recorded and a backend that takes the lead. */
export function useLeadForm(kind?: Parameters<typeof useBrowser>[0]) {
  const { open } = useBrowser(kind);
  const site = useSite();
  beforeEach(() => site.reset());
  return {
    open,
    site,
    /** Opens the page and waits until its script has hydrated the form. */
    async openHydrated(path = "/"): Promise<Page> {
      const page = await open(site.url(path));
      await page.getByLabel("Full Name *").focus();
      await formReady(page);
      return page;
    },
  };
}

/** Holds the form's script back until the returned function is called. The returned function does not wait for the script to arrive. */
export async function holdScript(page: Page): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  await intercept(page, /\/assets\/form-/, async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  return async () => {
    // Has the page ask for the script, which it otherwise does only near the form or at a touch. The page may be left at this moment.
    await page
      .evaluate(() =>
        document.querySelector("#name")?.dispatchEvent(new FocusEvent("focusin", { bubbles: true })),
      )
      .catch(() => {});
    held.resolve();
  };
}

/** What the fields hold. */
export const typed = async (page: Page) => ({
  name: await page.getByLabel("Full Name *").inputValue(),
  email: await page.getByLabel("Email Address *").inputValue(),
  phone: await page.getByLabel("Phone Number *").inputValue(),
  zip_code: await page.getByLabel("ZIP Code *").inputValue(),
  has_medicare: await page.getByLabel("I have Medicare").isChecked(),
  has_diabetes: await page.getByLabel("I have been diagnosed with diabetes").isChecked(),
});

/** Presses the form's only button, and does not wait for the page that comes. */
export const press = (page: Page) => page.getByRole("button").click({ noWaitAfter: true });

/**
 * Resolves when the banner of a refusal has the focus: a moment after it appears, and at the moment when the page's title begins with
 * “Error”.
 */
export const untilBannerFocused = (page: Page) => page.locator("[role=alert]:focus").waitFor();

/** The sentence that the banner shows. */
export const message = (page: Page) => page.getByRole("alert").locator(".message").innerText();

/** A refusal as the REST API (PostgREST) gives it. */
export const refusal = (text: string) => ({
  status: 400,
  body: JSON.stringify({ code: "23514", message: text, details: null, hint: null }),
});
