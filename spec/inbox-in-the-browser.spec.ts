// The inbox as a member has it on the screen: signing in, the queue, a lead, the call, the outcome, the stop, the lock, a lost network.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { useBrowser } from "./support/browser.ts";
import { addLead, aNumber, makeInbox, nightZip, serveInbox, type TestMember } from "./support/inbox.ts";
import { addAuthenticator, emptyQueue, openAs } from "./support/inbox-pages.ts";

const { browser, open } = useBrowser();
const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => emptyQueue(database));

const as = (member: TestMember, path?: string) => openAs(browser(), inbox, member, path);
const text = (page: Page, selector = "main") => page.locator(selector).innerText();
const leadPage = async (member: TestMember, id: string) => {
  const page = await as(member, `/leads/${id}`);
  await page.locator(".lead").waitFor();
  return page;
};

/** The invitation's link for somebody new. */
const invite = async (name: string) => {
  const { body } = await maria.call("members/invite", { name, role: "member" });
  return body.link;
};
const join = async (name: string) => {
  const page = await open();
  await addAuthenticator(page);
  await page.goto(await invite(name));
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  return page;
};

describe("an invited member", () => {
  it("is welcomed by name, creates a passkey with one button, and sees the queue", async () => {
    const page = await open();
    await addAuthenticator(page);
    await page.goto(await invite("Nora"));
    await page.getByRole("heading", { name: "Welcome, Nora" }).waitFor();
    expect(await page.getByRole("button").allInnerTexts()).toEqual(["Create a passkey"]);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  });

  it("signs out, and signs in again with one button", async () => {
    const page = await join("Otto");
    await page.getByRole("link", { name: "Otto" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("button").allInnerTexts()).toEqual(["Sign in with a passkey"]);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Otto" }).waitFor();
  });

  it("is told to turn on the device's own check when the device has made none", async () => {
    const page = await open();
    await addAuthenticator(page, false);
    await page.goto(await invite("Pia"));
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("heading", { name: "Leads", exact: true }).count()).toBe(0);
  });

  it("reads why a link does not open", async () => {
    const page = await open(`${inbox.url}/join#${"a".repeat(43)}`);
    await page.getByRole("heading", { name: "This link does not open" }).waitFor();
    expect(await text(page)).toContain("Ask for a new one");
  });

  it("locks the screen and unlocks it with the passkey; what was typed is still there", async () => {
    const id = await addLead(database);
    const page = await join("Quinn");
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByLabel("Note, if one is wanted").fill("Asks for a call on Monday");
    await page.evaluate(() =>
      fetch("/api/lock", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
    );
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await page.content()).not.toContain("Asks for a call");
    expect(await page.content()).not.toContain("Rosa");
    await page.getByRole("button", { name: "Unlock with a passkey" }).click();
    await page.getByRole("button", { name: "Review without a call" }).click();
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Asks for a call on Monday");
  });

  it("is out at once, on the open page too, when a manager removes them", async () => {
    const page = await join("Rita");
    const { body } = await maria.call("members");
    const rita = body.members.find(({ name }) => name === "Rita");
    await maria.call("members/remove", { id: rita?.id ?? "" });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

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
    const page = await as(dana, "/account");
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(inbox.url);
    await page.getByText("Nobody is waiting.").waitFor();
    await stream;
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await expect.poll(() => page.getByRole("status").allInnerTexts()).toContain("1 new lead in the queue.");
    expect(await page.title()).toBe("Leads");
  });

  it("shows a lead that comes while the list loads for the first time", async () => {
    const page = await as(dana, "/account");
    await page.waitForResponse(`${inbox.url}/api/events`);
    const firstList = Promise.withResolvers<void>();
    await page.route(
      "**/api/queue",
      async (route) => {
        const response = await route.fetch();
        await addLead(database, { name: "Rosa Martinez" });
        await page.getByText("1 new lead in the queue.").waitFor({ state: "attached" });
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
    const phone = aNumber();
    await addLead(database, { phone, email: "rosa@example.com", has_diabetes: true });
    const context = await browser().newContext();
    await context.addCookies([{ name: "session", value: dana.cookie.split("=")[1] ?? "", url: inbox.url }]);
    const page = await context.newPage();
    const sent: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/api/") && !response.url().endsWith("/events"))
        // The page may be closed before the last answer is read.
        sent.push(await response.text().catch(() => ""));
    });
    await page.goto(inbox.url);
    await page.locator(".row").waitFor();
    const all = `${sent.join()}${await page.content()}`;
    expect(all).toContain("reference");
    expect(all).not.toContain(phone);
    expect(all).not.toContain("rosa@example.com");
    expect(all).not.toMatch(/has_diabetes|has_medicare/);
  });

  it("finds a person by name, whole number, whole address or reference, without a word of it in the page's address", async () => {
    const phone = aNumber();
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

  it("asks for a search once, which the audit log notes once, and keeps what it found up to date", async () => {
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

describe("a lead's page", () => {
  it("has the permission beside the person, and says when its wording was not stated", async () => {
    const page = await leadPage(dana, await addLead(database, { name: "Rosa Martinez" }));
    expect(await page.locator("h1").innerText()).toBe("Rosa Martinez");
    expect(await text(page, ".permission")).toContain("Wording not stated");
    expect(await page.title()).not.toContain("Rosa");
  });

  it("shows the words of the notice as they were shown, with the day and the page", async () => {
    const id = await addLead(database);
    const hash = createHash("sha256").update("Usted permite").digest("hex");
    await database.owner`insert into private.notices (hash, language, text) values (${hash}, 'es', 'Usted permite')`;
    await database.owner`
      update private.permissions set notice_hash = ${hash}, page_origin = 'https://example.com', page_path = '/' where lead_id = ${id}`;
    const page = await leadPage(dana, id);
    const permission = await text(page, ".permission");
    expect(permission).toContain("Usted permite");
    expect(permission).toContain("As shown, in Spanish");
    expect(permission).toContain("https://example.com/");
    expect(await page.locator(".permission blockquote").getAttribute("lang")).toBe("es");
  });

  it("shows a withdrawn permission in place of the number, and offers no call", async () => {
    const id = await addLead(database, { email: "rosa@example.com" });
    await database.owner`select private.withdraw_permission(${id})`;
    const page = await leadPage(dana, id);
    expect(await text(page, ".stopped")).toContain("Do not call");
    expect(await page.getByRole("button", { name: "Call" }).count()).toBe(0);
    expect(await page.content()).not.toContain("rosa@example.com");
    await page.keyboard.press("c");
    expect(await page.locator(".number").count()).toBe(0);
  });

  it("hides the health answers until they are opened", async () => {
    const page = await leadPage(dana, await addLead(database, { has_medicare: true, has_diabetes: false }));
    expect(await text(page)).not.toContain("Medicare\nYes");
    await page.getByRole("button", { name: "Show health answers" }).click();
    await expect.poll(() => text(page)).toContain("Medicare\nYes");
    expect(await text(page)).toContain("Diagnosed with diabetes\nNot ticked");
  });

  it("is written to the audit log once, however long it is open and whatever happens elsewhere", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    const other = await addLead(database, { name: "Another Lead" });
    await lee.call("claim", { id });
    await expect.poll(() => text(page)).toContain("Lee has it");
    const opened = await database.owner`
      select lead_id from private.audit_log where action = 'opened lead' and lead_id in (${id}, ${other})`;
    expect(opened).toHaveLength(1);
  });

  it("opens by the reference that a message has, and says so when there is no such lead", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    expect(await text(await leadPage(dana, id.slice(-8)), "h1")).toBe("Rosa Martinez");
    for (const shown of [crypto.randomUUID(), "1234567", `${id}.`, "%00"]) {
      const page = await as(dana, `/leads/${shown}`);
      await page.getByRole("heading", { name: "There is no such lead" }).waitFor();
    }
  });
});

describe("a call", () => {
  it("shows the number as a link by the key c, and records the outcome by one key", async () => {
    const id = await addLead(database, { phone: "(111) 555-0142" });
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    const number = page.getByRole("link", { name: "(111) 555-0142" });
    await number.waitFor();
    expect(await number.getAttribute("href")).toBe("tel:+11115550142");
    await expect.poll(() => number.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press("1");
    await page.getByRole("heading", { name: "Recorded: Likely qualifies" }).waitFor();
    const { body } = await dana.call("open", { id });
    expect(body).toMatchObject({ outcome: "likely_qualifies", stage: "closed" });
    expect(await page.content()).not.toContain("555-0142");
  });

  it("offers each outcome with its own key, in the order of the keys", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const buttons = page.getByRole("group", { name: "Outcome" }).getByRole("button");
    await buttons.first().waitFor();
    expect((await buttons.allInnerTexts()).map((words) => words.replace(/\s+/g, " "))).toEqual([
      ...["1 Likely qualifies", "2 Needs a doctor's visit first", "3 Does not qualify", "4 Not interested"],
      ...["5 Call back", "6 No answer", "7 Left a message", "8 Wrong number"],
    ]);
  });

  it("takes no key while a note is typed, and keeps the note with the outcome", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.keyboard.press("t");
    await page.keyboard.type("Has 2 daughters, call 1 of them");
    await page.locator("h1").focus();
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    const { body } = await dana.call("open", { id });
    expect(body.calls.map(({ outcome, note }) => [outcome, note])).toEqual([
      ["no_answer", "Has 2 daughters, call 1 of them"],
    ]);
  });

  it("says what was recorded even when the event of it is here before the answer", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.route("**/api/outcome", async (route) => {
      const response = await route.fetch();
      await page.locator(".outcomes").waitFor({ state: "detached" });
      await route.fulfill({ response });
    });
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
  });

  it("has its outcome taken back by the key u", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.keyboard.press("3");
    await page.getByRole("heading", { name: "Recorded: Does not qualify" }).waitFor();
    await page.keyboard.press("u");
    await page.locator(".outcomes").waitFor();
    expect((await dana.call("open", { id })).body).toMatchObject({ outcome: null, stage: "open" });
  });

  it("is refused outside the hours with the next lawful time, and made with the recorded reason", async () => {
    const id = await addLead(database, { zip_code: nightZip, phone: "(111) 555-0177" }, 20);
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    const refusal = page.getByRole("alert");
    await refusal.waitFor();
    expect(await refusal.innerText()).toMatch(
      /^Lawful again (today|\w{3,6}day) \d{1,2}:00 in Vermont\. The 24 hours end (today|\w{3,6}day) \d{1,2}:\d\d(: review now, call (today|\w{3,6}day))?\.$/,
    );
    expect(await page.content()).not.toContain("555-0177");
    await page.getByLabel("The person asked for this time").check();
    await page.getByRole("button", { name: "Call now, and record that reason" }).click();
    await page.locator(".number").waitFor();
    expect((await dana.call("open", { id })).body.calls[0]).toMatchObject({ asked_for_this_time: true });
  });

  it("sets a callback on the person's own clocks, and says why not when no call is lawful then", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.keyboard.press("5");
    const inThreeDays = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel("Day").fill(inThreeDays);
    await page.getByLabel("Time there").fill("03:00");
    await page.getByRole("button", { name: "Set the callback" }).click();
    await page.getByText("No call is lawful then").waitFor();
    await page.getByLabel("Time there").fill("12:30");
    await page.getByRole("button", { name: "Set the callback" }).click();
    await page.getByRole("heading", { name: "Recorded: Call back" }).waitFor();
    expect((await dana.call("open", { id })).body).toMatchObject({ stage: "callback" });
  });

  it("is not asked for a Medicare number: a note that holds one is refused and stays", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.getByLabel("Note, if one is wanted").fill("Card says 1EG4-TE5-MK73");
    await page.locator("h1").focus();
    await page.keyboard.press("1");
    await page.getByText("looks like a Medicare number").waitFor();
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toContain("1EG4");
  });
});

describe("“They asked us to stop”", () => {
  it("takes the number from the screen at once, and shows a proof to print", async () => {
    const phone = aNumber();
    const id = await addLead(database, { phone });
    await addLead(database, { phone, name: "The same person" });
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByRole("heading", { name: "Proof of a stop" }).waitFor();
    expect(await page.content()).not.toContain(phone);
    await expect.poll(() => text(page)).toContain("2 leads with the same number");
    await page.getByRole("link", { name: "Lead", exact: true }).click();
    await page.locator(".stopped").waitFor();
  });

  it("shows the proof even when the event of the stop is here before the answer", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.route("**/api/stop", async (route) => {
      const response = await route.fetch();
      await page.locator(".stopped").waitFor();
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByRole("heading", { name: "Proof of a stop" }).waitFor();
  });

  it("reaches another member's open page by itself", async () => {
    const phone = aNumber();
    const id = await addLead(database, { phone });
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await lee.call("stop-number", { phone });
    await page.locator(".stopped").waitFor();
    expect(await page.content()).not.toContain(phone);
  });

  it("works for a number that a member is told on the phone", async () => {
    const phone = aNumber();
    await addLead(database, { phone });
    const page = await as(dana, "/stop");
    await page.getByLabel("Phone number").fill(phone);
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("Stopped. It ended 1 permission.").waitFor();
  });
});

describe("the eligibility check", () => {
  it("says likely, needs a visit first or not now, with why and the source, and never approved", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByText("Go through the questions").click();
    const answer = (question: string, choice: string) =>
      page.getByRole("group", { name: question }).getByLabel(choice, { exact: true }).check();
    await answer("Has a doctor told you that you have diabetes?", "Yes");
    await answer("Do you use insulin of any kind?", "Yes");
    await answer("Which plan?", "Medicare Part B");
    await page.getByRole("button", { name: "See what it means" }).click();
    const card = page.getByRole("region", { name: "Eligibility" });
    await card.getByRole("heading", { name: "Needs a visit first" }).waitFor();
    await page.getByLabel("The last visit about diabetes").fill(new Date().toISOString().slice(0, 10));
    await page.getByRole("button", { name: "See what it means" }).click();
    await card.getByRole("heading", { name: "Likely", exact: true }).waitFor();
    expect(await card.innerText()).toContain("L33822");
    expect(await card.innerText()).not.toMatch(/\bapproved\b/i);
    expect(await card.getByLabel(/Medicare number/i).count()).toBe(0);
  });
});

describe("a network that drops", () => {
  it("is said, loses nothing that was typed, and the list catches up when it is back", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await leadPage(dana, id);
    // The event stream is open before the network drops, because its opening would say that the connection is there.
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.reload();
    await stream;
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
    await page.context().setOffline(true);
    await page.locator("h1").focus();
    await page.keyboard.press("4");
    await page.getByText("Not sent: there is no connection.").waitFor();
    await page.getByText("No connection. What you type stays here").waitFor();
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Prefers mornings");
    await addLead(database, { name: "Came Meanwhile" });
    await page.context().setOffline(false);
    await page.keyboard.press("4");
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    await page.getByText("No connection. What you type stays here").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("link", { name: "Came Meanwhile" }).waitFor();
  });
});

describe("a server that starts again", () => {
  it("is waited for; the page says so, keeps what was typed, and goes on by itself", async () => {
    const served = await serveInbox(database);
    const member = await served.member("Sam");
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await openAs(browser(), served, member, `/leads/${id}`);
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
    await served.stop();
    await page.getByText("No connection. What you type stays here").waitFor();
    await addLead(database, { name: "Came Meanwhile" });
    const again = await serveInbox(database, { port: Number(new URL(served.url).port), url: served.url });
    await page.getByText("No connection. What you type stays here").waitFor({ state: "detached" });
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Prefers mornings");
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("link", { name: "Came Meanwhile" }).waitFor();
    await page.goto("about:blank");
    await again.stop();
  });
});

describe("a page whose script does not come", () => {
  it("says so, keeps the way around, and comes when it is loaded again", async () => {
    const page = await as(maria);
    await page.route("**/assets/reports-page-*.js", (route) => route.abort());
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
});

describe("two tabs", () => {
  it("lock together and unlock together, and both hear of a new lead", async () => {
    const page = await join("Tess");
    const other = await page.context().newPage();
    await other.goto(inbox.url);
    await other.getByText("Nobody is waiting.").waitFor();
    await page.getByRole("link", { name: "Tess" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await other.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByRole("button", { name: "Unlock with a passkey" }).click();
    await page.getByRole("heading", { name: "Tess" }).waitFor();
    await other.getByText("Nobody is waiting.").waitFor();
    await page.goto(inbox.url);
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await other.getByRole("link", { name: "Rosa Martinez" }).waitFor();
  });
});

describe("the pages' files", () => {
  it("are less than 150 kB of compressed script, with everything that managers see", () => {
    const { name } = JSON.parse(readFileSync(".inbox/current.json", "utf8"));
    const scripts = globSync(`.inbox/${name}/assets/*.js`).map((file) =>
      brotliCompressSync(readFileSync(file)),
    );
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(150_000);
  });
});

describe("the queue on a slow machine", () => {
  it("is asked for before the pages' own script has been read, and asked for once", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana, "/healthz");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.route("**/assets/inbox-*.js", async (route) => {
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

  it("comes whole, though the rows that are seen at once come first", async () => {
    for (let hours = 1; hours <= 20; hours += 1) await addLead(database, {}, hours);
    const page = await as(dana);
    await expect.poll(() => page.locator(".row").count()).toBe(20);
  });
});

describe("the page without a session", () => {
  it("says nothing about anybody, and asks no other server for anything", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await open();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await page.goto(inbox.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.content()).not.toContain("Rosa");
    expect([...new Set(asked)]).toEqual([inbox.url]);
  });
});
