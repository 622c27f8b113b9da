// What a member sent and what was not done: it is told wherever the member is by then. And what must not be done although the page has not
// heard from the server: a call after the hours.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { ResponseOf } from "../inbox/api.ts";
import { intercept } from "./support/browser.ts";
import { addLead } from "./support/inbox.ts";
import { setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { database, dana, maria, as, leadPage, beginCall } = await setUpInboxInBrowser();

/** Has the answer to a call wait until the member is on the queue's page, and then be this one. */
async function answerOnQueuePage(page: Page, call: string, answer: { status: number; body: string }) {
  await intercept(page, `**/api/${call}`, async (route) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("q");
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    await route.fulfill({ ...answer, contentType: "application/json" });
  });
}

describe("a member who leaves the page before the answer", () => {
  it("is told that a stop was not recorded, and finds the lead again", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await answerOnQueuePage(page, "stop", { status: 500, body: '{"error":"a bug"}' });
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click({ noWaitAfter: true });
    await page.getByRole("alert").getByText("The stop was not recorded.").waitFor();
    await page.getByRole("link", { name: "Open the lead" }).click();
    await page.waitForURL(`**/leads/${id}`);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("is told that an outcome was refused, until they have seen it", async () => {
    const page = await beginCall(dana, await addLead(database));
    await answerOnQueuePage(page, "outcome", { status: 200, body: '{"refused":"call_has_outcome"}' });
    await page.keyboard.press("6");
    await page.getByRole("alert").getByText("The outcome was not recorded.").waitFor();
    await page.getByRole("button", { name: "I have seen it" }).click();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("is told that a member was not removed, and is led to no lead", async () => {
    const page = await as(maria, "/team");
    await answerOnQueuePage(page, "members/remove", { status: 500, body: '{"error":"a bug"}' });
    await page.getByRole("button", { name: "Remove Lee" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click({ noWaitAfter: true });
    await page.getByRole("alert").getByText("The removal of a member was not recorded.").waitFor();
    expect(await page.getByRole("link", { name: "Open the lead" }).count()).toBe(0);
  });

  it("is told to look where no answer came, because the outcome may have been recorded", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await intercept(page, "**/api/outcome", async (route) => {
      await route.fetch();
      await page.keyboard.press("q");
      await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
      await route.abort();
    });
    await page.keyboard.press("6");
    const notice = page.getByRole("alert").filter({ hasText: "The outcome may not have been recorded." });
    await notice.waitFor();
    expect(await notice.innerText()).not.toContain("has to be done again");
    expect((await dana.call("open", { id })).body.outcome).toBe("no_answer");
  });

  it("is told nothing where it was recorded", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await intercept(page, "**/api/outcome", async (route) => {
      await page.keyboard.press("q");
      await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
      await route.continue();
    });
    const answered = page.waitForResponse("**/api/outcome");
    await page.keyboard.press("6");
    await (await answered).finished();
    await expect.poll(async () => (await dana.call("open", { id })).body.outcome).toBe("no_answer");
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe("the number of a call", () => {
  it("is dialled without a question whether to leave the page, although something that was typed is kept", async () => {
    const page = await beginCall(dana, await addLead(database));
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
    await page.locator(".number a").click();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(asked).toEqual([]);
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
  });

  it("is hidden when the hours end in which it was begun, also without a connection", async () => {
    const id = await addLead(database);
    const page = await as(dana, "/healthz");
    await page.clock.install();
    let isOnline = true;
    await intercept(page, /\/api\/open(ed)?$/, async (route) => {
      if (!isOnline) return route.abort();
      const answer = await route.fetch();
      const lead = (await answer.json()) as ResponseOf<"open">;
      const inTenSeconds = new Date((await page.evaluate(() => Date.now())) + 10_000).toISOString();
      const place = { ...lead.place, callable_until: inTenSeconds };
      await route.fulfill({ response: answer, json: { ...lead, place } });
    });
    await page.goto(`${new URL(page.url()).origin}/leads/${id}`);
    await page.locator(".lead").waitFor();
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    isOnline = false;
    await page.context().setOffline(true);
    await page.clock.runFor(16_000);
    await page.locator(".number").waitFor({ state: "detached" });
    expect(await text(page, ".call")).not.toContain("Lawful now");
    await page.getByRole("heading", { name: "What came of it?" }).waitFor();
  });
});

describe("“Stop a number”", () => {
  it("says that nothing is stopped of a number that was typed while a text without one was on its way", async () => {
    const page = await as(dana, "/stop");
    const number = page.getByLabel("Phone number");
    await number.fill("her son");
    await intercept(page, "**/api/stop-number", async (route) => {
      await number.fill("(305) 555-0199");
      await number.press("Enter");
      await route.continue();
    });
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("The number above was typed meanwhile, and is not stopped yet.").waitFor();
  });
});

describe("an invitation whose answer was lost", () => {
  it("leads to the link of the member who is in the list already", async () => {
    const page = await as(maria, "/team");
    const form = page.getByRole("form", { name: "Invite somebody" });
    await form.getByLabel("Name").fill("Dana Kim");
    await intercept(
      page,
      "**/api/members/invite",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await form.getByRole("button", { name: "Make a link" }).click();
    await form.getByText("The server did not answer: there is no connection.").waitFor();
    await page.reload();
    await form.getByLabel("Name").fill("dana kim");
    await form.getByRole("button", { name: "Make a link" }).click();
    await form
      .getByText("Dana Kim is in the list already, and has not joined yet. Press New link there.")
      .waitFor();
  });
});

describe("a lead's page", () => {
  it("says that what to say could not be loaded, and never to ask for a Medicare number all the same", async () => {
    const id = await addLead(database);
    const page = await as(dana, "/healthz");
    await intercept(page, "**/api/call-scripts", (route) =>
      route.fulfill({ status: 500, body: '{"error":"a bug"}' }),
    );
    await page.goto(`${new URL(page.url()).origin}/leads/${id}`);
    await page.locator(".lead").waitFor();
    await page.keyboard.press("c");
    await page.locator(".scripts").getByText("Never ask for a Medicare number.").waitFor();
  });

  it("is translated by no browser, because that would send it to another server", async () => {
    const page = await leadPage(dana, await addLead(database));
    expect(await page.evaluate(() => document.documentElement.translate)).toBe(false);
  });
});
