// Who has a lead, as everybody else sees it: in the list, on the lead's own page, and when they try to call. And a member who has it
// again after an outcome.
import type { Route } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { intercept, useBrowser } from "./support/browser.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox, type TestMember } from "./support/inbox.ts";
import { focused, isAbove, openAs, said } from "./support/inbox-pages.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

const as = (member: TestMember, path?: string) => openAs(browser(), inbox, member, path);

describe("a lead that a member has", () => {
  it("says so in another member's list as soon as it is taken, and no more when it is let go", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const list = await as(dana);
    const row = list.getByRole("listitem").filter({ hasText: "Rosa Martinez" });
    await row.waitFor();
    expect(await row.innerText()).not.toContain("has it");
    const page = await as(lee, `/leads/${id}`);
    await page.getByRole("button", { name: "Take this lead" }).click();
    await row.getByText("Lee has it").waitFor();
    await page.getByText("You have it").waitFor();
    await page.getByRole("button", { name: "Let it go" }).click();
    await row.getByText("Lee has it").waitFor({ state: "detached" });
  });

  it("has the focus at the words that say who has it after it is taken or let go, because the pressed button is gone", async () => {
    const page = await as(dana, `/leads/${await addLead(database)}`);
    await page.getByRole("button", { name: "Take this lead" }).press("Enter");
    await expect.poll(() => focused(page)).toBe("You have it");
    await page.getByRole("button", { name: "Let it go" }).press("Enter");
    await expect.poll(() => focused(page)).toBe("Nobody has it");
  });

  it("says how the last press failed, and no more how an earlier one failed", async () => {
    const page = await as(dana, `/leads/${await addLead(database)}`);
    const earlier = page.getByText("The server made a mistake.");
    const load = async (route: Route) => {
      // The load waits until the failure is shown, because the page drops it after the load.
      await earlier.waitFor();
      await route.continue();
    };
    await intercept(page, "**/api/claim", async (route) => {
      await intercept(page, "**/api/opened", load, { times: 1 });
      // Done, but the answer is lost.
      await route.fetch();
      await route.fulfill({ status: 500, json: { error: "a bug" } });
    });
    await page.getByRole("button", { name: "Take this lead" }).click();
    await page.getByText("You have it").waitFor();
    await intercept(page, "**/api/release", (route) => route.abort());
    await page.getByRole("button", { name: "Let it go" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    expect(await earlier.count()).toBe(0);
  });

  it("says so to another member plainly on its own page, above the button to call, and says when it is free again", async () => {
    const id = await addLead(database);
    await lee.call("claim", { id });
    const page = await as(dana, `/leads/${id}`);
    const held = page.getByRole("note", { name: "Who has it" });
    await held.waitFor();
    expect(await held.innerText()).toMatch(/^Lee has it\. You can read it, but not call\./);
    expect(await isAbove(held, page.getByRole("button", { name: "Call", exact: true }))).toBe(true);
    await lee.call("release", { id });
    await held.waitFor({ state: "detached" });
    await page.getByText("Nobody has it").waitFor();
  });

  it("says so live on another member's page that was open before, to a screen reader too", async () => {
    const id = await addLead(database);
    const page = await as(dana, `/leads/${id}`);
    await page.getByText("Nobody has it").waitFor();
    await lee.call("claim", { id });
    await page.getByRole("note", { name: "Who has it" }).waitFor();
    await expect.poll(() => said(page)).toContain("Another member has this lead now.");
  });

  it("tells nobody else the number: the call says who has it", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    await lee.call("claim", { id });
    const page = await as(dana, `/leads/${id}`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("Lee has this lead. Call when it is free again.").waitFor();
    expect(await page.content()).not.toContain(phone);
  });

  it("asks another member whose call has no outcome yet for the outcome alone, and does not show them the number any more", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    const page = await as(dana, `/leads/${id}`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".number").waitFor();
    await maria.call("take-back", { id, member: dana.id });
    await lee.call("claim", { id });
    const held = page.getByRole("note", { name: "Who has it" });
    await held.waitFor();
    const asks =
      /^Lee has it\. Record what came of your call below\. You cannot call again until it is free: it comes free when/;
    expect(await held.innerText()).toMatch(asks);
    expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);
    await page.keyboard.press("c");
    // After an hour a call is not under way any more, but this page still asks for its outcome.
    await database.owner`update private.calls set at = now() - interval '61 minutes' where lead_id = ${id}`;
    await lee.call("release", { id });
    await held.waitFor({ state: "detached" });
    await lee.call("claim", { id });
    await held.waitFor();
    expect(await held.innerText()).toMatch(asks);
    await page.getByRole("heading", { name: "What came of it?" }).waitFor();
    expect(await page.locator(".number, .scripts").count()).toBe(0);
    expect(await page.content()).not.toContain(phone.slice(-8));
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    const refused = await database.owner`
      select from private.audit_log where lead_id = ${id} and action = 'call refused'`;
    expect(refused).toHaveLength(0);
  });

  it("can be taken back by a manager, and then says that nobody has it", async () => {
    const id = await addLead(database);
    await lee.call("claim", { id });
    const page = await as(maria, `/leads/${id}`);
    await page.getByRole("button", { name: "Take it back from Lee" }).click();
    await page.getByText("Nobody has it").waitFor();
  });
});

describe("a lead that its member has again after an outcome", () => {
  /** Opens a lead, calls, and records the outcome “No answer” with a note. */
  async function unanswered(id: string) {
    const page = await as(dana, `/leads/${id}`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    return page;
  }

  it("can be called again, where “Take next lead” gives it as the next one", async () => {
    const id = await addLead(database);
    const page = await unanswered(id);
    await page.keyboard.press("n");
    await page.getByText("You have it").waitFor();
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    expect((await dana.call("open", { id })).body.call_log).toMatchObject([
      { outcome: "no_answer" },
      { outcome: null },
    ]);
  });

  it("has the focus at its heading, also where the page shows that the member has it before “Take next lead” is answered", async () => {
    const page = await unanswered(await addLead(database));
    const answered = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/take-next"));
    await intercept(page, "**/api/take-next", async (route) => {
      const response = await route.fetch();
      await page.getByText("You have it").waitFor();
      await route.fulfill({ response });
    });
    await page.keyboard.press("n");
    await answered;
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });

  it("can be called again, where the member takes it", async () => {
    const page = await unanswered(await addLead(database));
    await page.getByRole("button", { name: "Take this lead" }).click();
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".number").waitFor();
  });

  it("still has its note when the answer to “Undo” was lost and the member presses it once more", async () => {
    const page = await unanswered(await addLead(database));
    await intercept(
      page,
      "**/api/undo-outcome",
      async (route) => {
        await route.fetch();
        await page.getByText("You have it").waitFor();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByLabel("Note, if one is wanted").inputValue()).toBe("Prefers mornings");
  });
});

describe("a number that is hidden and shown again during a call", () => {
  it("leaves the focus where the member has it, so that Enter dials nothing", async () => {
    const page = await as(dana, `/leads/${await addLead(database)}`);
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    await page.keyboard.press("c");
    const number = page.locator(".number");
    await number.waitFor();
    const outcome = page.getByRole("button", { name: "No answer" });
    await outcome.focus();
    await maria.call("pause-state", { state: "VT", reason: "A storm" });
    await number.waitFor({ state: "detached" });
    await maria.call("resume-state", { state: "VT" });
    await number.waitFor();
    expect(await outcome.evaluate((button) => button === document.activeElement)).toBe(true);
  });
});
