// A lead's page in a browser: the person and the permission, the call, the outcome.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { noAnswers } from "../inbox/client/lead/eligibility-questions.ts";
import { intercept } from "./support/browser.ts";
import { callLead } from "./support/calls.ts";
import { addLead, aPhoneNumber, nightZip } from "./support/inbox.ts";
import { callsUnderWay } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { database, inbox, dana, lee, maria, as, leadPage } = await setUpInboxInBrowser();

describe("a lead's page", () => {
  it("has the permission beside the person, and says when its wording was not stated", async () => {
    const page = await leadPage(dana, await addLead(database, { name: "Rosa Martinez" }));
    expect(await page.locator("h1").innerText()).toBe("Rosa Martinez");
    expect(await text(page, ".permission")).toContain("Wording not stated");
    expect(await page.title()).not.toContain("Rosa");
  });

  it("has what was typed in place of a ZIP code where none can be read from it", async () => {
    const unread = await leadPage(dana, await addLead(database, { zip_code: "Louisville" }));
    expect(await text(unread, ".facts >> nth=0")).toContain("Typed as ZIP code\nLouisville");
    const read = await leadPage(dana, await addLead(database, { zip_code: "33101-1234" }));
    expect(await text(read, ".facts >> nth=0")).not.toContain("Typed as ZIP code");
  });

  it("names the zone of each moment on the member's own clocks, because other times on it are on the person's", async () => {
    const [email, phone] = ["dot@example.com", aPhoneNumber()];
    const id = await addLead(database, { email, phone }, 20);
    await addLead(database, { email }, 30);
    const { call_id } = await callLead(lee, id);
    await lee.call("outcome", { id, call_id, outcome: "no_answer", note: "" });
    await lee.call("eligibility-check", { id, answers: noAnswers });
    const page = await leadPage(dana, id);
    for (const part of [
      ".facts >> nth=0",
      ...["calls", "eligibility", "others"].map((id) => `section:has(#${id})`),
    ])
      expect(await text(page, part), part).toMatch(/\d{4}, \d{1,2}:\d\d [AP]M UTC/);
  });

  it("names no time where the ZIP code does not say where the person is, not even with a number of Hawaii", async () => {
    for (const phone of ["(111) 555-0177", "(808) 555-0177"]) {
      const page = await leadPage(dana, await addLead(database, { zip_code: "00000", phone }));
      expect(await text(page, ".person-time")).toBe("time unknown there");
    }
  });

  it("does not say that nobody has called where the attempts at its number were made for another lead", async () => {
    const phone = aPhoneNumber();
    await callLead(lee, await addLead(database, { phone }));
    const page = await leadPage(dana, await addLead(database, { phone }));
    const history = page.getByRole("region", { name: "Calls so far" });
    expect(await history.innerText()).toContain("1 attempt in the last 24 hours");
    expect(await history.innerText()).toContain(
      "Nobody has called for this lead yet, but somebody has called the same number for another lead.",
    );
    expect(await history.innerText()).not.toContain("Nobody has called yet.");
  });

  it("shows the words of the notice as they were shown, with the day and the page", async () => {
    const id = await addLead(database);
    const hash = createHash("sha256").update("Usted permite").digest("hex");
    await database.owner`insert into private.notices (hash, language, text) values (${hash}, 'es', 'Usted permite')`;
    await database.owner`
      update private.permissions
      set notice_hash = ${hash}, given_at = '2026-11-21T17:05Z', page_origin = 'https://example.com', page_path = '/'
      where lead_id = ${id}`;
    const page = await leadPage(dana, id);
    const permission = await text(page, ".permission");
    expect(permission).toContain("Usted permite");
    expect(permission).toContain("As shown, in Spanish");
    expect(permission).toContain("Given\nNov 21, 2026, ");
    expect(permission).toContain("On the page\nhttps://example.com/");
    expect(await page.locator(".permission blockquote").getAttribute("lang")).toBe("es");
  });

  it("says that a callback is lawful outside the hours at the time for which the person asked", async () => {
    const id = await addLead(database, { zip_code: nightZip });
    const lawful = "Lawful now, because the person asked to be called at this time.";
    // From a quarter of an hour before that time until two hours after it.
    const cases = [14, 16, -1, -119, -121].map((minutes) => [true, minutes] as const);
    for (const [isAsked, minutes] of [...cases, [false, -1] as const]) {
      await database.owner`
        update private.lead_work set stage = 'callback', callback_asked_for = ${isAsked}, callback_zone = 'UTC',
          callback_at = now() + make_interval(mins => ${minutes})
        where lead_id = ${id}`;
      const said = isAsked && minutes < 15 && minutes > -120 ? lawful : "Outside calling hours";
      await (await leadPage(dana, id)).getByText(said).waitFor();
    }
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

  it("is written to the audit log once, however long it is open and whatever other members do", async () => {
    const id = await addLead(database);
    const page = await as(dana, "/healthz");
    await page.clock.install();
    const underWay = callsUnderWay(page);
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.locator(".lead").waitFor();
    const other = await addLead(database, { name: "Another Lead" });
    await lee.call("claim", { id });
    await expect.poll(() => text(page)).toContain("Lee has it");
    const loadedByTheClock = page.waitForResponse("**/api/opened");
    await page.clock.runFor(31_000);
    await loadedByTheClock;
    await expect.poll(underWay).toBe(0);
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

  it("says how to find the lead that is meant when several have the reference of a link", async () => {
    for (const begin of ["0000000a", "0000000b"])
      await addLead(database, { id: `${begin}-0000-7000-8000-0000feedbee5` });
    const page = await as(dana, "/leads/feedbee5");
    await page.getByRole("heading", { name: "Several leads have this reference" }).waitFor();
    expect(await text(page, "main")).toContain("Search for feedbee5 and open the one that is meant.");
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

  it("shows a number that was typed without a gap in groups, and any other as it was typed", async () => {
    const shown = {
      "1115550142": "(111) 555-0142",
      "11115550142": "1 (111) 555-0142",
      "111.555.0142 ext 7": "111.555.0142 ext 7",
    };
    for (const [phone, number] of Object.entries(shown)) {
      const page = await leadPage(dana, await addLead(database, { phone }));
      await page.keyboard.press("c");
      await page.locator(".number").waitFor();
      expect(await text(page, ".number")).toBe(number);
      await page.keyboard.press("6");
      await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    }
  });

  it("offers each outcome with its own key, in the order of the keys", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const buttons = page.getByRole("group", { name: "Outcome" }).getByRole("button");
    await buttons.first().waitFor();
    const words = (await buttons.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    expect(words.join(", ")).toBe(
      "1 Likely qualifies, 2 Needs a doctor's visit first, 3 Does not qualify, 4 Not interested, " +
        "5 Call back, 6 No answer, 7 Left a message, 8 Wrong number",
    );
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
    expect(body.call_log.map(({ outcome, note }) => [outcome, note])).toEqual([
      ["no_answer", "Has 2 daughters, call 1 of them"],
    ]);
  });

  it("says what was recorded even when the event of it is here before the answer", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await intercept(page, "**/api/outcome", async (route) => {
      const response = await route.fetch();
      await page.locator(".number").waitFor({ state: "detached" });
      await route.fulfill({ response });
    });
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
  });

  it("shows its number, and no word of trouble beside it, where the answer was lost", async () => {
    const page = await leadPage(dana, await addLead(database));
    await intercept(page, "**/api/call", async (route) => {
      await route.fetch();
      await page.locator(".number").waitFor();
      await route.abort();
    });
    const lost = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/call"));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await lost;
    // The page has taken notice of the failure by the time that another answer is on screen.
    await page.getByRole("button", { name: "Show health answers" }).click();
    await page.getByRole("button", { name: "Hide" }).waitFor();
    expect(await page.locator(".call").getByRole("alert").count()).toBe(0);
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
      /^Lawful again (today|\w{3,6}day) \d{1,2}:00 [AP]M in Vermont\. The 24 hours end (today|\w{3,6}day) \d{1,2}:\d\d [AP]M(: review now, call (today|\w{3,6}day))?\.$/,
    );
    expect(await page.content()).not.toContain("555-0177");
    await page.getByLabel("The person asked for this time").check();
    await page.getByRole("button", { name: "Call now, and record that reason" }).click();
    await page.locator(".number").waitFor();
    expect((await dana.call("open", { id })).body.call_log[0]).toMatchObject({ asked_for_this_time: true });
  });

  it.each([
    [
      "on the clocks of the state that is named",
      { zip_code: "33101", phone: "(808) 555-0177" },
      "in Florida",
    ],
    ["in Eastern time where the ZIP code is unknown", { zip_code: "00000" }, "Eastern time"],
  ])("is said to be lawful until a time %s", async (_, lead, clocks) => {
    const id = await addLead(database, lead);
    await dana.call("queue", {});
    await database.owner`
      update private.place_windows w
      set callable = true, callable_until = '2099-01-26T17:00Z', callable_at = null, reason = null, blocking_state = null,
        blocking_zone = null, holds_until = now() + interval '1 hour'
      from private.lead_work l where l.lead_id = ${id} and w.place = l.place`;
    const page = await leadPage(dana, id);
    expect(await page.getByText("Lawful now until").innerText()).toMatch(
      new RegExp(`^Lawful now until .+ 12:00 PM ${clocks}\\.$`),
    );
  });

  it("is said to be refused no longer than it is", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    const refusal = page.locator(".call").getByRole("alert");
    await lee.call("claim", { id });
    await page.keyboard.press("c");
    await refusal.getByText("Lee has this lead. Call when it is free again.").waitFor();
    await lee.call("release", { id });
    await refusal.waitFor({ state: "detached" });
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    await page.keyboard.press("c");
    await refusal.getByText("Calls to Vermont are paused.").waitFor();
    await maria.call("resume-state", { state: "VT" });
    await lee.call("claim", { id });
    await lee.call("release", { id });
    await refusal.waitFor({ state: "detached" });
    // The reason is over before the page has loaded the lead with it.
    const isOver = Promise.withResolvers<void>();
    await intercept(page, "**/api/opened", async (route) => {
      await isOver.promise;
      await route.continue();
    });
    await lee.call("claim", { id });
    await page.keyboard.press("c");
    await refusal.getByText("Lee has this lead. Call when it is free again.").waitFor();
    await lee.call("release", { id });
    isOver.resolve();
    await refusal.waitFor({ state: "detached" });
  });

  it("is not said to be lawful when three attempts were made, nor to have no lawful hour where a state is paused", async () => {
    const phone = aPhoneNumber();
    for (let nth = 0; nth < 3; nth += 1) await callLead(lee, await addLead(database, { phone }));
    const page = await leadPage(dana, await addLead(database, { phone }));
    const panel = page.locator(".call");
    await panel.getByText("Three attempts made, no more before").waitFor();
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    await page.keyboard.press("c");
    const refusal = panel.getByRole("alert");
    await refusal.getByText("Three attempts in 24 hours have been made").waitFor();
    expect(await refusal.innerText()).toContain("Calls to Vermont are paused.");
    expect(await refusal.innerText()).not.toContain("No hour in the next 14 days");
    await maria.call("resume-state", { state: "VT" });
  });

  it("keeps the reason that the member gave where no answer to it comes", async () => {
    const page = await leadPage(dana, await addLead(database, { zip_code: nightZip }));
    await page.keyboard.press("c");
    await page.getByLabel("The person asked for this time").check();
    await intercept(page, "**/api/call", (route) => route.abort());
    await page.getByRole("button", { name: "Call now, and record that reason" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    expect(await page.getByLabel("The person asked for this time").isChecked()).toBe(true);
    await page.unroute("**/api/call");
    await page.getByRole("button", { name: "Call now, and record that reason" }).click();
    await page.locator(".number").waitFor();
  });

  it("is said to be refused as long as no permission is recorded", async () => {
    const id = await addLead(database);
    await database.owner`delete from private.permissions where lead_id = ${id}`;
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    const refusal = page.locator(".call").getByRole("alert");
    await refusal.getByText("No permission is recorded. Do not call.").waitFor();
    await lee.call("claim", { id });
    await page.getByText("Lee has it.").waitFor();
    expect(await refusal.count()).toBe(1);
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
    const { stage, callback_at, place } = (await dana.call("open", { id })).body;
    const there = new Date(callback_at ?? "").toLocaleString("sv-SE", { timeZone: place.zones[0] });
    expect([stage, there]).toEqual(["callback", `${inThreeDays} 12:30:00`]);
  });

  it("has no Medicare number in its note: one that is typed is refused, and stays in the field", async () => {
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
