// The inbox on the screens of its members: two of them and a manager are signed in, and others join by an invitation.
import type { Page } from "playwright-core";
import { beforeEach } from "vitest";
import { useBrowser } from "./browser.ts";
import { removeLeads } from "./database.ts";
import { makeInbox, type TestMember } from "./inbox.ts";
import { addAuthenticator, openAs } from "./inbox-pages.ts";

/** Starts an inbox and a browser for the chapter. Each test begins with an empty queue. */
export async function setUpInboxInBrowser() {
  const { browser, open } = useBrowser();
  const { database, inbox } = await makeInbox();
  const dana = await inbox.member("Dana");
  const lee = await inbox.member("Lee");
  const maria = await inbox.member("Maria", "manager");
  beforeEach(() => removeLeads(database.owner));

  /** Opens a page as a member. */
  const as = (member: TestMember, path?: string) => openAs(browser(), inbox, member, path);

  /** Opens a lead's page as a member. */
  const leadPage = async (member: TestMember, id: string) => {
    const page = await as(member, `/leads/${id}`);
    await page.locator(".lead").waitFor();
    return page;
  };

  /** Opens a lead's page as a member, and begins a call there. */
  const beginCall = async (member: TestMember, id: string) => {
    const page = await leadPage(member, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    return page;
  };

  /** The invitation's link for somebody new. */
  const invite = async (name: string) => {
    const { body } = await maria.call("members/invite", { name, role: "member" });
    return body.link;
  };

  /** Lets somebody new join with a passkey. Returns their page of the queue. */
  const join = async (name: string) => {
    const page = await open();
    await addAuthenticator(page);
    await page.goto(await invite(name));
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    return page;
  };

  return { browser, open, database, inbox, dana, lee, maria, as, leadPage, beginCall, invite, join };
}

/** The text of a page, or of a part of it. */
export const text = (page: Page, selector = "main") => page.locator(selector).innerText();

/** The day so many days ahead, as a date field has it. */
export const dayAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Types a callback and sends it. */
export async function setCallback(page: Page, day: string, time: string): Promise<void> {
  if (!(await page.getByLabel("Time there").isVisible()))
    await page.getByRole("button", { name: "Call back" }).click();
  await page.getByLabel("Day").fill(day);
  await page.getByLabel("Time there").fill(time);
  await page.getByRole("button", { name: "Set the callback" }).click();
}
