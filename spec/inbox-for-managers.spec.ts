// What only a manager has in the inbox: members, paused states, leads taken back or erased, and the costs of campaigns. And buttons
// that are pressed twice.

import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { CallName } from "../inbox/api.ts";
import { intercept, useBrowser } from "./support/browser.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox } from "./support/inbox.ts";
import { focused, openAs } from "./support/inbox-pages.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

const asMaria = (path: string) => openAs(browser(), inbox, maria, path);

describe("a member who is no manager", () => {
  it("is offered no page that only managers have, and finds none of them at its address", async () => {
    const page = await openAs(browser(), inbox, dana, "/account");
    for (const path of ["/reports", "/campaigns", "/audit-log", "/team"]) {
      await page.goto(`${inbox.url}${path}`);
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    }
    const items = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts();
    expect(items.map((item) => item.trim())).toEqual(["Queue", "Stop a number", "Health", "Dana"]);
  });
});

describe("a button that is pressed twice", () => {
  /** Has the answers to a call wait for `answer`, so that the second press comes before the first answer, and counts how often it is made. */
  const hold = async (page: Page, call: CallName) => {
    const held = Promise.withResolvers<void>();
    let made = 0;
    await intercept(page, `**/api/${call}`, (route) => {
      made += 1;
      return held.promise.then(() => route.continue());
    });
    return { answer: () => held.resolve(), made: () => made };
  };

  it("invites once, and shows the link of that invitation", async () => {
    const page = await asMaria("/team");
    const invitations = await hold(page, "members/invite");
    await page.getByLabel("Name").fill("Twice");
    await page.getByRole("button", { name: "Make a link" }).dblclick();
    invitations.answer();
    await page.locator(".one-time-link code").waitFor();
    expect(invitations.made()).toBe(1);
    await page.getByRole("button", { name: "Remove Twice" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: "Remove Twice" }).waitFor({ state: "detached" });
    expect(await page.getByText("This name is taken.").count()).toBe(0);
  });

  it("stops a number once, and says how many permissions that ended", async () => {
    const phone = aPhoneNumber();
    await addLead(database, { phone });
    const page = await asMaria("/stop");
    const stops = await hold(page, "stop-number");
    await page.getByLabel("Phone number").fill(phone);
    await page.getByRole("button", { name: "Stop all calls" }).dblclick();
    stops.answer();
    await page.getByText("Stopped. It ended 1 permission.").waitFor();
    expect(stops.made()).toBe(1);
    expect(await page.getByText("Stopped, but no lead so far has this number").count()).toBe(0);
  });
});

describe("the team's page", () => {
  it("says that a name is taken only when it is", async () => {
    const page = await asMaria("/team");
    await page.getByLabel("Name").fill("dana");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("This name is taken.").waitFor();
    await page.getByLabel("Name").fill(" ");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("The server does not accept this.").waitFor();
    expect(await page.getByText("This name is taken.").count()).toBe(0);
  });

  it("invites a member with a link that is shown once", async () => {
    const page = await asMaria("/team");
    await page.getByLabel("Name").fill("Nora  Lane");
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = page.locator(".one-time-link code");
    await link.waitFor();
    expect(await link.innerText()).toMatch(new RegExp(`^${inbox.url}/join#[\\w-]{43}$`));
    await page.getByText("Member, invited, not here yet, has a link until").waitFor();
    await page.getByRole("button", { name: "New link for Nora" }).click();
    await page.getByRole("button", { name: "Make a new link" }).click();
    // The newer link is on Nora's line, and the older one, which it ended, is not offered any more.
    await page.locator(".members").getByText("Give this link to Nora Lane.").waitFor();
    await expect.poll(() => page.locator(".one-time-link").count()).toBe(1);
    await page.reload();
    await page.getByText("Nora").first().waitFor();
    expect(await page.locator(".one-time-link").count()).toBe(0);
  });

  it("offers a link no more once the list says that somebody has used it", async () => {
    const member = await inbox.member("Ursula");
    const page = await asMaria("/team");
    await page.getByRole("button", { name: "New link for Ursula" }).click();
    await page.getByRole("button", { name: "Make a new link" }).click();
    const offer = page.getByText("Give this link to Ursula.");
    await offer.waitFor();
    await page.getByText("Member, has a link until").waitFor();
    await database.owner`update private.invitations set used_at = now() where member_id = ${member.id} and used_at is null`;
    await page.getByLabel("Name").fill("Victor");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("Give this link to Victor.").waitFor();
    await offer.waitFor({ state: "detached" });
  });

  it("keeps the link of an invitation on the screen while the next one fails", async () => {
    const page = await asMaria("/team");
    await page.getByLabel("Name").fill("Quentin");
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = page.locator(".one-time-link code");
    const ofQuentin = await link.innerText();
    await page.getByLabel("Name").fill("Dana");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("This name is taken.").waitFor();
    expect(await link.innerText()).toBe(ofQuentin);
    await page.getByText("Give this link to Quentin.", { exact: false }).waitFor();
  });

  it("keeps a member's new link on the screen while a further one fails", async () => {
    await inbox.member("Yara");
    const page = await asMaria("/team");
    const makeLink = async () => {
      await page.getByRole("button", { name: "New link for Yara" }).click();
      await page.getByRole("button", { name: "Make a new link" }).click();
    };
    await makeLink();
    const link = await page.locator(".one-time-link code").innerText();
    await intercept(page, "**/api/members/recover", (route) => route.abort());
    await makeLink();
    await page.locator(".members").getByRole("alert").waitFor();
    expect(await page.locator(".one-time-link code").innerText()).toBe(link);
  });

  it("does not offer to copy the link in a browser that cannot copy it, as over http", async () => {
    const page = await asMaria("/healthz");
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
    await page.goto(`${inbox.url}/team`);
    await page.getByLabel("Name").fill("Olga");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.locator(".one-time-link code").waitFor();
    expect(await page.getByRole("button", { name: "Copy the link" }).count()).toBe(0);
  });

  it("says so when the browser does not let the page copy the link", async () => {
    const page = await asMaria("/healthz");
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"));
    });
    await page.goto(`${inbox.url}/team`);
    await page.getByLabel("Name").fill("Petra");
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByRole("button", { name: "Copy the link" }).click();
    await page.getByRole("alert").getByText("Select the link above and copy it.").waitFor();
  });

  it.each(["Dana", "Operator"])("says when the name is a member's or the operator's: %s", async (name) => {
    const page = await asMaria("/team");
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("This name is taken.").waitFor();
  });

  it("still has what was typed and chosen after a look at another page", async () => {
    const page = await asMaria("/team");
    await page.getByLabel("Name").fill("Zoe");
    await page.getByLabel("As a manager").check();
    await page.getByRole("combobox", { name: "State" }).selectOption("LA");
    await page.getByLabel("Why").fill("A hurricane");
    await page.getByRole("link", { name: "Health" }).click();
    await page.getByRole("heading", { name: "Health of the machine" }).waitFor();
    await page.getByRole("link", { name: "Team" }).click();
    const fields = page.locator("main :is(input:not([type=checkbox]), select)");
    await expect
      .poll(() => fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value)))
      .toEqual(["Zoe", "LA", "A hurricane"]);
    expect(await page.getByLabel("As a manager").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Make a link" }).click();
    await page.getByText("Manager, invited, not here yet").waitFor();
    expect(await page.getByLabel("As a manager").isChecked()).toBe(false);
  });

  it("makes a new link for a member who lost a device, and removes the member, each after a question", async () => {
    await inbox.member("Otto");
    const page = await asMaria("/team");
    await page.getByRole("button", { name: "New link for Otto" }).click();
    await page.getByRole("button", { name: "Make a new link" }).click();
    await page.locator(".one-time-link").waitFor();
    await page.getByRole("button", { name: "Remove Otto" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect.poll(() => page.locator(".members").innerText()).not.toContain("Otto");
    await expect.poll(() => focused(page)).toBe("Members");
  });

  it("pauses a state, shows why and by whom it is paused, and ends the pause", async () => {
    const page = await asMaria("/team");
    await page.getByRole("combobox", { name: "State" }).selectOption("LA");
    await page.getByLabel("Why").fill("A hurricane");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("A hurricane. By Maria").waitFor();
    await page.getByRole("button", { name: "Call there again (Louisiana)" }).click();
    await page.getByText("A hurricane").waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Paused states");
  });
});

describe("a manager at a lead", () => {
  it("takes it back from the member who has it", async () => {
    const id = await addLead(database);
    await dana.call("claim", { id });
    const page = await asMaria(`/leads/${id}`);
    await page.getByRole("button", { name: "Take it back from Dana" }).click();
    await page.getByText("Nobody has it").waitFor();
  });

  it("erases it once its reference is typed", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await asMaria(`/leads/${id}`);
    await page.getByRole("button", { name: "Erase this lead" }).click();
    // The focus is in the field and not on a button, because a key that is held down would press a button.
    await page.keyboard.type("00000000");
    expect(await page.getByLabel("Type the reference").inputValue()).toBe("00000000");
    await page.getByRole("button", { name: "Erase", exact: true }).click();
    await page.getByText("This is not the reference of this lead.").waitFor();
    await page.getByLabel("Type the reference").fill(id.slice(-8));
    expect(await page.getByText("This is not the reference of this lead.").count()).toBe(0);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Erase this lead" }).click();
    expect(await page.getByLabel("Type the reference").inputValue()).toBe("");
    expect(await page.getByText("This is not the reference of this lead.").count()).toBe(0);
    // Of an empty field, too, the next question shows no refusal; and a refusal is said on the page once the question is closed.
    const erase = page.getByRole("button", { name: "Erase", exact: true });
    const refused = page.waitForResponse("**/api/erase");
    await erase.click();
    await refused;
    await page.getByText("This is not the reference of this lead.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Nothing is erased: the reference of this lead was not typed.").waitFor();
    await page.getByRole("button", { name: "Erase this lead" }).click();
    expect(await page.getByText("reference of this lead").count()).toBe(0);
    await page.getByLabel("Type the reference").fill(id.slice(-8));
    await erase.click();
    await page.getByText("Nobody is waiting.").waitFor();
  });
});

describe("the campaigns", () => {
  it("say that a file of costs is empty when it is", async () => {
    const page = await asMaria("/campaigns");
    const empty = { name: "costs.csv", mimeType: "text/csv", buffer: Buffer.from("") };
    await page.getByLabel("A CSV file").setInputFiles(empty);
    await page.getByText("The file is empty.").waitFor();
  });

  it("keep a cost that is being typed while other days are loaded", async () => {
    const page = await asMaria("/campaigns");
    await page.getByLabel("Campaign", { exact: true }).fill("spring");
    await page.getByLabel("Cost in US dollars").fill("12.50");
    await page.getByRole("button", { name: "7 days" }).click();
    await expect
      .poll(() => page.getByRole("button", { name: "7 days" }).getAttribute("aria-pressed"))
      .toBe("true");
    await expect.poll(() => page.getByLabel("Cost in US dollars").inputValue()).toBe("12.50");
    expect(await page.getByLabel("Campaign", { exact: true }).inputValue()).toBe("spring");
  });
});

describe("the costs of campaigns", () => {
  it("show the server's answer even if other days are chosen before it comes, and say when a cost is taken away", async () => {
    const page = await asMaria("/campaigns");
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await intercept(page, /\/api\/campaigns\/costs$/, (route) => held.then(() => route.continue()));
    const field = page.getByLabel("A CSV file: date, campaign, amount in US dollars");
    const aCost = (amount: string) => `date,campaign,amount\n2026-11-20,spring,${amount}\n`;
    const choose = (csv: string) =>
      field.setInputFiles({ name: "costs.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await choose(aCost("twenty"));
    await page.getByRole("button", { name: "7 days" }).click();
    answer();
    await page.getByRole("alert").getByText("Line 2: The amount has to be in US dollars").waitFor();
    await choose(aCost("5"));
    await page.getByText("1 cost is recorded.").waitFor();
    await choose(aCost("0"));
    await page.getByText("1 cost is taken away.").waitFor();
    expect(await page.getByText("recorded.").count()).toBe(0);
    await page.evaluate(() => {
      File.prototype.text = () => Promise.reject(new DOMException("", "NotReadableError"));
    });
    await choose(aCost("6"));
    await page.getByText("The browser cannot read the file.").waitFor();
  });
});
