// The page of the queue as it follows the clock, and what it says when it has nobody to show or cannot be brought up to date.
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead } from "./support/inbox.ts";
import { callsUnderWay, said } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser, text } from "./support/inbox-screens.ts";
import { allEventsSent } from "./support/live-events.ts";

const { database, inbox, dana, lee, maria, as } = await setUpInboxInBrowser();
type Screen = Awaited<ReturnType<typeof as>>;

/** Turns to the next page once all rows of this one are there, because those below the screen come last and move the button. */
async function turnPage(page: Screen): Promise<void> {
  await expect.poll(() => page.locator(".row").count()).toBe(50);
  await page.getByRole("button", { name: "Next page" }).click();
}

/** Opens a page whose clock the test can move, and waits until no answer is on the way that is older than what the test does next. */
async function withClock(path = "/"): Promise<Screen> {
  const page = await as(dana, "/healthz");
  await page.clock.install();
  const underWay = callsUnderWay(page);
  // A lead that comes before the event stream is open is in the list, and no event announces it.
  const stream = page.waitForResponse(`${inbox.url}/api/events`);
  const answered = page.waitForResponse((response) => response.request().method() === "POST");
  await page.goto(`${inbox.url}${path}`);
  await answered;
  await stream;
  await expect.poll(underWay).toBe(0);
  return page;
}

const search = async (page: Screen, words: string) => {
  await page.getByLabel("Search by name").fill(words);
  await page.getByRole("button", { name: "Search" }).click();
};

describe("the queue as time passes", () => {
  it("moves an agreed callback to those that are due, though nobody did anything", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const agreed = (when: string) =>
      database.owner.unsafe(`
        update private.lead_work set stage = 'callback', callback_at = now() + interval '${when}', callback_zone = 'America/New_York'
        where lead_id = '${id}'`);
    await agreed("1 hour");
    const page = await withClock();
    await page.getByRole("heading", { name: "Not now" }).waitFor();
    await agreed("-1 minute");
    await page.clock.runFor(31_000);
    await page.getByRole("heading", { name: "Callbacks due" }).waitFor();
  });

  it("no longer shows a claim that has lapsed, in the queue, in a search and on the lead's page", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    await lee.call("claim", { id });
    const pages = [await withClock(), await withClock(), await withClock(`/leads/${id}`)] as const;
    await pages[1].locator(".row").waitFor();
    await search(pages[1], "rosa");
    for (const page of pages) await page.getByText("Lee has it").first().waitFor();
    await database.owner`update private.claims set until = now() - interval '1 second' where lead_id = ${id}`;
    for (const page of pages) {
      await page.clock.runFor(31_000);
      await page.getByText("Lee has it").first().waitFor({ state: "detached" });
    }
  });
});

describe("“Take next lead” where a colleague has each lead that may be called", () => {
  it("says that nobody was free at that time, beside how many may be called", async () => {
    await lee.call("claim", { id: await addLead(database) });
    const page = await as(dana);
    await page.getByText("1 person to call now").waitFor();
    await page.getByRole("button", { name: "Take next lead" }).click();
    await page
      .getByText(/^Nobody was free to be called at \d{1,2}:\d\d [AP]M\.$/, { exact: true })
      .first()
      .waitFor();
  });

  it("says the same time to a screen reader, also where its answer comes in the next minute", async () => {
    await lee.call("claim", { id: await addLead(database) });
    const page = await withClock();
    await page.getByText("1 person to call now").waitFor();
    const minute = 60_000;
    const lastSecond = await page.evaluate((one) => Math.ceil(Date.now() / one + 1) * one - 1_000, minute);
    await page.clock.pauseAt(lastSecond);
    await intercept(page, "**/api/take-next", async (route) => {
      await page.clock.runFor(2_000);
      await page.clock.resume();
      await route.continue();
    });
    await page.keyboard.press("n");
    const shown = await page.locator(".take-next").getByText("Nobody was free").innerText();
    await expect.poll(() => said(page)).toContain(shown);
  });
});

describe("the queue on a machine whose clock was set back", () => {
  it("shows a new lead as soon as before", async () => {
    const page = await withClock();
    await page.getByText("Nobody is waiting.").waitFor();
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await page.clock.setSystemTime(Date.now() - 3_600_000);
    await addLead(database, { name: "Came Later" });
    await page.getByRole("link", { name: "Came Later" }).waitFor();
  });
});

describe("a queue without rows", () => {
  it("says that nobody is waiting only when nobody is", async () => {
    const page = await as(dana);
    await page.getByText("Nobody is waiting.").waitFor();
    await addLead(database, { name: "Rosa Martinez" });
    await page.locator(".row").waitFor();
    await page.getByRole("button", { name: "Mine" }).click();
    await page.getByText("Nobody who matches the filter is waiting.").waitFor();
    expect(await text(page)).not.toContain("Nobody is waiting.");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.locator(".row").waitFor();
  });

  it("does not remain after a search for closed leads: the queue shows again who is waiting", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana);
    await page.locator(".row").waitFor();
    await search(page, "rosa");
    await page.getByText("More filters").click();
    await page.getByLabel("Work").selectOption("closed");
    await page.locator(".empty").getByText("Nobody who matches the filter is found.").waitFor();
    await page.getByLabel("Work").selectOption("open");
    await page.getByRole("list", { name: "Found" }).getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.locator(".row").waitFor();
    // Without the number of filters in use.
    expect(await page.getByText("More filters").innerText()).toBe("More filters");
  });

  it("says that it is a later page, and the earlier one is one press away", async () => {
    for (let nth = 0; nth < 51; nth++) await addLead(database, { name: `Lead ${nth}` }, 20 - nth / 10);
    const page = await as(dana);
    await turnPage(page);
    await expect.poll(() => page.locator(".row").count()).toBe(1);
    const last = (await page.locator(".row-name").getAttribute("href"))?.slice("/leads/".length) ?? "";
    await lee.call("outcome", { id: last, call_id: null, outcome: "not_interested" });
    await page.getByText("Nobody on this page is waiting any more.").waitFor();
    await page.getByRole("button", { name: "Earlier page" }).click();
    await expect.poll(() => page.locator(".row").count()).toBe(50);
  });
});

describe("the pages of the queue", () => {
  it("are turned once by two quick presses, because the second one is for a page that is not here yet", async () => {
    for (let nth = 0; nth < 51; nth++) await addLead(database, { name: `Lead ${nth}` }, 20 - nth / 10);
    const page = await as(dana);
    const next = page.getByRole("button", { name: "Next page" });
    await next.waitFor();
    const pressed = Promise.withResolvers<void>();
    await intercept(page, "**/api/queue", async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await next.evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    pressed.resolve();
    await expect.poll(() => page.locator(".row").count()).toBe(1);
    expect(await text(page, ".pager")).toContain("Page 2");
  });

  it("stay where they are when words are typed into the search and removed unsent", async () => {
    for (let nth = 0; nth < 51; nth++) await addLead(database, { name: `Lead ${nth}` }, 20 - nth / 10);
    const page = await as(dana);
    await turnPage(page);
    await expect.poll(() => text(page, ".pager")).toContain("Page 2");
    await page.getByLabel("Search by name").fill("rosa");
    await page.getByLabel("Search by name").fill("");
    expect(await text(page, ".pager")).toContain("Page 2");
  });
});

describe("the second press of a double click", () => {
  it("opens no lead of the page that the first one brought under the pointer", async () => {
    for (let nth = 0; nth < 110; nth++) await addLead(database, { name: `Lead ${nth}` }, 20 - nth / 10);
    const page = await as(dana);
    await turnPage(page);
    const row = page.getByRole("link", { name: "Lead 60", exact: true });
    await row.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await page.evaluate(() => location.pathname)).toBe("/");
    await row.click();
    await page.getByRole("heading", { name: "Lead 60" }).waitFor();
  });
});

describe("a search", () => {
  it("shows an answer that comes late although the same words were searched again meanwhile", async () => {
    await addLead(database);
    const page = await as(dana);
    await search(page, "rosa");
    await page.getByText("1 lead found").first().waitFor();
    await addLead(database);
    let asked = 0;
    await intercept(page, "**/api/search", async (route) => {
      asked += 1;
      // The first answer alone comes, and only after the second press.
      if (asked > 1) return;
      await page.getByRole("button", { name: "Search" }).click();
      await route.continue();
    });
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("2 leads found").first().waitFor();
  });

  it("is asked anew when the same words are searched again, and a screen reader says what each found", async () => {
    const page = await as(maria);
    await search(page, "rosa");
    await page.locator(".empty").getByText("Nobody is found.").waitFor();
    await expect.poll(() => said(page)).toContain("Nobody is found.");
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("list", { name: "Found" }).waitFor();
    await expect.poll(() => said(page)).toContain("1 lead found.");
  });

  it("that found more than fit on a page is not said to have found as many as stand on it", async () => {
    for (let nth = 0; nth < 51; nth++) await addLead(database, { name: `Rosa ${nth}` }, 20 - nth / 10);
    const page = await as(dana);
    await search(page, "rosa");
    await expect.poll(() => said(page)).toContain("50 leads on this page, and more on the next.");
    await turnPage(page);
    await expect.poll(() => said(page)).toContain("1 lead on this page.");
    expect((await said(page)).filter((sentence) => sentence.endsWith("found."))).toEqual([]);
  });

  it("does not say that nobody is found where only a later page has nobody any more", async () => {
    for (let nth = 0; nth < 51; nth++) await addLead(database, { name: `Rosa ${nth}` });
    const page = await as(dana);
    await search(page, "rosa");
    await expect.poll(() => page.locator(".row").count()).toBe(50);
    const links = await page
      .locator(".row a")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
    const ids = links.map((link) => link.replace("/leads/", ""));
    await database.owner`delete from public.leads where id <> all (${ids}::uuid[])`;
    await turnPage(page);
    await page.locator(".empty").getByText("Nobody is on this page any more.").waitFor();
    await expect.poll(() => said(page)).toContain("Nobody is on this page any more.");
    expect(await said(page)).not.toContain("Nobody is found.");
  });

  it("is still there on the way back from a lead, and the link Queue leads to everybody", async () => {
    for (const name of ["Rosa Martinez", "Ana Silva"]) await addLead(database, { name });
    const page = await as(dana);
    await search(page, "rosa");
    await page.getByRole("link", { name: "Ana Silva" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Rosa Martinez" }).click();
    await page.getByRole("heading", { name: "Rosa Martinez" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Search by name" }).inputValue()).toBe("rosa");
    expect(await page.getByRole("link", { name: "Ana Silva" }).count()).toBe(0);
    // The browser writes its history to disk.
    expect(JSON.stringify(await page.evaluate(() => history.state))).not.toContain("rosa");
    await page.getByRole("link", { name: "Rosa Martinez" }).click();
    await page.getByRole("heading", { name: "Rosa Martinez" }).waitFor();
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("link", { name: "Ana Silva" }).waitFor();
  });

  it("asks anew when a filter is chosen again, because more may match it by then", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana);
    await search(page, "rosa");
    const filters = page.getByRole("group", { name: "Show" });
    await filters.getByRole("button", { name: /^Mine/ }).click();
    await page.getByText("Nobody who matches the filter is found.").waitFor();
    await filters.getByRole("button", { name: /^All/ }).click();
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await dana.call("claim", { id });
    await filters.getByRole("button", { name: /^Mine/ }).click();
    await page.getByText("Nobody who matches the filter is found.").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
  });

  it("says what was found also when a new lead is announced at the same moment", async () => {
    // Before the page is opened, because it would announce the leads of the test before.
    await allEventsSent(database, inbox, dana);
    const page = await withClock();
    await search(page, "rosa");
    const announced = () => page.getByRole("status").locator("p").allInnerTexts();
    await expect.poll(announced).toEqual(["Nobody is found."]);
    await addLead(database);
    await expect.poll(announced).toEqual(["Nobody is found.", "1 new lead in the queue."]);
    await page.clock.runFor(6_000);
    await search(page, "ana");
    await expect.poll(announced).toEqual(["Nobody is found."]);
    await page.clock.runFor(6_000);
    // The same words once more.
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const timesSaid = async () => (await said(page)).filter((text) => text === "Nobody is found.").length;
    await expect.poll(timesSaid).toBe(3);
  });
});

describe("the days of a filter", () => {
  it("are asked for once their year is typed, which is one search, and can be emptied again", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana);
    await page.locator(".row").waitFor();
    await page.getByText("More filters").click();
    const asked: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/search")) asked.push(request.postDataJSON().filter.since ?? "any");
    });
    await search(page, "rosa");
    const since = page.getByLabel("Came since");
    for (const year of ["0002", "0020", "0202", "2025"]) await since.fill(`${year}-11-22`);
    await expect.poll(() => asked).toEqual(["any", "2025-11-22"]);
    // Empties the month alone, so that a part of the day still stands there; then types another.
    await since.press("Backspace");
    expect(await since.inputValue()).toBe("");
    await since.press("9");
    await expect.poll(() => asked).toEqual(["any", "2025-11-22", "2025-09-22"]);
    await since.fill("");
    await expect.poll(() => asked).toEqual(["any", "2025-11-22", "2025-09-22", "any"]);
  });

  it("go when the filter does, also a part that was left of one", async () => {
    const page = await as(dana);
    await page.getByText("More filters").click();
    const since = page.getByLabel("Came since");
    await since.fill("2026-05-20");
    await since.press("Enter");
    await since.press("Backspace");
    const isPartly = () => since.evaluate((field: HTMLInputElement) => field.validity.badInput);
    expect(await isPartly()).toBe(true);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(isPartly).toBe(false);
  });

  it("load no list at each digit that is typed over another day", async () => {
    const page = await as(dana);
    await page.getByText("More filters").click();
    const since = page.getByLabel("Came since");
    await since.fill("2026-05-20");
    await since.press("Enter");
    const asked: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/queue")) asked.push(request.postDataJSON().filter.since);
    });
    await since.press("ArrowLeft");
    await since.press("ArrowLeft");
    await page.keyboard.type("12152025");
    await since.press("Enter");
    await expect.poll(() => asked).toContain("2025-12-15");
    expect(new Set(asked)).toEqual(new Set(["2025-12-15"]));
  });
});

describe("a person whose ZIP code is unknown", () => {
  it("may be called from a time that is told in Eastern time", async () => {
    await addLead(database, { zip_code: "00000" });
    await dana.call("queue", {});
    await database.owner`
      update private.place_windows
      set callable = false, callable_until = null, callable_at = '2027-01-26T18:00Z', reason = 'unknown_zip', blocking_state = null,
        blocking_zone = 'America/New_York', holds_until = now() + interval '1 hour'
      where place = 'unknown/America/New_York'`;
    const page = await as(dana);
    expect(await text(page, ".row-when")).toMatch(/^ZIP code unknown: from .+ 1:00 PM Eastern time$/);
  });
});

describe("a list that could not be loaded again", () => {
  it("stays on screen, and the page says that it may be out of date", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana);
    await page.locator(".row").waitFor();
    await intercept(page, "**/api/queue", (route) =>
      route.fulfill({ status: 500, body: '{"error":"a bug"}' }),
    );
    await addLead(database, { name: "Came Later" });
    await page.getByText("What stands here may be out of date. The server made a mistake.").waitFor();
    // A load that was under way before may have brought the later lead.
    expect(await page.locator(".row-name").allInnerTexts()).toContain("Rosa Martinez");
    await page.unroute("**/api/queue");
    await addLead(database, { name: "Came Last" });
    await page.getByText("What stands here may be out of date.").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Came Later" }).waitFor();
  });
});
