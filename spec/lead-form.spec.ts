// The lead form in a real browser, with a backend that answers as each test needs. (Specification 4, 5, 7, 8.)
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { permissionNotices } from "../content/permission.ts";
import { completeProvider } from "../content/provider.ts";
import { useBrowser } from "./support/browser.ts";
import { pageSettings, useSite } from "./support/site.ts";
import { fillIn, formReady } from "./support/visitor.ts";

const { open } = useBrowser();
const site = useSite();
const { provider } = completeProvider({});
/** The hash of the notice as the page shows it. */
const shownHash = createHash("sha256")
  .update(permissionNotices(pageSettings)[0]?.text ?? "")
  .digest("hex");

const insert = "/rest/v1/leads";
const submitLead = "/functions/v1/submit-lead";
const lead = {
  name: "Ann Lee",
  email: "ann@example.org",
  phone: "call me after 5pm",
  zip_code: "K1A 0B1",
  has_medicare: true,
  has_diabetes: false,
};

beforeEach(() => site.reset());

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

  it("leaves the required check to the browser, and sends nothing while a line is empty", async () => {
    const page = await openHydrated();
    await fillIn(page, { ...lead, zip_code: "" });
    await press(page);
    expect(await page.getByLabel("ZIP Code *").evaluate((input) => input === document.activeElement)).toBe(
      true,
    );
    expect(site.calls).toEqual([]);
  });

  it("inserts the lead, then calls submit-lead, then goes to the thank-you page", async () => {
    const page = await openHydrated("/?utm_source=mail");
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    const [first, second] = site.calls;
    expect(site.calls.map(({ path }) => path)).toEqual([insert, submitLead]);
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
    expect(site.calls.map(({ path }) => path)).toEqual([insert, submitLead]);
  });

  it("sends by the Enter key as by the button", async () => {
    const page = await openHydrated();
    await fillIn(page, lead);
    await page.getByLabel("ZIP Code *").press("Enter");
    await page.waitForURL("**/thank-you");
    expect(site.calls.map(({ path }) => path)).toEqual([insert, submitLead]);
  });

  it("disables the button and says Submitting... while it waits", async () => {
    site.reply(insert, "hang");
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

  it("shows the server's message in a red banner that takes the focus, and keeps what was typed", async () => {
    site.reply(insert, refusal("Please fill in your name."));
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    const banner = page.getByRole("alert");
    await banner.waitFor();
    expect(await banner.locator("p").allInnerTexts()).toEqual([
      "Please fill in your name.",
      `What you typed is still here. You can press the button again. Or call us at ${provider.phone}.`,
    ]);
    expect(await banner.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await banner.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe("rgb(138, 18, 18)");
    expect(await page.title()).toMatch(/^Error: Sponsored/);
    expect(await typed(page)).toEqual(lead);
    expect(await page.getByRole("button", { name: "Check Your Eligibility Now" }).isEnabled()).toBe(true);
    expect(site.calls.map(({ path }) => path)).toEqual([insert]);
  });

  it.each([true, false])(
    "links from the banner to the field that a refusal names, and the field says so itself, with script: %s",
    async (javaScriptEnabled) => {
      const message = "Please enter your phone number.";
      site.reply(insert, refusal(message));
      const page = await open(undefined, { javaScriptEnabled });
      const refused = site.site().article({ lead, message, language: "en" });
      await page.route(site.url(), (route) =>
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
      const link = page.getByRole("alert").getByRole("link", { name: message });
      await link.waitFor();
      const phone = page.getByLabel("Phone Number *");
      expect(await phone.getAttribute("aria-invalid")).toBe("true");
      const described = `#${await phone.getAttribute("aria-describedby")}`;
      expect(await page.locator(described).innerText()).toBe(message);
      expect(await page.locator("[aria-invalid]").count()).toBe(1);
      await link.click();
      expect(await phone.evaluate((one) => one === document.activeElement)).toBe(true);
      expect(page.url()).toBe(site.url("/#phone"));
    },
  );

  it("clears the error of a field once the form is sent again", async () => {
    site.reply(insert, refusal("Please enter your phone number."));
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await page.getByRole("alert").waitFor();
    site.reply(insert, "hang");
    await press(page);
    await page.getByRole("button", { name: "Submitting..." }).waitFor();
    expect(await page.locator("[aria-invalid], .wrong").count()).toBe(0);
  });

  it("clears the old error at each new submit, and succeeds when the server does", async () => {
    site.reply(insert, refusal("Not now."));
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    await page.getByRole("alert").waitFor();
    site.reply(insert, "hang");
    await press(page);
    await page.getByRole("button", { name: "Submitting..." }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await page.title()).not.toMatch(/^Error/);
  });

  it("focuses the banner again when the same error comes twice", async () => {
    site.reply(insert, refusal("Not now."));
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
      site.reply(insert, reply);
      await press(page);
      await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "alert");
      expect(await message(page), answered).toBe("Failed to submit. Please try again.");
      await page.getByLabel("Full Name *").focus();
    }
    expect(site.calls).toHaveLength(Object.keys(withoutMessage).length);
    expect(await typed(page)).toEqual(lead);
  });

  it("says in plain words that the server did not answer when there is no network", async () => {
    const page = await openHydrated();
    await fillIn(page, lead);
    await page.context().setOffline(true);
    await press(page);
    await page.getByRole("alert").waitFor();
    expect(await message(page)).toBe(
      "We could not reach the server. Please check your internet connection and try again.",
    );
    expect(await typed(page)).toEqual(lead);
    await page.context().setOffline(false);
    await press(page);
    await page.waitForURL("**/thank-you");
  });

  it.each([
    ["is refused", { status: 401, body: '{"message":"Invalid JWT"}' }],
    ["is cut off", "hang up" as const],
    ["never answers", "hang" as const],
  ])("goes to the thank-you page when submit-lead %s", async (_, reply) => {
    site.reply(submitLead, reply);
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
    expect(urls.join("\n")).not.toMatch(/Ann|example\.org|after|K1A/);
  });
});

describe("the lead form in a whole browser", () => {
  const { open } = useBrowser("whole browser");

  it.each([
    [390, 780],
    [412, 840],
    [1280, 800],
  ])("shows the banner and the button that it speaks of together, at %i by %i px", async (width, height) => {
    site.reply(insert, refusal("Please try again."));
    const page = await openHydrated("/", open);
    await page.setViewportSize({ width, height });
    await fillIn(page, lead);
    // The button is at the bottom edge of the view when it is pressed.
    await page.evaluate(() => document.querySelector("button")?.scrollIntoView({ block: "end" }));
    await press(page);
    await page.getByRole("alert").waitFor();
    const ends = await page.evaluate(() =>
      ["[role=alert]", "button"].map((one) => document.querySelector(one)?.getBoundingClientRect()),
    );
    expect(ends[0]?.top).toBeGreaterThanOrEqual(0);
    expect(ends[1]?.bottom).toBeLessThanOrEqual(height);
  });

  it("is idle again, with everything typed, when the browser restores it from the back/forward cache", async () => {
    const page = await openHydrated("/", open);
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
    await page.getByRole("button", { name: "Check Your Eligibility Now" }).waitFor();
    expect(await typed(page)).toEqual(lead);
  });

  it("says Submitting... while its plain post is under way, and is idle again for a visitor who comes back", async () => {
    const page = await open();
    await holdScript(page);
    const answer = Promise.withResolvers<void>();
    await page.route(site.url(), async (route) => {
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

  it("has a honeypot that no person can see, reach or hear, and that the script does not send", async () => {
    const page = await openHydrated();
    const honeypot = page.locator("input[name=website]");
    expect(await honeypot.getAttribute("tabindex")).toBe("-1");
    expect(await page.locator("[aria-hidden=true] input[name=website]").count()).toBe(1);
    expect(await page.getByRole("textbox").count()).toBe(4);
    await honeypot.evaluate((input: HTMLInputElement) => {
      input.value = "http://spam";
    });
    await fillIn(page, lead);
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual(lead);
  });

  it("keeps what was typed, ticked and focused when the script arrives", async () => {
    const page = await open();
    const arrive = await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await page.getByLabel("Phone Number *").focus();
    await arrive();
    expect(await typed(page)).toEqual(lead);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("phone");
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual(lead);
  });

  it.each(Object.entries(changes))(
    "stays as it is, with all that was typed, when the script comes after %s",
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

  it("can be pressed again when the visitor has stopped a plain post that took too long", async () => {
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
    await page.clock.runFor(20_000);
    const idle = page.getByRole("button", { name: "Check Your Eligibility Now" });
    await idle.waitFor();
    expect(await idle.isEnabled()).toBe(true);
    expect(await typed(page)).toEqual(lead);
  });

  it("stays busy until the answer comes, also when that takes longer, and after an earlier press", async () => {
    const page = await open();
    await page.clock.install();
    await page.goto(site.url());
    await page.getByLabel("Full Name *").focus();
    await formReady(page);
    await fillIn(page, lead);
    site.reply(insert, { status: 400, body: '{"message":"Please enter your full name."}' });
    await press(page);
    await page.getByRole("alert").waitFor();
    site.reply(insert, "hang");
    await page.clock.runFor(15_000);
    await press(page);
    for (const seconds of [6, 16]) {
      await page.clock.runFor(seconds * 1_000);
      expect(await page.getByRole("button", { name: "Submitting...", exact: true }).isDisabled()).toBe(true);
    }
    await page.clock.runFor(10_000);
    expect(await page.getByRole("alert").textContent()).toContain("We could not reach the server.");
  });

  it.each([
    [
      "a page of a network that wants to be logged in to",
      { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" },
    ],
    ["somebody else's page that it was sent on to", { status: 302, headers: { location: "/thank-you" } }],
  ])("does not take %s for a stored lead", async (_, reply) => {
    site.reply(insert, reply);
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    expect(await page.getByRole("alert").textContent()).toContain("Failed to submit. Please try again.");
    expect(await typed(page)).toEqual(lead);
  });

  it("sends the second time without the key when the page's key is no longer known", async () => {
    site.reply(insert, { status: 401, body: '{"message":"Please press the button once more."}' });
    const page = await openHydrated();
    await fillIn(page, lead);
    await press(page);
    expect(await page.getByRole("alert").textContent()).toContain(
      "What you typed is still here. You can press the button again.",
    );
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(site.calls.map(({ path }) => path)).toEqual([insert, "/"]);
    expect(Object.fromEntries(new URLSearchParams(site.calls[1]?.body))).toMatchObject({
      name: lead.name,
      phone: lead.phone,
    });
  });

  it("neither loses nor doubles the lead when the button is pressed while the script arrives", async () => {
    const page = await open();
    const arrive = await holdScript(page);
    await page.goto(site.url(), { waitUntil: "domcontentloaded" });
    await fillIn(page, lead);
    await Promise.all([press(page), arrive()]);
    await page.waitForURL("**/thank-you");
    const stored = site.calls.filter(({ path }) => path !== submitLead);
    expect(stored).toHaveLength(1);
    expect(stored[0]?.body).toContain("Ann");
  });

  it("does not hydrate the form once its plain post is under way, however late the script comes", async () => {
    site.reply("/", "hang");
    const page = await open();
    const release = Promise.withResolvers<void>();
    await page.route(/\/assets\/form-/, async (route) => {
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

  it("keeps the banner and everything typed after a refused plain post, also when the script arrives", async () => {
    const page = await open();
    const refused = site.site().article({
      lead: { ...lead, zip_code: "" },
      message: "Please enter your ZIP code.",
      language: "en",
      campaign: "utm_source=facebook&utm_campaign=spring%20sale",
    });
    await page.route(site.url(), (route) =>
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
    await shown();
    site.reset();
    await page.getByLabel("ZIP Code *").fill("12345");
    await press(page);
    await page.waitForURL("**/thank-you");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual({ ...lead, zip_code: "12345" });
    // The address of the answer to a post has no campaign's words.
    expect(site.calls[0]?.headers.referer).toBe(
      `${site.url()}?utm_source=facebook&utm_campaign=spring%20sale`,
    );
  });

  it("clears the old error when it posts by itself again", async () => {
    const page = await open();
    const refused = site.site().article({ lead, message: "Please try again." });
    let posts = 0;
    await page.route(site.url(), (route) => {
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
    await page.getByRole("alert").waitFor();
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

  it("loads the script only when the form is near the view or gets the focus", async () => {
    const page = await open();
    const scripts: string[] = [];
    page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(site.url(), { waitUntil: "networkidle" });
    expect(scripts).toEqual([]);
    await page.getByRole("heading", { name: "Find Out If You Qualify" }).scrollIntoViewIfNeeded();
    await page.waitForRequest(/\/assets\/form-/).catch(() => {});
    expect(scripts).toHaveLength(1);
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

/** Opens the page and waits until its script has hydrated the form. */
async function openHydrated(path = "/", openPage = open): Promise<Page> {
  const page = await openPage(site.url(path));
  await page.getByLabel("Full Name *").focus();
  await formReady(page);
  return page;
}

/** Holds the form's script back until the function that it returns is called. */
async function holdScript(page: Page): Promise<() => Promise<void>> {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/form-/, async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue().catch(() => {});
  });
  return async () => {
    await page
      .getByLabel("Full Name *")
      .dispatchEvent("focusin")
      .catch(() => {});
    held.resolve();
    await formReady(page).catch(() => {});
  };
}

const typed = async (page: Page) => ({
  name: await page.getByLabel("Full Name *").inputValue(),
  email: await page.getByLabel("Email Address *").inputValue(),
  phone: await page.getByLabel("Phone Number *").inputValue(),
  zip_code: await page.getByLabel("ZIP Code *").inputValue(),
  has_medicare: await page.getByLabel("I have Medicare").isChecked(),
  has_diabetes: await page.getByLabel("I have been diagnosed with diabetes").isChecked(),
});

const press = (page: Page) => page.getByRole("button").click({ noWaitAfter: true });
const message = (page: Page) => page.getByRole("alert").locator(".message").innerText();
const refusal = (text: string) => ({
  status: 400,
  body: JSON.stringify({ code: "23514", message: text, details: null, hint: null }),
});
