// The alert that leads wait and no channel has notified the team of them. It uses what is left when every channel is down: the log, the
// inbox, an address of the operator's (ALERT_URL), and a status for a monitoring program.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readConfig } from "../config/config.ts";
import { syncSettings } from "../database/sync-settings.ts";
import { makeAlertCheck, messageOf } from "../delivery/alert.ts";
import { composeDelivery } from "../delivery/compose.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { makeLog } from "../log/log.ts";
import { useBrowser } from "./support/browser.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox, serveInbox } from "./support/inbox.ts";
import { openAs } from "./support/inbox-pages.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";

const { browser } = useBrowser();
let lines: string[] = [];
const log = makeLog((line) => lines.push(line));
const { database, inbox } = await makeInbox();
await syncSettings(database.owner, { notices: [], keepAddress: true, alertAfterMinutes: 15 });
beforeEach(async () => {
  lines = [];
  await removeLeads(database.owner);
  await database.owner`delete from private.alert_state`;
  await database.owner`insert into private.alert_state default values`;
  await syncChannels(database.owner, ["webhook"]);
});

/** A minute in hours, in which `addLead` takes the age of a lead. */
const minute = 1 / 60;
const check = (url?: string) => makeAlertCheck({ url }, log)(database.owner);
const deliver = (id: string) =>
  database.owner`update private.deliveries set delivered_at = now() where lead_id = ${id}`;

describe("leads that wait while no channel takes a message about them", () => {
  it("are an alert when they have waited as long as the settings say, whether a channel is set up or none", async () => {
    for (const channels of [["webhook"], []]) {
      await syncChannels(database.owner, channels);
      await addLead(database, {}, 14 * minute);
      await check();
      expect(lines).toEqual([]);
      await addLead(database, {}, 16 * minute);
      await check();
      expect(lines).toEqual([expect.stringContaining(" error leads-unnotified: ")]);
      expect(lines[0]?.endsWith(" leads=1 minutes=16\n")).toBe(true);
      await removeLeads(database.owner);
      await check();
      lines = [];
    }
  });

  it("are no alert when a channel took a message about them, somebody called or reviewed them, or the person withdrew", async () => {
    const { owner } = database;
    const [delivered, tried, reviewed, withdrawn, called] = [
      await addLead(database),
      await addLead(database),
      await addLead(database),
      await addLead(database),
      await addLead(database),
    ] as [string, string, string, string, string];
    await syncChannels(owner, ["webhook", "email"]);
    await deliver(delivered);
    await owner`update private.lead_work set tried_at = now() where lead_id = ${tried}`;
    await owner`insert into private.reviews (lead_id) values (${reviewed})`;
    await owner`select private.withdraw_permission(${withdrawn})`;
    // Of this call no outcome is recorded yet.
    await owner`
      with dana as (insert into private.members (name, role) values ('Who calls', 'member') returning id)
      insert into private.calls (lead_id, number_key, member_id) select ${called}, 'a number', id from dana`;
    await check();
    expect(lines).toEqual([]);
  });

  it("are no alert any more when a channel took the message that they are overdue, although it took none that they came", async () => {
    const lead = await addLead(database, {}, 21);
    await database.owner`select private.enqueue_overdue_alerts()`;
    await check();
    await database.owner`
      update private.deliveries set delivered_at = now() where lead_id = ${lead} and event = 'lead.overdue'`;
    await check();
    expect(lines.map((line) => line.split(" ")[2])).toEqual(["leads-unnotified:", "leads-unnotified-ended:"]);
  });

  it("raise the alert once, again every four hours, and its end once", async () => {
    const lead = await addLead(database);
    await Promise.all([check(), check(), check()]);
    await check();
    expect(lines).toHaveLength(1);
    await database.owner`update private.alert_state set alerted_at = now() - interval '3 hours 50 minutes'`;
    await check();
    expect(lines).toHaveLength(1);
    await database.owner`update private.alert_state set alerted_at = now() - interval '4 hours 1 minute'`;
    await check();
    expect(lines).toHaveLength(2);
    await deliver(lead);
    await Promise.all([check(), check()]);
    expect(lines.slice(2)).toEqual([expect.stringContaining(" info leads-unnotified-ended: ")]);
  });

  it("remain an alert when they are older than three days, and their deliveries have failed for good", async () => {
    const { owner } = database;
    const lead = await addLead(database, {}, 71.9);
    await check();
    lines = [];
    await owner`update private.lead_work set created_at = now() - interval '73 hours' where lead_id = ${lead}`;
    await owner`update private.alert_state set oldest_at = w.created_at from private.lead_work w`;
    await owner`update private.deliveries set failed_at = now() where lead_id = ${lead}`;
    await check();
    await addLead(database, {}, 16 * minute);
    await check();
    expect(lines).toEqual([]);
    await owner`update private.alert_state set alerted_at = now() - interval '4 hours 1 minute'`;
    await check();
    expect(lines.join("")).toContain(` leads=2 minutes=${73 * 60}`);
    await owner`update private.lead_work set tried_at = now()`;
    await check();
    expect(lines.at(-1)).toContain(" info leads-unnotified-ended: ");
  });

  it("raise the alert again, and are counted again, after a moment in which the database's clock was a year ahead", async () => {
    const dana = await inbox.member("Dana of the year ahead");
    const count = async () => (await dana.call("alert")).body.leads;
    await addLead(database);
    await database.owner`
      update private.alert_state
      set (alerted_at, counted_at, sending_until, leads) = (select t, t, t, 7 from (select now() + interval '1 year' as t) ahead)`;
    expect(await count()).toBe(1);
    const receiver = await startReceiver();
    await check(receiver.url);
    expect([lines.length, receiver.received.length]).toEqual([1, 1]);
  });

  it("raise no alert when they came more than three days ago, because the team was alerted then", async () => {
    await addLead(database, {}, 73);
    await check();
    expect(lines).toEqual([]);
  });

  it("are never an alert where the settings name no minutes for it", async () => {
    await addLead(database);
    await database.owner`update private.settings set alert_after_minutes = null`;
    await check();
    await database.owner`update private.settings set alert_after_minutes = 15`;
    expect(lines).toEqual([]);
  });
});

describe("ALERT_URL", () => {
  it("gets the alert and its end, without a word about a person", async () => {
    const receiver = await startReceiver();
    const checkAlert = makeAlertCheck({ url: receiver.url }, log);
    const lead = await addLead(database, {}, 42 * minute);
    await checkAlert(database.owner);
    await deliver(lead);
    await checkAlert(database.owner);
    await checkAlert(database.owner);
    expect(receiver.received.map(({ json }) => json)).toEqual([
      {
        type: "leads-unnotified.began",
        leads: 1,
        oldest_minutes: 42,
        text: "1 lead waits, the oldest for 42 minutes, and the team has not been notified: no channel has taken a message about them. Look into the inbox, and at: npm run leads -- status",
      },
      {
        type: "leads-unnotified.ended",
        leads: 0,
        oldest_minutes: null,
        text: "No lead waits any more of which the team has not been notified.",
      },
    ]);
  });

  it.each([
    [{ leads: 1, minutes: 1 }, "1 lead waits, the oldest for 1 minute,"],
    [{ leads: 2, minutes: 90 }, "2 leads wait, the oldest for 90 minutes,"],
    [{ leads: 2, minutes: 300 }, "2 leads wait, the oldest for 5 hours,"],
    [{ leads: 2, minutes: 4_320 }, "2 leads wait, the oldest for 3 days,"],
  ])("gets the alert in words that fit the numbers (%o)", (waiting, beginning) => {
    expect(messageOf({ what: "began", ...waiting }).text.startsWith(beginning)).toBe(true);
  });

  it("gets the alert again at the next check when it did not take the first one, and the log says why", async () => {
    const receiver = await startReceiver(answers(500));
    const checkAlert = makeAlertCheck({ url: receiver.url }, log);
    await addLead(database);
    await checkAlert(database.owner);
    receiver.answer = answers(204);
    await checkAlert(database.owner);
    await checkAlert(database.owner);
    expect(receiver.received).toHaveLength(2);
    expect(lines.filter((line) => line.includes("alert-not-sent")).join("")).toMatch(
      /reason="the alert's server answered 500"\n$/,
    );
    await receiver.close();
    await database.owner`update private.alert_state set alerted_at = null`;
    await checkAlert(database.owner);
    expect(lines.at(-1)).toContain("refuses the connection");
  });

  it("that does not answer in time is logged so, and not as a server that is gone", async () => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      expect(milliseconds).toBe(10_000);
      return AbortSignal.abort(new DOMException("late", "TimeoutError"));
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await addLead(database);
    await makeAlertCheck({ url: "http://127.0.0.1:9/" }, log)(database.owner);
    expect(lines.at(-1)).toContain('reason="no answer within 10 s"');
  });

  it("gets from the next process the alert that another process found and could not send", async () => {
    const away = await startReceiver(answers(500));
    await addLead(database);
    await check(away.url);
    const receiver = await startReceiver();
    await check(receiver.url);
    await check(receiver.url);
    expect(receiver.received.map(({ json }) => json.type)).toEqual(["leads-unnotified.began"]);
    expect(lines.filter((line) => line.includes(" leads-unnotified: "))).toHaveLength(1);
  });

  it("gets an alert from one process at a time, and from the next one when the time for sending is over", async () => {
    const hanging = await startReceiver(() => {});
    await addLead(database);
    const hangs = check(hanging.url);
    await until(() => hanging.received.length === 1);
    const receiver = await startReceiver();
    await check(receiver.url);
    expect(receiver.received).toEqual([]);
    await database.owner`update private.alert_state set sending_until = now() - interval '1 second'`;
    await check(receiver.url);
    expect(receiver.received).toHaveLength(1);
    await hanging.close();
    await hangs;
  });

  it("never gets the message that an alert began after the one that it ended, although one of two processes could not send the first", async () => {
    const receiver = await startReceiver(answers(500));
    const [one, other] = [
      makeAlertCheck({ url: receiver.url }, log),
      makeAlertCheck({ url: receiver.url }, log),
    ];
    const lead = await addLead(database);
    await one(database.owner);
    receiver.answer = answers(204);
    await deliver(lead);
    await other(database.owner);
    await one(database.owner);
    expect(receiver.received.map(({ json }) => json.type)).toEqual([
      "leads-unnotified.began",
      "leads-unnotified.ended",
    ]);
  });

  it("is used by a hosted function's run as well", async () => {
    const receiver = await startReceiver();
    const delivery = composeDelivery({
      config: readConfig({ ALERT_URL: receiver.url }),
      notices: [],
      log,
    });
    await addLead(database);
    await delivery.deliverDue({ query: (work) => work(database.owner), end: async () => {} }, { seconds: 5 });
    expect(receiver.received).toHaveLength(1);
  });
});

describe("the inbox", () => {
  it("says on its pages, to members and managers, that leads wait, as long as they do", async () => {
    const dana = await inbox.member("Dana");
    const page = await openAs(browser(), inbox, dana);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const bannerOn = (shown: Page) =>
      shown.getByRole("alert").filter({ hasText: "Leads wait, and no message told of them." });
    const banner = bannerOn(page);
    expect(await banner.count()).toBe(0);
    const lead = await addLead(database, {}, 61 * minute);
    await check();
    await banner.waitFor();
    // The alert itself does not change with the minutes, or a screen reader would say it each minute.
    expect(await banner.innerText()).toBe("Leads wait, and no message told of them.");
    expect(await page.locator(".banner").innerText()).toContain(
      "1 lead, the oldest for 1 h. Look at the queue, and tell your manager.",
    );
    await bannerOn(await openAs(browser(), inbox, await inbox.member("Maria", "manager"))).waitFor();
    await page.getByRole("link", { name: "Health" }).click();
    await banner.waitFor();
    await deliver(lead);
    await check();
    await banner.waitFor({ state: "detached" });
  });

  it("has the waiting leads counted by the delivery, and not for each page; where no delivery runs, once in two minutes", async () => {
    const dana = await inbox.member("Asks again and again");
    const leads = async () => (await dana.call("alert")).body.leads;
    const lead = await addLead(database);
    await check();
    expect(await leads()).toBe(1);
    await deliver(lead);
    expect(await leads()).toBe(1);
    await check();
    expect(await leads()).toBe(0);
    await addLead(database);
    expect(await leads()).toBe(0);
    await database.owner`update private.alert_state set counted_at = now() - interval '1 minute 30 seconds'`;
    expect(await leads()).toBe(0);
    await database.owner`update private.alert_state set counted_at = now() - interval '2 minutes 1 second'`;
    expect(await leads()).toBe(1);
  });

  it("does not ask for the alert again when a lead comes", async () => {
    const page = await openAs(browser(), inbox, await inbox.member("Watches the queue"));
    // No event tells of a lead that comes before the event stream is open.
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.reload();
    await stream;
    await page.getByText("Nobody is waiting.").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (const name of ["Rosa Martinez", "Ann Smith"]) {
      const asks = page.waitForRequest((request) => request.url().endsWith("/api/queue"));
      await addLead(database, { name });
      await asks;
      await page.getByRole("link", { name }).waitFor();
    }
    expect(asked.filter((path) => path === "/api/alert").length).toBeLessThan(2);
  });

  it("answers a monitor that reads only the status of an answer", async () => {
    const lead = await addLead(database);
    const watched = async () => (await fetch(`${(await serveInbox(database)).url}/alertz`)).status;
    expect(await watched()).toBe(503);
    await deliver(lead);
    expect(await watched()).toBe(200);
    const { url } = await serveInbox(database, { metricsToken: "secret" });
    expect((await fetch(`${url}/alertz`)).status).toBe(401);
  });
});
