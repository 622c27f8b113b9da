// The lead form before its script has loaded, and without a script: the form posts by itself, and the script keeps what was typed.
// (Specification 4.)
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import {
  holdScript,
  lead,
  message,
  press,
  shownHash,
  submitLeadPath,
  typed,
  untilBannerFocused,
  useLeadForm,
} from "./support/lead-form.ts";
import { fillIn, formReady } from "./support/visitor.ts";

const { open, site } = useLeadForm();

describe("the lead form before its script", () => {
  it("posts itself without JavaScript, with the fields named as the lead's", async () => {
    const page = await open(site.url(), { javaScriptEnabled: false });
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    const [post] = site.calls;
    expect(post).toMatchObject({ method: "POST", path: "/" });
    expect(post?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(post?.body))).toEqual({
      name: lead.name,
      email: lead.email,
      phone: lead.phone,
      zip_code: lead.zip_code,
      has_medicare: "true",
      website: "",
      language: "en",
      notice: shownHash,
    });
  });

  it("keeps what was typed, ticked and focused when the script arrives", async () => {
    const page = await open();
    const arrive = await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await page.getByLabel("Phone Number *").focus();
    await arrive();
    await formReady(page);
    expect(await typed(page)).toEqual(lead);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("phone");
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual(lead);
  });

  it.each(Object.entries(changes))(
    "keeps what was typed, and still posts by itself, when the script arrives after %s has changed the form",
    async (_, change) => {
      const page = await open();
      const arrive = await holdScript(page);
      await page.goto(site.url(), { waitUntil: "domcontentloaded" });
      await fillIn(page, lead);
      await page.getByLabel("Phone Number *").focus();
      await page.evaluate(change);
      const came = page.waitForResponse(/\/assets\/form-/);
      await Promise.all([arrive(), came]);
      await page.evaluate(onceTheScriptHasRun);
      expect(await typed(page)).toEqual(lead);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("phone");
      await press(page);
      await page.waitForURL("**/thank-you");
      expect(site.calls[0]).toMatchObject({ method: "POST", path: "/" });
    },
  );

  it.each([
    ["", "Submitting..."],
    [", also where the browser has translated the button", "Wird gesendet..."],
  ])(
    "lets its button be pressed again when the visitor has stopped a post of its own that took too long%s",
    async (_, words) => {
      site.reply("/", "hang");
      const page = await open();
      await holdScript(page);
      await page.clock.install();
      await page.goto(site.url(), { waitUntil: "domcontentloaded" });
      await fillIn(page, lead);
      await page.evaluate(() => {
        document.addEventListener("submit", () => void fetch("/robots.txt").then(() => window.stop()));
      });
      const stopped = page.waitForRequest(/robots/).then((request) => request.response());
      await press(page);
      await stopped;
      await page.clock.runFor(1_000);
      await page.getByRole("button", { name: "Submitting..." }).waitFor();
      await page.locator("form button").evaluate((button, text) => {
        button.textContent = text;
      }, words);
      await page.clock.runFor(20_000);
      const idle = page.getByRole("button", { name: "Check Your Eligibility Now" });
      await idle.waitFor();
      expect(await idle.isEnabled()).toBe(true);
      expect(await typed(page)).toEqual(lead);
    },
  );

  it("neither loses nor doubles the lead when the button is pressed while the script arrives", async () => {
    const page = await open();
    const arrive = await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await Promise.all([press(page), arrive()]);
    await page.waitForURL("**/thank-you");
    const stored = site.calls.filter(({ path }) => path !== submitLeadPath);
    expect(stored).toHaveLength(1);
    expect(stored[0]?.body).toContain("Ann");
  });

  it("is not taken over by a script that arrives after the form has begun to post by itself", async () => {
    site.reply("/", "hang");
    const page = await open();
    const release = Promise.withResolvers<void>();
    await intercept(page, /\/assets\/form-/, async (route) => {
      await release.promise;
      await route.continue();
    });
    // The page cannot be queried while its post is under way, so it reports to the console.
    await page.addInitScript(() => {
      let looks = 0;
      setInterval(() => {
        if (performance.getEntriesByType("resource").some(({ name }) => /\/form-/.test(name))) looks += 1;
        const isReady = document.querySelector("#lead-form")?.hasAttribute("data-ready");
        if (looks === 10) console.debug(`hydrated: ${isReady}`);
      }, 20);
    });
    const logged = page.waitForEvent("console", (message) => message.text().startsWith("hydrated"));
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await press(page);
    release.resolve();
    expect((await logged).text()).toBe("hydrated: false");
    expect(site.calls.map(({ path }) => path)).toEqual(["/"]);
  });

  it("leads the reader to the banner of a refused post of its own also where the browser passes over autofocus, as on an iPhone", async () => {
    const page = await open();
    await page.setViewportSize({ width: 390, height: 844 });
    const refused = site
      .site()
      .article({ lead: { ...lead, zip_code: "" }, message: "Please enter your ZIP code." });
    const body = String(refused.body).replace(/ autofocus=""/i, "");
    await intercept(page, site.url(), (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 400, headers: refused.headers, body })
        : route.continue(),
    );
    const arrive = await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await press(page);
    const banner = page.getByRole("alert");
    await banner.waitFor();
    expect(await banner.getAttribute("autofocus")).toBeNull();
    await untilBannerFocused(page);
    const { y = -1 } = (await banner.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThan(700);
    await arrive();
  });

  it.each([
    [320, 568, true],
    [360, 640, true],
    [320, 568, false],
    [360, 640, false],
  ])(
    "shows all of the message of a refused post of its own on a phone of %i × %i pixels, with a script or without: %s",
    async (width, height, javaScriptEnabled) => {
      const page = await open("about:blank", { javaScriptEnabled, viewport: { width, height } });
      const refused = site.site().article({ lead, message: "Please enter your full name.", language: "en" });
      await intercept(page, site.url(), (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 400, headers: refused.headers, body: refused.body })
          : route.continue(),
      );
      await intercept(page, /\/assets\/form-/, (route) => route.abort());
      await page.goto(site.url(), { waitUntil: "domcontentloaded" });
      await fillIn(page, lead);
      await press(page);
      await page.getByRole("alert").waitFor();
      const box = () => page.locator(".banner .message").boundingBox();
      await expect.poll(async () => (await box())?.y ?? -1).toBeGreaterThanOrEqual(0);
      const { y = 0, height: tall = 0 } = (await box()) ?? {};
      expect(y + tall).toBeLessThanOrEqual(height);
      // The message leads to the field, with its label and what is wrong above it.
      await page.locator(".banner .message a").click();
      for (const above of ["label[for=name]", ".wrong"])
        await expect
          .poll(async () => (await page.locator(above).boundingBox())?.y ?? -1)
          .toBeGreaterThanOrEqual(0);
    },
  );

  it("keeps the banner, everything typed and the campaign's words after a refused post of its own, also when the script arrives", async () => {
    const page = await open();
    const refused = site.site().article({
      lead: { ...lead, zip_code: "" },
      message: "Please enter your ZIP code.",
      language: "en",
      campaign: "utm_source=facebook&utm_campaign=spring%20sale",
    });
    await intercept(page, site.url(), (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 400, headers: refused.headers, body: refused.body })
        : route.continue(),
    );
    const arrive = await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await press(page);
    await page.getByRole("alert").waitFor();
    const shown = async () => {
      expect(await message(page)).toBe("Please enter your ZIP code.");
      expect(await page.title()).toMatch(/^Error: Sponsored/);
      expect(await typed(page)).toEqual({ ...lead, zip_code: "" });
    };
    await shown();
    // The browser moves the focus to the banner in its next frame.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("alert");
    await arrive();
    await formReady(page);
    await shown();
    site.reset();
    await page.getByLabel("ZIP Code *").fill("12345");
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual({ ...lead, zip_code: "12345" });
    // The page that answers a post has an address without the campaign's words. It holds them itself, and its script sends them.
    expect(site.calls[0]?.headers.referer).toBe(
      `${site.url()}?utm_source=facebook&utm_campaign=spring%20sale`,
    );
  });

  it("clears the old error when it posts by itself again", async () => {
    const page = await open();
    const refused = site.site().article({ lead, message: "Please try again." });
    let posts = 0;
    await intercept(page, site.url(), (route) => {
      if (route.request().method() !== "POST") return route.continue();
      posts += 1;
      return posts > 1
        ? undefined
        : route.fulfill({ status: 503, headers: refused.headers, body: refused.body });
    });
    await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await press(page);
    await untilBannerFocused(page);
    // The page cannot be queried while its post is under way, so it reports to the console.
    await page.evaluate(() => {
      const report = () => {
        const alerts = document.querySelectorAll("[role=alert]").length;
        if (document.querySelector("button")?.disabled) console.debug(`${alerts} alerts, ${document.title}`);
      };
      new MutationObserver(report).observe(document, { subtree: true, childList: true });
    });
    const logged = page.waitForEvent("console");
    await press(page);
    expect((await logged).text()).toMatch(/^0 alerts, Sponsored/);
  });
});

/** A string, because Vitest would rewrite the `import` of a function. */
const onceTheScriptHasRun = `(async () => {
  await import(performance.getEntriesByType("resource").find(({ name }) => name.includes("/form-")).name);
  await new Promise(requestIdleCallback);
})()`;

/** What a browser or an extension changes in a page before the script has loaded. */
const changes = {
  "a translation": () => {
    for (const label of document.querySelectorAll("form label, form legend, form p")) {
      const text = [...label.childNodes].find(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      );
      const font = document.createElement("font");
      if (text) text.replaceWith(Object.assign(font, { textContent: `[${text.textContent}]` }));
    }
  },
  "a password manager": () => {
    for (const input of document.querySelectorAll("form input")) input.after(document.createElement("div"));
  },
};
