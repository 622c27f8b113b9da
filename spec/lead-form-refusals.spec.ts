// What the lead form shows when its lead is refused, or when the backend fails or does not answer: the banner, the field, and what was
// typed. (Specification 4.)
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { completeProvider } from "../content/provider.ts";
import { intercept } from "./support/browser.ts";
import {
  insertPath,
  lead,
  message,
  press,
  refusal,
  typed,
  untilBannerFocused,
  useLeadForm,
} from "./support/lead-form.ts";
import { fillIn, formReady } from "./support/visitor.ts";

const { open, openHydrated, site } = useLeadForm();
const { provider } = completeProvider({});

describe("the lead form, when its lead is not taken,", () => {
  it("shows the server's message in a red banner that takes the focus, and keeps what was typed", async () => {
    site.reply(insertPath, refusal("Please fill in your name."));
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await untilBannerFocused(page);
    const banner = page.getByRole("alert");
    expect(await banner.locator("p").allInnerTexts()).toEqual([
      "Please fill in your name.",
      `What you typed is still here. You can press the button again. Or call us at ${provider.phone}.`,
    ]);
    expect(await banner.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe("rgb(138, 18, 18)");
    expect(await page.title()).toMatch(/^Error: Sponsored/);
    expect(await typed(page)).toEqual(lead);
    expect(await page.getByRole("button", { name: "Check Your Eligibility Now" }).isEnabled()).toBe(true);
    expect(site.calls.map(({ path }) => path)).toEqual([insertPath]);
  });

  it.each([true, false])(
    "links from the banner to the field that a refusal names, which shows the same sentence, with script: %s",
    async (javaScriptEnabled) => {
      const sentence = "Please enter your phone number.";
      site.reply(insertPath, refusal(sentence));
      const page = await open(undefined, { javaScriptEnabled });
      const refused = site.site().article({ lead, message: sentence, language: "en" });
      await intercept(page, site.url(), (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 400, headers: refused.headers, body: refused.body })
          : route.continue(),
      );
      await page.goto(site.url());
      if (javaScriptEnabled) {
        await page.getByLabel("Full Name *").focus();
        await formReady(page);
      }
      await fillIn(page, lead);
      await press(page);
      const link = page.getByRole("alert").getByRole("link", { name: sentence });
      await link.waitFor();
      const phone = page.getByLabel("Phone Number *");
      expect(await phone.getAttribute("aria-invalid")).toBe("true");
      const described = `#${await phone.getAttribute("aria-describedby")}`;
      expect(await page.locator(described).innerText()).toBe(sentence);
      expect(await page.locator("[aria-invalid]").count()).toBe(1);
      await link.click();
      await expect.poll(() => phone.evaluate((one) => one === document.activeElement)).toBe(true);
      await page.waitForURL(site.url("/#phone"));
    },
  );

  it("clears the error of a field once the form is sent again", async () => {
    site.reply(insertPath, refusal("Please enter your phone number."));
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await untilBannerFocused(page);
    site.reply(insertPath, "hang");
    await press(page);
    await page.getByRole("button", { name: "Submitting..." }).waitFor();
    expect(await page.locator("[aria-invalid], .wrong").count()).toBe(0);
  });

  it("takes away the banner and the “Error” in the title once the form is sent again", async () => {
    site.reply(insertPath, refusal("Not now."));
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await untilBannerFocused(page);
    site.reply(insertPath, "hang");
    await press(page);
    await page.getByRole("button", { name: "Submitting..." }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await page.title()).not.toMatch(/^Error/);
  });

  it("focuses the banner again when the same error comes twice", async () => {
    site.reply(insertPath, refusal("Not now."));
    const page = await openHydrated();
    await fillIn(page, lead);
    for (const time of [1, 2]) {
      await press(page);
      await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "alert");
      expect(site.calls).toHaveLength(time);
    }
  });

  it("says “Failed to submit. Please try again.” when the failure has no message", async () => {
    const page = await openHydrated();
    await fillIn(page, lead);
    for (const [answered, reply] of Object.entries(withoutMessage)) {
      site.reply(insertPath, reply);
      await press(page);
      await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "alert");
      expect(await message(page), answered).toBe("Failed to submit. Please try again.");
      await page.getByLabel("Full Name *").focus();
    }
    expect(site.calls).toHaveLength(Object.keys(withoutMessage).length);
    expect(await typed(page)).toEqual(lead);
  });

  it.each([
    [
      "the login page of a network",
      { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" },
    ],
    ["a page that the request is redirected to", { status: 302, headers: { location: "/thank-you" } }],
  ])("does not take %s for a stored lead", async (_, reply) => {
    site.reply(insertPath, reply);
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    expect(await page.getByRole("alert").textContent()).toContain("Failed to submit. Please try again.");
    expect(await typed(page)).toEqual(lead);
  });

  it("says in plain words that the server did not answer when there is no network", async () => {
    const page = await openHydrated();
    await fillIn(page, lead);
    await page.context().setOffline(true);
    await press(page);
    await untilBannerFocused(page);
    expect(await message(page)).toBe(
      "We could not reach the server. Please check your internet connection and try again.",
    );
    expect(await typed(page)).toEqual(lead);
    await page.context().setOffline(false);
    await press(page);
    await page.waitForURL("**/thank-you");
  });

  it("stays busy for 30 seconds when no answer comes, also after an earlier press, and then says that the server did not answer", async () => {
    const page = await open();
    await page.clock.install();
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await fillIn(page, lead);
    site.reply(insertPath, { status: 400, body: '{"message":"Please enter your full name."}' });
    await press(page);
    await untilBannerFocused(page);
    site.reply(insertPath, "hang");
    await page.clock.runFor(15_000);
    await press(page);
    // 15 more seconds would be 30 since the earlier press.
    for (const seconds of [16, 13.5]) {
      await page.clock.runFor(seconds * 1_000);
      expect(await page.getByRole("button", { name: "Submitting...", exact: true }).isDisabled()).toBe(true);
    }
    await page.clock.runFor(1_000);
    expect(await page.getByRole("alert").textContent()).toContain("We could not reach the server.");
  });

  /** Submits, and stops the thank-you page on its way as the browser's own button does. */
  async function stopThankYouPage(): Promise<Page> {
    const page = await open();
    const thankYouAsked = Promise.withResolvers<void>();
    await intercept(page, "**/robots.txt", (route) => thankYouAsked.promise.then(() => route.continue()));
    await page.clock.install();
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await fillIn(page, lead);
    // The page stops itself when it gets an answer that waits for this, because Playwright runs nothing in a page that loads another one.
    await page.evaluate(() => void fetch("/robots.txt").then(() => window.stop()));
    await intercept(page, "**/thank-you", () => thankYouAsked.resolve());
    const stopped = page.waitForEvent("requestfailed", (request) => request.url() === site.url("/thank-you"));
    await press(page);
    await stopped;
    await page.clock.runFor(1_000);
    await page.getByRole("button", { name: "Submitting..." }).waitFor();
    return page;
  }

  it("can be pressed again when the visitor has stopped a thank-you page that took too long", async () => {
    const page = await stopThankYouPage();
    await page.clock.runFor(21_000);
    const idle = page.getByRole("button", { name: "Check Your Eligibility Now" });
    await idle.waitFor();
    expect(await idle.isEnabled()).toBe(true);
    expect(await typed(page)).toEqual(lead);
  });

  it("stays busy when it is pressed again before a stopped thank-you page counts as stopped", async () => {
    const page = await stopThankYouPage();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    site.reply(insertPath, "hang");
    await press(page);
    await page.clock.runFor(21_000);
    expect(await page.getByRole("button", { name: "Submitting...", exact: true }).isDisabled()).toBe(true);
  });

  it("sends the second time without the key when the page's key is no longer known", async () => {
    site.reply(insertPath, { status: 401, body: '{"message":"Please press the button once more."}' });
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await untilBannerFocused(page);
    expect(await page.getByRole("alert").textContent()).toContain(
      "What you typed is still here. You can press the button again.",
    );
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(site.calls.map(({ path }) => path)).toEqual([insertPath, "/"]);
    expect(Object.fromEntries(new URLSearchParams(site.calls[1]?.body))).toMatchObject({
      name: lead.name,
      phone: lead.phone,
    });
  });
});

const withoutMessage = {
  "an HTML page from a proxy": {
    status: 502,
    headers: { "content-type": "text/html" },
    body: "<h1>Bad Gateway</h1>",
  },
  "HTML that calls itself JSON": {
    status: 502,
    headers: { "content-type": "application/json" },
    body: "<h1>No</h1>",
  },
  "JSON without a message": { status: 400, body: '{"error":"x"}' },
  "a JSON string": { status: 400, body: '"no"' },
  null: { status: 400, body: "null" },
  "a message that is no text": { status: 400, body: '{"message":{"a":1}}' },
  "a blank message": { status: 500, body: '{"message":" "}' },
  "an empty 404": { status: 404 },
  "a 404 with a list": { status: 404, body: "[]" },
  "an empty 500": { status: 500 },
};
