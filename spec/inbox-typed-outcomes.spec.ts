// What a member types for an outcome that is not recorded yet: it stays where it was typed, and the page says that it is not recorded.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead } from "./support/inbox.ts";
import { said } from "./support/inbox-pages.ts";
import { dayAhead, setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { database, dana, maria, as, leadPage, beginCall } = await setUpInboxInBrowser();

const note = (page: Page) => page.getByLabel("Note, if one is wanted");
const notRecorded = (page: Page) => page.locator(".call").getByText("What you typed");

/** Goes to the queue and back to the lead. */
async function leaveAndComeBack(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Queue", exact: true }).first().click();
  await page.locator(".row").getByRole("link").click();
  await page.locator(".lead").waitFor();
}

/** Records the outcome of the lead's latest call, as the member does in another tab. */
async function recordInOtherTab(id: string): Promise<void> {
  const { call_log } = (await dana.call("open", { id })).body;
  await dana.call("outcome", { id, call_id: call_log.at(-1)?.id ?? null, outcome: "no_answer" });
}

describe("what is typed for an outcome while the member records it in another tab", () => {
  it("goes on in the note, which the page says is not recorded, and is recorded with another outcome", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await page.keyboard.press("t");
    await page.keyboard.type("Has ");
    await recordInOtherTab(id);
    await page.getByText("This call has its outcome already, without what you typed here.").waitFor();
    await page.keyboard.type("2 daughters");
    expect(await note(page).inputValue()).toBe("Has 2 daughters");
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    expect((await dana.call("open", { id })).body.call_log).toMatchObject([
      { called: true, outcome: "no_answer", note: "" },
      { called: false, outcome: "not_interested", note: "Has 2 daughters" },
    ]);
  });

  it("stays in the fields of the callback", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await page.getByRole("button", { name: "Call back" }).click();
    await page.getByLabel("Day").fill(dayAhead(3));
    await recordInOtherTab(id);
    await page.getByText("This call has its outcome already").waitFor();
    expect(await page.getByLabel("Day").inputValue()).toBe(dayAhead(3));
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => notRecorded(page).count()).toBe(0);
  });
});

describe("what was typed for an outcome before the member looked at another page", () => {
  it("stands in the form again, and the focus is where it is on any page", async () => {
    const page = await leadPage(dana, await addLead(database, { name: "Rosa Martinez" }));
    await page.getByRole("button", { name: "Review without a call" }).click();
    await note(page).fill("Prefers mornings");
    await page.getByRole("button", { name: "Call back" }).click();
    await page.getByLabel("Day").fill(dayAhead(3));
    expect(await notRecorded(page).count()).toBe(0);
    await leaveAndComeBack(page);
    await page.getByText("What you typed is not recorded yet.").waitFor();
    expect(await note(page).inputValue()).toBe("Prefers mornings");
    expect(await page.getByLabel("Day").inputValue()).toBe(dayAhead(3));
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Rosa Martinez");
    await page.getByRole("button", { name: "Cancel" }).click();
    await note(page).fill("");
    await expect.poll(() => notRecorded(page).count()).toBe(0);
    // The form stays under the hands of who emptied its field.
    expect(await text(page, ".outcome h3")).toBe("Review without a call");
  });

  it("asks for the outcome of the call that is under way", async () => {
    const page = await beginCall(dana, await addLead(database));
    await note(page).fill("Prefers mornings");
    await leaveAndComeBack(page);
    await note(page).waitFor();
    expect(await text(page, ".outcome h3")).toBe("What came of it?");
    expect(await notRecorded(page).count()).toBe(0);
  });
});

describe("a note whose outcome was taken back", () => {
  it("is offered for no review without a call before the page has loaded the call without its outcome", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await note(page).fill("Prefers mornings");
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.locator(".history").getByText("No answer").waitFor();
    await intercept(page, "**/api/opened", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press("u");
    await expect.poll(() => said(page)).toContain("The outcome is taken back.");
    await page.getByRole("button", { name: "Review without a call" }).waitFor();
    await page.keyboard.press("1");
    held.resolve();
    await page.getByRole("heading", { name: "What came of it?" }).waitFor();
    expect(await note(page).inputValue()).toBe("Prefers mornings");
    expect((await dana.call("open", { id })).body.outcome).toBeNull();
  });
});

describe("a note near its longest", () => {
  it("says how many characters are left, and is never cut: one that is too long is not recorded before it is shorter", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await note(page).fill("x".repeat(1_799));
    expect(await page.locator(".outcome").innerText()).not.toContain("left.");
    await note(page).press("ControlOrMeta+End");
    await page.keyboard.type("x");
    await page.getByText("200 characters are left.").waitFor();
    // As by a paste, which a browser would cut at a field's `maxlength`.
    await page.keyboard.insertText(" and at the end what matters".padStart(250));
    await page.getByText("50 characters too many.").waitFor();
    expect(await note(page).getAttribute("aria-invalid")).toBe("true");
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("alert").getByText("Nothing is recorded yet: the note is too long.").waitFor();
    expect((await dana.call("open", { id })).body.outcome).toBeNull();
    const whole = await note(page).inputValue();
    expect(whole).toHaveLength(2_050);
    await note(page).fill(whole.slice(50));
    await expect.poll(() => page.locator(".outcome").getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    const { call_log } = (await dana.call("open", { id })).body;
    expect(call_log).toMatchObject([{ outcome: "not_interested", note: whole.slice(50) }]);
  });
});

describe("what is pasted into a field of one line", () => {
  it.each([
    ["/stop", "Phone number", "111-555-0100, ".repeat(8), "Stop all calls", "stop-number"],
    ["/team", "Name", "Ann ".repeat(30), "Make a link", "members/invite"],
    ["/team", "Why", "An emergency. ".repeat(20), "Pause", "pause-state"],
    ["/campaigns", "Campaign", "spring ".repeat(20), "Record", "campaigns/costs"],
  ] as const)(
    "is not cut where it is too long, and is not sent: on %s, %s",
    async (path, label, pasted, button, call) => {
      const page = await as(maria, path);
      const field = page.getByRole("textbox", { name: label, exact: true });
      await field.focus();
      await page.keyboard.insertText(pasted);
      expect(await field.inputValue()).toBe(pasted);
      let sent = 0;
      page.on("request", (request) => {
        if (request.url().endsWith(`/api/${call}`)) sent += 1;
      });
      await page.getByRole("button", { name: button, exact: true }).click();
      expect(await field.evaluate((one: HTMLInputElement) => one.validity.patternMismatch)).toBe(true);
      expect(await field.getAttribute("title")).toMatch(/^\d+ characters at most$/);
      expect(sent).toBe(0);
    },
  );
});
