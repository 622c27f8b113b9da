// The queue as a member has it on the screen: whom to call next, the search, and how it comes to the screen.
import { globSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead, aPhoneNumber, nightZip } from "./support/inbox.ts";
import { said, stopClock } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser, text } from "./support/inbox-screens.ts";
import { allEventsSent } from "./support/live-events.ts";

const { browser, database, inbox, dana, lee, maria, as } = await setUpInboxInBrowser();

describe("the queue", () => {
  it("has callbacks that are due first, then who may be called now by time left, then who may not, with when", async () => {
    await addLead(database, { name: "Later Lead" }, 2);
    await addLead(database, { name: "Late Lead" }, 27);
    await addLead(database, { name: "Night Lead", zip_code: nightZip });
    const due = await addLead(database, { name: "Due Callback" });
    await database.owner`
      update private.lead_work set stage = 'callback', callback_at = now() - interval '1 minute', callback_zone = 'America/New_York'
      where lead_id = ${due}`;
    const page = await as(dana);
    await page.locator(".row").first().waitFor();
    expect(await page.locator(".queue-section h2").allInnerTexts()).toEqual([
      expect.stringContaining("Callbacks due"),
      expect.stringContaining("May be called now"),
      expect.stringContaining("Not now"),
    ]);
    expect(await page.locator(".row-name").allInnerTexts()).toEqual([
      "Due Callback",
      "Late Lead",
      "Later Lead",
      "Night Lead",
    ]);
    const rows = await page.locator(".row").allInnerTexts();
    expect(rows[1]).toContain("3 h late");
    expect(rows[2]).toContain("21 h left");
    expect(rows[3]).toMatch(/Outside calling hours until (today|\w{3,6}day) \d{1,2}:\d\d/);
  });

  it("shows a new lead by itself, and says so to a screen reader", async () => {
    // Awaited first: the page would otherwise announce the leads of the test before, and the new one only later.
    await allEventsSent(database, inbox, dana);
    const page = await as(dana, "/account");
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(inbox.url);
    await page.getByText("Nobody is waiting.").waitFor();
    await stream;
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await expect.poll(() => said(page)).toContain("1 new lead in the queue.");
    expect(await page.title()).toBe("Leads");
  });

  it("announces new leads to a screen reader once in half a minute while they keep coming", async () => {
    await allEventsSent(database, inbox, dana);
    const page = await as(dana, "/healthz");
    await page.clock.install();
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(inbox.url);
    await stream;
    await stopClock(page);
    for (const name of ["First Lead", "Second Lead", "Third Lead"]) {
      await addLead(database, { name });
      await allEventsSent(database, inbox, dana);
    }
    // The page waits a moment between two loads of its list.
    const isListed = async () => {
      await page.clock.runFor(100);
      return page.getByRole("link", { name: "Third Lead" }).count();
    };
    await expect.poll(isListed).toBe(1);
    const saidOfLeads = async () => (await said(page)).filter((text) => text.endsWith("in the queue."));
    expect(await saidOfLeads()).toEqual(["1 new lead in the queue."]);
    await page.clock.runFor(30_000);
    await expect.poll(saidOfLeads).toEqual(["1 new lead in the queue.", "2 new leads in the queue."]);
  });

  it("shows a lead that comes while the list loads for the first time", async () => {
    await allEventsSent(database, inbox, dana);
    const page = await as(dana, "/healthz");
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(`${inbox.url}/account`);
    await stream;
    const firstList = Promise.withResolvers<void>();
    await intercept(
      page,
      "**/api/queue",
      async (route) => {
        const response = await route.fetch();
        await addLead(database, { name: "Rosa Martinez" });
        await expect.poll(() => said(page)).toContain("1 new lead in the queue.");
        await route.fulfill({ response });
        firstList.resolve();
      },
      { times: 1 },
    );
    await page.getByRole("link", { name: "Queue" }).click();
    await firstList.promise;
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
  });

  it("holds no phone number, e-mail address or health answer, on the screen or in what the page was sent", async () => {
    const phone = aPhoneNumber();
    await addLead(database, { phone, email: "rosa@example.com", has_diabetes: true });
    const context = await browser().newContext();
    await context.addCookies([{ name: "session", value: dana.cookie.split("=")[1] ?? "", url: inbox.url }]);
    const page = await context.newPage();
    const sent: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/") && !response.url().endsWith("/events"))
        // Answers that the test does not need may still be on the way when the page is closed.
        sent.push(response.text().catch(() => ""));
    });
    await page.goto(inbox.url);
    await page.locator(".row").waitFor();
    const all = `${(await Promise.all(sent)).join()}${await page.content()}`;
    expect(all).toContain("reference");
    expect(all).not.toContain(phone);
    expect(all).not.toContain("rosa@example.com");
    expect(all).not.toMatch(/has_diabetes|has_medicare/);
  });

  it("finds a person by name, whole number, whole address or reference, without a word of the search in the page's address", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { name: "Rosa Martinez", phone, email: "rosa@example.com" });
    await addLead(database, { name: "Someone Else" });
    const page = await as(dana);
    for (const words of ["rosa mart", phone, "ROSA@example.com", id.slice(-8)]) {
      await page.getByLabel("Search by name").fill(words);
      await page.getByRole("button", { name: "Search" }).click();
      await expect.poll(() => page.locator(".row-name").allInnerTexts()).toEqual(["Rosa Martinez"]);
      expect(page.url()).toBe(`${inbox.url}/`);
      await page.getByRole("button", { name: "Clear" }).click();
      await expect.poll(() => page.locator(".row").count()).toBe(2);
    }
  });

  it("leaves the button to search where it was, so that a second press does not clear the search", async () => {
    const page = await as(dana);
    for (const width of [360, 390, 412, 430, 480, 700]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByLabel("Search by name").fill("rosa");
      const button = page.getByRole("button", { name: "Search", exact: true });
      const place = await button.boundingBox();
      await button.click();
      await page.getByRole("button", { name: "Clear" }).waitFor();
      expect([width, await button.boundingBox()]).toEqual([width, place]);
      await page.getByRole("button", { name: "Clear" }).click();
    }
  });

  it("keeps what a search found up to date without another search in the audit log", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana);
    await page.getByLabel("Search by name").fill("rosa");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("list", { name: "Found" }).waitFor();
    const searches = async () =>
      (await database.owner`select from private.audit_log where action = 'searched'`).length;
    const before = await searches();
    await lee.call("claim", { id });
    await page.getByText("Lee has it").waitFor();
    expect(await searches()).toBe(before);
  });

  it("gives two members two different leads at the same moment, by the key n, and shows who has which", async () => {
    await addLead(database, { name: "First Lead" }, 5);
    await addLead(database, { name: "Second Lead" }, 4);
    const pages = await Promise.all([as(dana), as(lee)]);
    await Promise.all(pages.map((page) => page.locator(".row").first().waitFor()));
    await Promise.all(pages.map((page) => page.keyboard.press("n")));
    await Promise.all(pages.map((page) => page.locator(".lead h1").waitFor()));
    const taken = await Promise.all(pages.map((page) => page.locator("h1").innerText()));
    expect(taken.toSorted()).toEqual(["First Lead", "Second Lead"]);
    const list = await as(maria);
    await expect.poll(() => text(list)).toMatch(/Dana has it/);
    expect(await text(list)).toMatch(/Lee has it/);
  });
});

describe("the queue on a slow machine", () => {
  it("is asked for before the pages' own script has been read, and asked for once", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana, "/healthz");
    // The clock stands, because the page asks again who is signed in when that answer is a second old.
    await page.clock.setFixedTime(Date.now());
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await intercept(page, "**/assets/inbox-*.js", async (route) => {
      await expect.poll(() => asked).toEqual(expect.arrayContaining(["/api/me", "/api/queue"]));
      await route.continue();
    });
    await page.goto(inbox.url);
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    const events = asked.indexOf("/api/events");
    const before = asked.slice(0, events === -1 ? undefined : events);
    expect(before.filter((path) => path === "/api/queue")).toHaveLength(1);
    expect(before.filter((path) => path === "/api/me")).toHaveLength(1);
  });

  it("has its rows before the page asks for the member's time zone, the names of languages or the preferences kept here", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana, "/healthz");
    await page.addInitScript(() => {
      const early: string[] = [];
      Object.assign(window, { early });
      const note = (what: string) => {
        if (!document.querySelector(".row")) early.push(what);
      };
      const { DateTimeFormat, DisplayNames } = Intl;
      Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
        apply() {
          note("time zone");
          return new DateTimeFormat();
        },
        construct(_, [locales, options]) {
          if (!options?.timeZone) note("time zone");
          return new DateTimeFormat(locales, options);
        },
      });
      const notedNames = new Proxy(DisplayNames, {
        construct(_, [locales, options]) {
          note("names of languages");
          return new DisplayNames(locales, options);
        },
      });
      Object.assign(Intl, { DisplayNames: notedNames });
      window.addEventListener = new Proxy(window.addEventListener, {
        apply(listen, target, given) {
          if (given[0] === "storage") note("preferences");
          return Reflect.apply(listen, target ?? window, given);
        },
      });
    });
    await page.goto(inbox.url);
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    expect(await page.evaluate(() => Reflect.get(window, "early"))).toEqual([]);
  });

  it("gives the next lead by the key n from the moment at which its rows are on screen", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana, "/healthz");
    await page.addInitScript(() => {
      const press = (_: unknown, observer: MutationObserver) => {
        if (!document.querySelector(".row")) return;
        observer.disconnect();
        dispatchEvent(new KeyboardEvent("keydown", { key: "n" }));
      };
      new MutationObserver(press).observe(document, { childList: true, subtree: true });
    });
    await page.goto(inbox.url);
    await page.getByRole("heading", { name: "Rosa Martinez" }).waitFor();
  });

  it("comes whole, though the rows that are seen at once come first", async () => {
    for (let hours = 1; hours <= 20; hours += 1) await addLead(database, {}, hours);
    const page = await as(dana);
    await expect.poll(() => page.locator(".row").count()).toBe(20);
  });

  it("lays a row out when it comes near the screen", async () => {
    for (let hours = 1; hours <= 20; hours += 1) await addLead(database, {}, hours);
    const page = await as(dana);
    await page.setViewportSize({ width: 1000, height: 300 });
    const last = page.locator(".row").nth(19);
    const isLaidOut = () =>
      last.evaluate((row) => row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }));
    await expect.poll(isLaidOut).toBe(false);
    await last.scrollIntoViewIfNeeded();
    await expect.poll(isLaidOut).toBe(true);
  });
});

describe("a page whose script does not come", () => {
  it("says so, keeps the navigation, and comes when the inbox is loaded again", async () => {
    const page = await as(maria);
    await intercept(page, "**/assets/reports-page-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    await page.unroute("**/assets/reports-page-*.js");
    await page.getByRole("button", { name: "Load the inbox again" }).click();
    await page.getByRole("heading", { name: "Reports" }).waitFor();
  });

  it("comes when it is asked for again with the network back, so that nothing that was typed is lost", async () => {
    const page = await as(maria);
    await intercept(page, "**/assets/reports-page-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    await page.unroute("**/assets/reports-page-*.js");
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "Reports" }).waitFor();
  });
});

describe("a page that is left before its script fails to come", () => {
  it("comes when it is asked for again with the network back", async () => {
    const page = await as(maria);
    const held = Promise.withResolvers<void>();
    await intercept(page, "**/assets/reports-page-*.js", (route) => held.promise.then(() => route.abort()));
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    const failed = page.waitForEvent("requestfailed");
    held.resolve();
    await failed;
    await page.unroute("**/assets/reports-page-*.js");
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "Reports" }).waitFor();
  });
});

describe("the pages' files", () => {
  it("are less than 150 kB of compressed script, with everything that managers see", () => {
    const { name } = JSON.parse(readFileSync(".inbox/current.json", "utf8"));
    const scripts = globSync(`.inbox/${name}/assets/*.js.br`).map((file) => statSync(file).size);
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });
});
