// A page of the inbox that nobody touches: what it shows of others' work, and what it does not do in the absent member's name.
import type { Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { callLead, whoDid } from "./support/calls.ts";
import { addLead } from "./support/inbox.ts";
import { callsUnderWay, said } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { database, inbox, dana, lee, maria, as, leadPage } = await setUpInboxInBrowser();

/** Dates a member's last activity ten minutes back. Returns a function that says whether that is still so. */
async function goIdle(member: string) {
  await database.owner`
    update private.sessions set last_seen_at = now() - interval '10 minutes' where member_id = ${member}`;
  return async () => {
    const [row] = await database.owner<{ idle: boolean }[]>`
      select max(last_seen_at) < now() - interval '9 minutes' as idle from private.sessions where member_id = ${member}`;
    return row?.idle;
  };
}

/** Dana's queue on a clock that the test moves, how often the page has reported her activity, and how many calls are under way. */
async function queueOnClock() {
  const page = await as(dana, "/healthz");
  await page.clock.install();
  const underWay = callsUnderWay(page);
  let reports = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/keep-alive")) reports += 1;
  });
  const stream = page.waitForRequest("**/api/events");
  await page.goto(inbox.url);
  // The page opens its event stream when it has begun to follow what its member does.
  await stream;
  return { page, underWay, reports: () => reports };
}

describe("a lead's page that is left open", () => {
  it("shows what another member did with the lead, each time", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    for (const [nth, note] of ["Rang twice", "Rang again"].entries()) {
      const { call_id } = await callLead(lee, id);
      await page.getByText(`${nth + 1} attempt`).waitFor();
      await lee.call("outcome", { id, call_id, outcome: "no_answer", note });
      await page.getByText(note).waitFor();
    }
    expect(await text(page)).toContain("2 attempts in the last 24 hours");
  });

  it("shows a later eligibility check of another member in place of one's own", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    const card = page.getByRole("region", { name: "Eligibility" });
    await card.getByText("Go through the questions").click();
    await card.getByRole("button", { name: "See what it means" }).click();
    await card.getByText("Checked by Dana").waitFor();
    const { answers } = (await dana.call("open", { id })).body.checks[0] ?? {};
    if (!answers) throw new Error("no check");
    await lee.call("eligibility-check", { id, answers: { ...answers, diabetes: "no" } });
    await card.getByText("Checked by Lee").waitFor();
    await card.getByText("No diagnosis of diabetes.").waitFor();
  });

  it("writes nothing to the audit log when others work on the lead, and lets the session go idle", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.getByText("Nobody has called yet.").waitFor();
    const isIdle = await goIdle(dana.id);
    const { call_id } = await callLead(lee, id);
    await lee.call("outcome", { id, call_id, outcome: "not_interested", note: "Has one already" });
    await page.getByText("Has one already").waitFor();
    expect(await whoDid(database, "opened lead", id)).toEqual(["Dana"]);
    expect(await isIdle()).toBe(true);
  });
});

describe("a tab in the background while its member works in another", () => {
  it("is not locked after the idle minutes, and opens its lead no second time", async () => {
    const id = await addLead(database);
    const page = await as(dana, "/healthz");
    await page.clock.install();
    await page.addInitScript(() =>
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" }),
    );
    const underWay = callsUnderWay(page);
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.locator(".lead").waitFor();
    // In steps, because a call that is not answered within 20 seconds of the page's clock counts as lost.
    for (let seconds = 0; seconds < 15 * 60 + 20; seconds += 10) {
      await page.clock.runFor(10_000);
      await expect.poll(underWay).toBe(0);
    }
    await lee.call("claim", { id });
    await page.getByText("Lee has it.").waitFor();
    expect(await whoDid(database, "opened lead", id)).toEqual(["Dana"]);
  });
});

/** Works in another tab of the page's browser, so many minutes later by its clock. */
async function workInAnotherTab(page: Page, minutesLater: number): Promise<void> {
  const other = await page.context().newPage();
  // The two share one clock, which the test moves on later.
  await other.addInitScript((minutes) => {
    const now = Date.now;
    Date.now = () => now() + minutes * 60_000;
  }, minutesLater);
  await other.goto(inbox.url);
  const reported = other.waitForResponse("**/api/keep-alive");
  await other.getByRole("heading", { name: "Leads" }).click();
  await reported;
  await other.close();
}

describe("a tab that nobody touches while its member works in another", () => {
  it("is not locked where the server gives no answer for a moment", async () => {
    const { page, underWay } = await queueOnClock();
    await workInAnotherTab(page, 14);
    // In steps, because a page whose timers have not run for two minutes concludes that the machine slept.
    for (let minutes = 0; minutes < 15; minutes += 1) {
      await expect.poll(underWay).toBe(0);
      await page.clock.fastForward("01:00");
    }
    await expect.poll(underWay).toBe(0);
    let asked = 0;
    await intercept(page, "**/api/me", (route) => {
      asked += 1;
      return route.fulfill({ status: 503, body: "" });
    });
    // Each time the page has known for five seconds that the last question had no answer.
    for (const times of [1, 2, 3]) {
      await page.clock.runFor(5_000);
      await expect.poll(() => asked).toBeGreaterThanOrEqual(times);
      await expect.poll(underWay).toBe(0);
    }
    expect(await page.getByRole("heading", { name: "Locked" }).count()).toBe(0);
  });
});

describe("a tab that the browser froze", () => {
  const minutesLater = 16;

  it("is not locked when it runs again where its member worked in another, and opens its lead no second time", async () => {
    const id = await addLead(database);
    const page = await as(dana, "/healthz");
    await page.clock.install();
    const underWay = callsUnderWay(page);
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.locator(".lead").waitFor();
    await expect.poll(underWay).toBe(0);
    await workInAnotherTab(page, minutesLater);
    // Runs each timer once at most. A minute later, because the other page was opened a moment after this one.
    await page.clock.fastForward((minutesLater + 1) * 60_000);
    await lee.call("claim", { id });
    await page.getByText("Lee has it.").waitFor();
    expect(await whoDid(database, "opened lead", id)).toEqual(["Dana"]);
  });

  it("is locked at once when it runs again where its member was away from every tab", async () => {
    const { page } = await queueOnClock();
    await intercept(page, "**/api/me", () => {});
    await page.clock.fastForward(minutesLater * 60_000);
    await page.getByRole("heading", { name: "Locked" }).waitFor();
  });
});

describe("a member who stops for a while", () => {
  it("is reported as active until then, so that the session is locked by the idle minutes and not before", async () => {
    const { page, reports } = await queueOnClock();
    await page.mouse.move(10, 10);
    await expect.poll(reports).toBe(1);
    await page.clock.runFor(50_000);
    await page.mouse.move(20, 20);
    await page.clock.runFor(4_000);
    expect(reports()).toBe(1);
    await page.clock.runFor(6_000);
    await expect.poll(reports).toBe(2);
    await page.clock.runFor(120_000);
    expect(reports()).toBe(2);
  });
});

describe("a page that nobody touches while its server is slow", () => {
  it("waits for the answer to its question whether it is locked, and asks no second time meanwhile", async () => {
    const { page, underWay } = await queueOnClock();
    // In steps, because a page whose timers have not run for two minutes concludes that the machine slept, and a call that is not answered
    // within 20 seconds of the page's clock counts as lost.
    for (let minutes = 0; minutes < 14; minutes += 1) {
      await expect.poll(underWay).toBe(0);
      await page.clock.fastForward("01:00");
    }
    await expect.poll(underWay).toBe(0);
    const asked: Route[] = [];
    await intercept(page, "**/api/me", (route) => void asked.push(route));
    await page.clock.fastForward("01:15");
    await expect.poll(() => asked).toHaveLength(1);
    await page.clock.runFor(12_000);
    expect(asked).toHaveLength(1);
    await asked[0]?.fulfill({ status: 423, body: "" });
    await page.getByRole("heading", { name: "Locked" }).waitFor();
  });
});

describe("a page on which another member has signed in meanwhile, in another tab", () => {
  it("opens the lead anew in that member's name, and keeps nothing that the first one had on screen", async () => {
    const id = await addLead(database);
    const page = await as(dana, "/healthz");
    // An event would make the page open the lead anew before it knows that the session is another member's.
    await intercept(page, "**/api/events", () => {});
    const underWay = callsUnderWay(page);
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.getByRole("button", { name: "Show health answers" }).click();
    await page.getByText("Diagnosed with diabetes").waitFor();
    await expect.poll(underWay).toBe(0);
    const value = lee.cookie.split("=")[1] ?? "";
    await page.context().addCookies([{ name: "session", value, url: inbox.url }]);
    await page.evaluate(() => new BroadcastChannel("inbox-session").postMessage("check"));
    await page.getByRole("link", { name: "Lee", exact: true }).waitFor();
    await expect.poll(() => whoDid(database, "opened lead", id)).toEqual(["Dana", "Lee"]);
    await page.getByRole("button", { name: "Show health answers" }).waitFor();
    expect(await page.content()).not.toContain("Diagnosed with diabetes");
  });
});

describe("a page whose member has signed in anew in another tab", () => {
  it("goes on with the lead, opened once more in the new session", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    const [begun] = await database.owner<{ session: { token: string } }[]>`
      select private.begin_session(${dana.id}, 'test') as session`;
    const shownAtOpening: string[] = [];
    await intercept(page, "**/api/open", async (route) => {
      shownAtOpening.push(await text(page));
      await route.continue();
    });
    await page.context().addCookies([{ name: "session", value: begun?.session.token ?? "", url: inbox.url }]);
    await lee.call("claim", { id });
    await page.getByText("Lee has it.").waitFor();
    // A load that was sent in the former session may have shown that already.
    await expect.poll(() => whoDid(database, "opened lead", id)).toEqual(["Dana", "Dana"]);
    expect(shownAtOpening).toHaveLength(1);
    expect(shownAtOpening[0]).not.toContain("Only a manager may do that.");
    await lee.call("release", { id });
    await page.getByText("Nobody has it").waitFor();
    expect(await page.getByText("What stands here may be out of date.").count()).toBe(0);
  });
});

describe("a member who works while the clock of their machine is set back", () => {
  it("is reported as active as before, so that the session is not locked", async () => {
    const { page, reports } = await queueOnClock();
    await page.mouse.move(10, 10);
    await expect.poll(reports).toBe(1);
    await page.clock.setSystemTime(Date.now() - 3_600_000);
    await page.mouse.move(20, 20);
    await page.clock.runFor(60_000);
    await page.mouse.move(30, 30);
    await expect.poll(reports).toBe(2);
  });
});

describe("the team's page that is left open", () => {
  it("shows who was invited by another manager, and lets the session go idle", async () => {
    const page = await as(maria, "/account");
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(`${inbox.url}/team`);
    await stream;
    await page.getByRole("heading", { name: "Members" }).waitFor();
    const isIdle = await goIdle(maria.id);
    const olga = await inbox.member("Olga", "manager");
    await olga.call("members/invite", { name: "Pat", role: "member" });
    await page.getByRole("button", { name: "Remove Pat" }).waitFor();
    expect(await isIdle()).toBe(true);
  });

  it("shows that an invited member has come, and that another manager has ended their ways in", async () => {
    const rose = await inbox.member("Rose", "manager");
    await rose.call("members/invite", { name: "Quinn", role: "member" });
    const [quinn] = await database.owner<
      { id: string }[]
    >`select id from private.members where name = 'Quinn'`;
    const id = quinn?.id ?? "";
    const page = await as(maria, "/account");
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(`${inbox.url}/team`);
    await stream;
    const line = page.getByRole("listitem").filter({ hasText: "Quinn" });
    await line.getByText("invited, not here yet").waitFor();
    await database.owner`select private.begin_session(${id}, 'test')`;
    await line.getByText("invited, not here yet").waitFor({ state: "detached" });
    await database.owner`
      insert into private.passkeys (id, member_id, public_key, counter, backed_up, label)
      values ('of Quinn', ${id}, '', 0, false, 'Phone')`;
    await page.reload();
    await line.getByText("1 passkey").waitFor();
    await rose.call("members/recover", { id });
    await line.getByText("1 passkey").waitFor({ state: "detached" });
  });
});

describe("a lead that is read again", () => {
  it("is given only for the member's own opening of it, which is not older than the session", async () => {
    const id = await addLead(database);
    const { entry } = (await dana.call("open", { id })).body;
    expect((await dana.call("opened", { entry })).body).toMatchObject({ id, entry });
    expect((await lee.call("opened", { entry })).status).toBe(403);
    const [claimed] = await database.owner<{ id: string }[]>`
      insert into private.audit_log (member_id, who, action, lead_id) values (${dana.id}, 'Dana', 'claimed lead', ${id}) returning id`;
    expect((await dana.call("opened", { entry: Number(claimed?.id) })).status).toBe(403);
    await database.owner`update private.audit_log set at = now() - interval '1 day' where id = ${entry}`;
    expect((await dana.call("opened", { entry })).status).toBe(403);
  });

  it("is not there any more when it was erased", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await expect.poll(() => said(page)).toContain("You may call. The number is shown.");
    await maria.call("erase", { id, reference: id.slice(-8) });
    await page.getByRole("heading", { name: "There is no such lead" }).waitFor();
    await expect.poll(() => page.getByRole("status").allInnerTexts()).toEqual([""]);
  });
});
