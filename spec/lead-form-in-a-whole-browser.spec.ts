// The lead form where only a whole browser shows it: what is in view after a refusal, and a visitor who comes back from the thank-you
// page. (Specification 4.)
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import {
  holdScript,
  insertPath,
  lead,
  press,
  refusal,
  typed,
  untilBannerFocused,
  useLeadForm,
} from "./support/lead-form.ts";
import { fillIn } from "./support/visitor.ts";

const { open, openHydrated, site } = useLeadForm("whole browser");

describe("the lead form in a whole browser", () => {
  it.each([
    [390, 780],
    [412, 840],
    [1280, 800],
  ])("shows the banner and the button that it speaks of together, at %i by %i px", async (width, height) => {
    site.reply(insertPath, refusal("Please try again."));
    const page = await openHydrated();
    await page.setViewportSize({ width, height });
    await fillIn(page, lead);
    // The button is at the bottom edge of the view when it is pressed.
    await page.evaluate(() => document.querySelector("button")?.scrollIntoView({ block: "end" }));
    await press(page);
    await untilBannerFocused(page);
    const boxes = await page.evaluate(() =>
      ["[role=alert]", "button"].map((one) => document.querySelector(one)?.getBoundingClientRect()),
    );
    expect(boxes[0]?.top).toBeGreaterThanOrEqual(0);
    expect(boxes[1]?.bottom).toBeLessThanOrEqual(height);
  });

  it("is idle again, with everything typed, when the browser restores it from the back/forward cache", async () => {
    const page = await openHydrated();
    await page.evaluate(() =>
      addEventListener("pageshow", (event) => Object.assign(window, { kept: event.persisted })),
    );
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    await page.goBack({ waitUntil: "commit" });
    await page.waitForFunction(() => "kept" in window);
    expect(await page.evaluate(() => Reflect.get(window, "kept")), "the page came out of the cache").toBe(
      true,
    );
    const idle = page.getByRole("button", { name: "Check Your Eligibility Now" });
    await idle.waitFor();
    expect(await idle.isEnabled()).toBe(true);
    expect(await typed(page)).toEqual(lead);
  });

  it("says Submitting... while its plain post is under way, and is idle again for a visitor who comes back", async () => {
    const page = await open();
    await holdScript(page);
    const answer = Promise.withResolvers<void>();
    await intercept(page, site.url(), async (route) => {
      if (route.request().method() === "POST") await answer.promise;
      await route.continue();
    });
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    // The page cannot be queried while its post is under way, so it reports to the console.
    await page.evaluate(() => {
      const [button, status] = [document.querySelector("button"), document.querySelector("[role=status]")];
      new MutationObserver(() => {
        if (status?.textContent) console.debug(button?.textContent, button?.disabled, status.textContent);
      }).observe(document, { subtree: true, childList: true });
    });
    const logged = page.waitForEvent("console");
    await press(page);
    expect((await logged).text()).toBe("Submitting... true Sending your answers. Please wait.");
    answer.resolve();
    await page.waitForURL("**/thank-you");
    await page.goBack({ waitUntil: "commit" });
    const idle = page.getByRole("button", { name: "Check Your Eligibility Now", exact: true });
    await idle.waitFor();
    expect(await idle.isEnabled()).toBe(true);
  });
});
