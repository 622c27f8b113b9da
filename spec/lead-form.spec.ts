// The lead form in a real browser: what it asks for, and how it sends a lead. (Specification 4, 5, 7, 8.)
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import {
  insertPath,
  lead,
  press,
  shownHash,
  submitLeadPath,
  untilBannerFocused,
  useLeadForm,
} from "./support/lead-form.ts";
import { fillIn, formReady } from "./support/visitor.ts";

const { open, openHydrated, site } = useLeadForm();

describe("the lead form", () => {
  it("asks for four things and offers two boxes, by the labels of the specification", async () => {
    const page = await open(site.url());
    const fields = page.locator("form input:not([name=website], [type=hidden])");
    const asked = await fields.evaluateAll((inputs) =>
      (inputs as HTMLInputElement[]).map(({ name, type, required, labels }) => ({
        name,
        type,
        required,
        label: labels?.[0]?.textContent,
      })),
    );
    expect(asked).toEqual([
      { name: "name", type: "text", required: true, label: "Full Name *" },
      { name: "email", type: "email", required: true, label: "Email Address *" },
      { name: "phone", type: "tel", required: true, label: "Phone Number *" },
      { name: "zip_code", type: "text", required: true, label: "ZIP Code *" },
      { name: "has_medicare", type: "checkbox", required: false, label: "I have Medicare" },
      {
        name: "has_diabetes",
        type: "checkbox",
        required: false,
        label: "I have been diagnosed with diabetes",
      },
    ]);
    for (const { label } of asked) {
      expect(await page.getByLabel(label ?? "", { exact: true }).count()).toBe(1);
    }
    await page.getByRole("button", { name: "Check Your Eligibility Now", exact: true }).waitFor();
  });

  it("leaves the required check to the browser, and sends nothing while a field is empty", async () => {
    const page = await openHydrated();
    await fillIn(page, { ...lead, zip_code: "" });
    const refusing = page.getByLabel("ZIP Code *").evaluate(
      (input) =>
        new Promise<string>((resolve) => {
          input.addEventListener("invalid", () => resolve(input.id));
        }),
    );
    await press(page);
    expect(await refusing).toBe("zip_code");
    expect(await page.getByLabel("ZIP Code *").evaluate((input) => input === document.activeElement)).toBe(
      true,
    );
    expect(site.calls).toEqual([]);
  });

  it("has a honeypot that no person can see, reach or hear, and that the script does not send", async () => {
    const page = await openHydrated();
    const honeypot = page.locator("input[name=website]");
    expect(await honeypot.getAttribute("tabindex")).toBe("-1");
    expect(await page.locator("[aria-hidden=true] input[name=website]").count()).toBe(1);
    expect(await page.locator(".honeypot").boundingBox()).toMatchObject({ width: 1, height: 1 });
    const isThereToPress = await honeypot.evaluate((input) => {
      input.scrollIntoView({ block: "center" });
      const { x, y, width, height } = input.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === input;
    });
    expect(isThereToPress).toBe(false);
    expect(await page.getByRole("textbox").count()).toBe(4);
    await honeypot.evaluate((input: HTMLInputElement) => {
      input.value = "http://spam";
    });
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual(lead);
  });

  it("inserts the lead, then calls submit-lead, then goes to the thank-you page", async () => {
    const page = await openHydrated("/?utm_source=mail");
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    const [first, second] = site.calls;
    expect(site.calls.map(({ path }) => path)).toEqual([insertPath, submitLeadPath]);
    expect(JSON.parse(first?.body ?? "")).toEqual(lead);
    expect(first?.headers).toMatchObject({
      apikey: "sb_publishable_of_this_test",
      authorization: "Bearer sb_publishable_of_this_test",
      "content-type": "application/json",
      "x-permission-notice": shownHash,
      referer: site.url("/?utm_source=mail"),
    });
    expect(JSON.parse(second?.body ?? "")).toEqual(lead);
    expect(second?.headers).toMatchObject({
      authorization: "Bearer sb_publishable_of_this_test",
      "content-type": "application/json",
    });
    expect(second?.headers).not.toHaveProperty("apikey");
  });

  it("goes to the thank-you page once submit-lead has answered, and not before", async () => {
    const page = await open();
    // The two seconds after which the page goes on without an answer never pass.
    await page.addInitScript(() => {
      const { setTimeout } = window;
      const withoutTwoSeconds = (work: () => void, delay?: number) =>
        delay === 2_000 ? 0 : setTimeout(work, delay);
      Object.assign(window, { setTimeout: withoutTwoSeconds });
    });
    const [called, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await intercept(page, `**${submitLeadPath}`, async (route) => {
      called.resolve();
      await answered.promise;
      await route.continue();
    });
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await fillIn(page, lead);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await press(page);
    await called.promise;
    // Waits for a later request of the page: one for the thank-you page would have been sent before it.
    await page.evaluate(() => fetch("/robots.txt").then((answer) => answer.text()));
    expect(asked).not.toContain("/thank-you");
    answered.resolve();
    await page.waitForURL("**/thank-you");
  });

  it("sends from an old phone, whose browser lacks what newer ones have", async () => {
    const page = await open();
    await page.addInitScript(() => {
      Reflect.deleteProperty(AbortSignal, "timeout");
      Reflect.deleteProperty(AbortSignal, "any");
      Reflect.deleteProperty(Object, "hasOwn");
      Reflect.deleteProperty(Array.prototype, "at");
      Reflect.deleteProperty(String.prototype, "isWellFormed");
    });
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(site.calls.map(({ path }) => path)).toEqual([insertPath, submitLeadPath]);
  });

  it("sends by the Enter key as by the button", async () => {
    const page = await openHydrated();
    await fillIn(page, lead);
    await page.getByLabel("ZIP Code *").press("Enter");
    await page.waitForURL("**/thank-you");
    expect(site.calls.map(({ path }) => path)).toEqual([insertPath, submitLeadPath]);
  });

  it("disables the button and says Submitting... while it waits", async () => {
    site.reply(insertPath, "hang");
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    const busy = page.getByRole("button", { name: "Submitting...", exact: true });
    await busy.waitFor();
    expect(await busy.isDisabled()).toBe(true);
    expect(await page.getByRole("status").textContent()).toBe("Sending your answers. Please wait.");
    await expect.poll(() => site.calls).toHaveLength(1);
    await page.getByLabel("ZIP Code *").press("Enter");
    // Waits for a later request of the page: one that the Enter key had caused would have arrived before it.
    await page.evaluate(() => fetch("/robots.txt").then((answer) => answer.text()));
    expect(site.calls).toHaveLength(1);
  });

  it("takes no correction while it waits, because the lead that is on its way would not have it, and takes it again once refused", async () => {
    const answered = Promise.withResolvers<void>();
    const page = await openHydrated();
    await intercept(page, `**${insertPath}**`, async (route) => {
      await answered.promise;
      await route.fulfill({ status: 503, body: "{}" });
    });
    await fillIn(page, lead);
    await press(page);
    await page.getByRole("button", { name: "Submitting...", exact: true }).waitFor();
    const change = async () => {
      await page.getByLabel("ZIP Code *").press("End");
      await page.keyboard.type("!");
      await page.getByLabel("I have Medicare").focus();
      await page.keyboard.press("Space");
      await page.getByLabel("I have been diagnosed with diabetes").dispatchEvent("click");
      return [
        await page.getByLabel("ZIP Code *").inputValue(),
        await page.getByLabel("I have Medicare").isChecked(),
        await page.getByLabel("I have been diagnosed with diabetes").isChecked(),
      ];
    };
    expect(await change()).toEqual(["K1A 0B1", true, false]);
    answered.resolve();
    await untilBannerFocused(page);
    expect(await change()).toEqual(["K1A 0B1!", false, true]);
  });

  it.each([
    ["is refused", { status: 401, body: '{"message":"Invalid JWT"}' }],
    ["is cut off", "hang up" as const],
    ["never answers", "hang" as const],
  ])("goes to the thank-you page when submit-lead %s", async (_, reply) => {
    site.reply(submitLeadPath, reply);
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
  });

  it("never puts a field into the URL", async () => {
    const page = await open();
    const urls: string[] = [];
    page.on("request", (request) => urls.push(request.url()));
    await page.goto(site.url());
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(urls.join("\n")).not.toMatch(/Ann|example\.org|after|K1A|has_medicare|has_diabetes/);
  });

  it.each([
    [
      "is near the view",
      (page: Page) => page.getByRole("heading", { name: "Find Out If You Qualify" }).scrollIntoViewIfNeeded(),
    ],
    [
      "gets the focus",
      (page: Page) =>
        page.getByLabel("Full Name *").evaluate((input) => input.focus({ preventScroll: true })),
    ],
  ])("loads the script only when the form %s", async (_, approach) => {
    const page = await open();
    const scripts: string[] = [];
    page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(site.url(), { waitUntil: "networkidle" });
    expect(scripts).toEqual([]);
    await approach(page);
    await formReady(page);
    expect(scripts).toHaveLength(1);
  });
});
