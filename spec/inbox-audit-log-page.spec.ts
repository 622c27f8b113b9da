// The audit log's page in a browser: what it shows, what narrows it, how it is turned and saved.
import { beforeEach, describe, expect, it } from "vitest";
import { withdrawPermission } from "../team/withdraw-permission.ts";
import { intercept, useBrowser } from "./support/browser.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { focused, openAs, saved } from "./support/inbox-pages.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

const asMaria = (path: string) => openAs(browser(), inbox, maria, path);

describe("the audit log's page", () => {
  it("says who did what to which lead, is narrowed by a filter, and is saved as CSV", async () => {
    const id = await addLead(database);
    await dana.call("open", { id });
    await dana.call("health-answers", { id });
    const page = await asMaria("/audit-log");
    await page.getByRole("cell", { name: "read health answers" }).first().waitFor();
    await page.getByLabel("What").selectOption("opened lead");
    await page.getByLabel("Lead’s reference").fill(id.slice(-8));
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(await page.locator("tbody tr").innerText()).toContain("Dana");
    await page.getByLabel("Who").selectOption({ label: "Dana" });
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    const { text } = await saved(page, "Export these entries");
    expect(text.trim().split("\r\n")).toHaveLength(2);
    await page.reload();
    // The entry about the export holds the filter, which is shown with the member's name.
    await page.getByRole("cell", { name: /member: Dana.{0,40}entries: 1/ }).waitFor();
  });

  it("shows what the operator did by command alone, if asked for it", async () => {
    const id = await addLead(database);
    await dana.call("open", { id });
    await withdrawPermission(database.owner, id);
    const page = await asMaria("/audit-log");
    await page.getByLabel("Lead’s reference").fill(id.slice(-8));
    const entries = page.locator("tbody tr");
    await expect.poll(() => entries.count()).toBe(2);
    await page.getByLabel("Who").selectOption({ label: "The operator" });
    await expect.poll(() => entries.count()).toBe(1);
    expect(await entries.innerText()).toContain("stopped calls");
    const { text } = await saved(page, "Export these entries");
    expect(text.trim().split("\r\n")).toHaveLength(2);
    await page.reload();
    // The entry about the export holds the filter.
    await page.getByRole("cell", { name: /member: operator.{0,40}entries: 1/ }).waitFor();
  });

  it("shows the action that narrows it also where it cannot be loaded, so that every entry can be asked for again", async () => {
    await dana.call("open", { id: await addLead(database) });
    const page = await asMaria("/audit-log");
    await page.getByRole("cell", { name: "opened lead" }).first().waitFor();
    await intercept(page, /\/api\/audit$/, (route) =>
      route.request().postDataJSON().filter.action
        ? route.fulfill({ status: 400, json: { error: "not accepted" } })
        : route.continue(),
    );
    const action = page.getByLabel("What");
    await action.selectOption("opened lead");
    await page.getByRole("cell", { name: "opened lead" }).first().waitFor({ state: "detached" });
    expect(await action.inputValue()).toBe("opened lead");
    await action.selectOption({ label: "Everything" });
    await page.getByRole("cell", { name: "opened lead" }).first().waitFor();
  });

  it("shows the entries of other leads again once the last character of a reference is deleted", async () => {
    const opened = await addLead(database);
    await dana.call("open", { id: opened });
    await dana.call("open", { id: await addLead(database) });
    const page = await asMaria("/audit-log");
    const entries = page.locator("tbody tr");
    const reference = page.getByLabel("Lead’s reference");
    await reference.fill(opened.slice(-8));
    await expect.poll(() => entries.count()).toBe(1);
    await reference.press("Backspace");
    await expect.poll(() => entries.count()).toBeGreaterThan(1);
  });

  it("is turned to older and newer entries, each page read from its top", async () => {
    await database.owner`
      insert into private.audit_log (at, who, action)
      select now() - interval '1 year', 'operator', 'exported leads' from generate_series(1, 110)`;
    const page = await asMaria("/audit-log");
    const pages = page.getByRole("navigation", { name: "Pages of the audit log" });
    const top = () => page.evaluate(() => scrollY);
    await pages.getByRole("button", { name: "Older" }).press("Enter");
    await pages.getByText("Page 2").waitFor();
    expect([await focused(page), await top()]).toEqual(["Audit log", 0]);
    await pages.getByRole("button", { name: "Newer" }).press("Enter");
    await pages.getByText("Page 1").waitFor();
    expect([await focused(page), await top()]).toEqual(["Audit log", 0]);
  });

  it("asks for no year that is still being typed", async () => {
    await dana.call("open", { id: await addLead(database) });
    const page = await asMaria("/audit-log");
    await page.locator("tbody tr").first().waitFor();
    const asked: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/audit")) asked.push(request.postDataJSON().filter.since ?? "any");
    });
    const from = page.getByLabel("From");
    for (const year of ["0002", "0020", "0202", "2025"]) await from.fill(`${year}-11-22`);
    await expect.poll(() => asked).toEqual(["2025-11-22"]);
    await from.fill("2099-11-22");
    await page.getByText("No entry matches the filters.").waitFor();
    await from.fill("");
    await page.locator("tbody tr").first().waitFor();
  });

  it("says when a reference is not valid, when no entry matches, and while the entries of another filter are loaded", async () => {
    const page = await asMaria("/audit-log");
    await page.locator("tbody tr").first().waitFor();
    const lead = page.getByLabel("Lead’s reference");
    const problem = page.getByText(
      "A reference has 8 characters, 0 to 9 and a to f, such as 12ab34cd. The entries of all leads are shown.",
    );
    await lead.fill("12ab34cg");
    expect(await page.getByRole("alert").count()).toBe(0);
    await lead.blur();
    await problem.waitFor();
    await lead.fill("12ab-34c");
    await lead.blur();
    await problem.waitFor();
    await lead.fill("12ab34cd");
    await page.getByText("No entry matches the filters.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await intercept(page, /\/api\/audit$/, (route) => held.then(() => route.continue()));
    await page.getByLabel("Who").selectOption({ label: "Maria" });
    await page.getByText("Loading…").waitFor();
    answer();
    await page.getByText("Loading…").waitFor({ state: "detached" });
  });
});
