// The company's own sign-in as a member has it on the screen: the button, the provider's pages, and the way back. The provider is
// real and runs in this process.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { askAsOperator } from "../team/ask.ts";
import { inviteMember } from "../team/managing.ts";
import { intercept, useBrowser } from "./support/browser.ts";
import { serveInboxOfCompany } from "./support/company-sign-in.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import type { TestInbox } from "./support/inbox.ts";

const { open } = useBrowser();
let database: TestDatabase;
let inbox: TestInbox;
beforeAll(async () => {
  database = await makeDatabase();
  inbox = await serveInboxOfCompany(database);
});

const companyButton = "Sign in with your company account";
const invite = async (name: string) =>
  (await inviteMember(askAsOperator(database.owner), name, "member")).token;

/** Presses the button, signs in at the provider under a name, and agrees to what it asks. */
async function signInAtCompany(page: Page, login: string): Promise<void> {
  await page.getByRole("button", { name: companyButton }).click();
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]").click();
}

describe("the company's own sign-in", () => {
  it("stands beside the passkey in an invitation, and brings the invited member to the queue", async () => {
    const page = await open(`${inbox.url}/join#${await invite("Dana")}`);
    await page.getByRole("heading", { name: "Welcome, Dana" }).waitFor();
    await page.getByRole("button", { name: companyButton }).waitFor();
    expect(await page.getByRole("button", { name: "Create a passkey" }).count()).toBe(1);
    await signInAtCompany(page, "dana@company.example");
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
  });

  it("brings the same member in from the sign-in page, on another machine", async () => {
    const page = await open(inbox.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signInAtCompany(page, "dana@company.example");
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Dana" }).count()).toBe(1);
  });

  it("says in words why somebody of the company who was not invited stays out", async () => {
    const page = await open(inbox.url);
    await signInAtCompany(page, "stranger@company.example");
    await page
      .getByText(
        "This passkey or account lets nobody in, or the account is another member's. Ask a manager for a new link.",
      )
      .waitFor();
    expect(await page.getByRole("heading", { name: "Leads", exact: true }).count()).toBe(0);
  });

  it("says why it failed also where the page cannot find out which ways to sign in there are", async () => {
    const page = await open(`${inbox.url}/healthz`);
    await intercept(page, "**/sign-in/methods", (route) => route.abort());
    await page.goto(`${inbox.url}/sign-in#sign-in-refused`);
    await page
      .getByText(
        "Your company's sign-in said no, or was broken off. Try again, and tell your operator if it happens again.",
      )
      .waitFor();
  });

  it("tells an invited person who has cancelled it at the provider to open the link again, which still lets them in", async () => {
    const link = `${inbox.url}/join#${await invite("Uli")}`;
    const page = await open(link);
    await page.getByRole("button", { name: companyButton }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByText("Your company's sign-in said no, or was broken off.").waitFor();
    await page.getByText("Open the link that a manager gave you").waitFor();
    await page.goto(link);
    await signInAtCompany(page, "uli@company.example");
    await page.getByRole("link", { name: "Uli" }).waitFor();
  });

  it("says on a locked screen why it did not unlock", async () => {
    const page = await open(`${inbox.url}/join#${await invite("Kim")}`);
    await signInAtCompany(page, "kim@company.example");
    await page.getByRole("link", { name: "Kim" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.goto(`${inbox.url}/sign-in#sign-in-refused`);
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByText("Your company's sign-in said no, or was broken off.").waitFor();
  });

  it("says why it failed also to a member who is signed in", async () => {
    const page = await open(`${inbox.url}/join#${await invite("Ivo")}`);
    await signInAtCompany(page, "ivo@company.example");
    await page.getByRole("link", { name: "Ivo" }).waitFor();
    await page.goto(`${inbox.url}/sign-in#sign-in-refused`);
    await page.getByText("Your company's sign-in said no, or was broken off.").waitFor();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
    expect(page.url()).toBe(`${inbox.url}/sign-in`);
  });

  it("unlocks a locked screen, for which the provider asks for the person again", async () => {
    const page = await open(`${inbox.url}/join#${await invite("Lee")}`);
    await signInAtCompany(page, "lee@company.example");
    await page.getByRole("link", { name: "Lee" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await signInAtCompany(page, "lee@company.example");
    await page.getByRole("link", { name: "Lee" }).waitFor();
    const acts = await database.owner`
      select action from private.audit_log where who = 'Lee' and action in ('signed in', 'locked', 'unlocked') order by id`;
    expect(acts.map(({ action }) => action)).toEqual(["signed in", "locked", "unlocked"]);
  });
});
