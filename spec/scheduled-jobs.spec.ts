// What the delivery does beside delivering: it alerts the team to leads that wait too long, and counts once a day. And one run over
// everything due, as a hosted function makes it.
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "../config/config.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { channelNames } from "../delivery/channels/registry.ts";
import { composeDelivery } from "../delivery/compose.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { enqueueWaiting, jobConnections, makeScheduledJobs, reconcile } from "../delivery/scheduled-jobs.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";
import { decoded, startMailServer } from "./support/mail-server.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";

const { owner: sql, intake, url } = await makeDatabase();
let lines: string[] = [];
const log = makeLog((line) => lines.push(line));

beforeEach(async () => {
  lines = [];
  await removeLeads(sql);
  await sql`update private.channels set enabled = false, cooldown_until = null`;
});

const insertMany = async (count: number) => {
  const leads = Array.from({ length: count }, (_, i) =>
    aLead({ name: `Visitor ${i}`, phone: `305 555 01${10 + i}` }),
  );
  await intake`insert into public.leads ${intake(leads)}`;
};
const counts = async () => {
  const [row] = await sql`
    select count(delivered_at)::int as delivered, count(failed_at)::int as failed, count(*)::int as owed
    from private.deliveries`;
  return row;
};
const database = makeResilientConnection(() => sql, log);
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/** The delivery as a program composes it from settings. */
const compose = (env: Record<string, string>) =>
  composeDelivery({
    config: readConfig({ SITE_URL: "https://site.example", ...env }),
    notices: [{ language: "en", text: "You may call me." }],
    log,
  });
const webhookTo = (url: string) => ({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret });
const mailTo = (smtpUrl: string) => ({
  SMTP_URL: smtpUrl,
  MAIL_FROM: "leads@a.example",
  NOTIFY_EMAIL: "team@a.example",
});

describe("the scheduled jobs", () => {
  it("notify every channel once of a lead that has waited 20 hours, and log it", async () => {
    await syncChannels(sql, ["email", "webhook"]);
    await insertMany(2);
    const later = new Date(Date.now() + 20.5 * 3_600_000);
    await Promise.all([1, 2, 3].map(() => enqueueWaiting(sql, log, later)));
    const overdue =
      await sql`select distinct lead_id, channel from private.deliveries where event = 'lead.overdue'`;
    expect(overdue).toHaveLength(4);
    expect(await counts()).toMatchObject({ owed: 8 });
    expect(lines.join("")).toMatch(/warn leads-overdue: .{0,300} deliveries=\d/);
  });

  it("take back an alert that is not sent yet, when its lead is reviewed or its permission withdrawn", async () => {
    await syncChannels(sql, ["webhook"]);
    await insertMany(4);
    const at = (hours: number) => enqueueWaiting(sql, log, new Date(Date.now() + hours * 3_600_000));
    await at(20.5);
    await sql`insert into private.reviews (lead_id) select id from public.leads where name in ('Visitor 0', 'Visitor 1')`;
    await sql`
      update private.permissions set withdrawn_at = now()
      where lead_id = (select id from public.leads where name = 'Visitor 2')`;
    // A message that is under way stays.
    await sql`
      update private.deliveries set claimed_until = now() + interval '1 minute'
      where event = 'lead.overdue' and lead_id = (select id from public.leads where name = 'Visitor 1')`;
    await at(20.6);
    expect(
      await sql`
        select l.name from private.deliveries d join public.leads l on l.id = d.lead_id
        where d.event = 'lead.overdue' order by l.name`,
    ).toEqual([{ name: "Visitor 1" }, { name: "Visitor 3" }]);
  });

  it("send no alert about a person who withdrew the permission", async () => {
    await syncChannels(sql, ["webhook"]);
    await insertMany(2);
    await sql`select private.withdraw_permission(id) from public.leads where name = 'Visitor 0'`;
    await enqueueWaiting(sql, log, new Date(Date.now() + 20.5 * 3_600_000));
    expect(
      await sql`
        select l.name from private.deliveries d join public.leads l on l.id = d.lead_id
        where d.event = 'lead.overdue'`,
    ).toEqual([{ name: "Visitor 1" }]);
  });

  it("enqueue a message about each lead that came before any channel was set up", async () => {
    await insertMany(3);
    expect(await counts()).toMatchObject({ owed: 0 });
    await syncChannels(sql, ["webhook"]);
    await enqueueWaiting(sql, log);
    expect(await counts()).toMatchObject({ owed: 3 });
  });

  it("enqueue the message about a lead before the alert, when the lead waited over 20 hours before any channel was set up", async () => {
    await syncChannels(sql, []);
    await insertMany(1);
    await sql`update public.leads set created_at = now() - interval '21 hours'`;
    await syncChannels(sql, ["webhook"]);
    await enqueueWaiting(sql, log);
    await enqueueWaiting(sql, log);
    expect(await sql`select event from private.deliveries order by created_at`).toEqual([
      { event: "lead.created" },
      { event: "lead.overdue" },
    ]);
  });

  it("count leads and deliveries in one line, and count nothing else", async () => {
    await insertMany(2);
    await syncChannels(sql, ["email", "webhook"]);
    await intake`insert into public.leads ${intake(aLead())}`;
    await sql`update private.deliveries set failed_at = now() where channel = 'email'`;
    await reconcile(sql, log);
    expect(lines).toHaveLength(1);
    const ofChannels = channelNames.toSorted().flatMap((name) => {
      const [pending, failed] = [name === "webhook" ? 1 : 0, name === "email" ? 1 : 0];
      return [`${name}_delivered=0`, `${name}_pending=${pending}`, `${name}_failed=${failed}`];
    });
    expect(lines[0]?.split(" stored=")[1]).toBe(
      `3 lastDay=3 erased=0 unreviewed=3 overdue=0 untold=2 owedToNoChannel=2 ${ofChannels.join(" ")}\n`,
    );
  });

  it("owe no word of a lead whose person has withdrawn the permission meanwhile", async () => {
    await syncChannels(sql, []);
    await insertMany(2);
    await sql`
      update private.permissions set withdrawn_at = now()
      where lead_id = (select id from public.leads order by id limit 1)`;
    await syncChannels(sql, ["webhook"]);
    expect(await sql`select private.enqueue_missed_deliveries() as made`).toEqual([{ made: 1 }]);
  });

  it("take no new leads into the lists while another process does it, and take those that are left when it has ended", async () => {
    await insertMany(1);
    const [[indexing] = []] = makeScheduledJobs(
      database,
      async () => {},
      () => {},
    );
    const inLists = async () => (await sql`select from private.lead_work`).length;
    // The lock that another process holds while it takes leads into the lists.
    await sql.begin(async (other) => {
      await other`select pg_advisory_xact_lock(hashtextextended('private.index_new_leads', 0))`;
      await indexing?.run();
      expect(await inLists()).toBe(0);
    });
    await indexing?.run();
    expect(await inLists()).toBe(1);
  });

  it("add a batch of 50 new leads of one place to the counts as one row in each table, not as a row for each lead", async () => {
    await insertMany(50);
    await sql`select private.add_up_tallies()`;
    const tallies = async () =>
      (
        await sql`select waiting::int as waiting from private.lead_tallies
          union all select unfinished::int from private.queue_tallies order by 1`
      ).map(({ waiting }) => waiting);
    const before = await tallies();
    await sql`select private.index_new_leads()`;
    expect((await tallies()).length - before.length).toBe(2);
    const [counted] = await sql`select waiting::int as waiting from private.lead_counts()`;
    expect(counted).toEqual({ waiting: 50 });
  });

  it("hold no message up, however long the check for the alert takes", async () => {
    const receiver = await startReceiver();
    const chat = await startReceiver();
    const mail = await startMailServer();
    const all = compose({ ...webhookTo(receiver.url), ...mailTo(mail.url), CHAT_URL: chat.url });
    await all.sync(sql);
    await sql.begin(async (other) => {
      // The check for the alert waits for this row as long as this transaction lasts.
      await other`select from private.alert_state for update`;
      const running = all.start(url);
      onTestFinished(async () => running?.stop(0));
      await until(async () => (await sessionsWaitingForLocks(sql)).length === 1);
      for (const [before, name] of ["Ana", "Ben", "Cleo", "Dan", "Eva"].entries()) {
        await intake`insert into public.leads ${intake(aLead({ name }))}`;
        await sql`update private.channels set cooldown_until = null`;
        running?.wake();
        await until(async () => (await counts())?.delivered === 3 * (before + 1));
      }
      // Looks until it is so, because at one look a delivery may wait for another's lock, too.
      await until(async () => (await sessionsWaitingForLocks(sql)).length === 1);
    });
  });

  it("take new leads into the lists, and alert, however long upkeep takes", async () => {
    const receiver = await startReceiver();
    const all = compose(webhookTo(receiver.url));
    await all.sync(sql);
    const insert = (name: string) => intake`insert into public.leads ${intake(aLead({ name }))}`;
    await insert("Ana");
    await sql`update public.leads set created_at = now() - interval '21 hours'`;
    const inLists = async () => (await sql`select from private.lead_work`).length;
    await sql.begin(async (other) => {
      // The job that adds up the counts waits for this lock until the outer transaction ends.
      await other`select pg_advisory_xact_lock(hashtextextended('private.lead_tallies', 0))`;
      await sql.begin(async (another) => {
        // The check for the alert waits for this row until the inner transaction ends.
        await another`select from private.alert_state for update`;
        const running = all.start(url);
        onTestFinished(async () => running?.stop(0));
        await until(async () => (await sessionsWaitingForLocks(sql)).length === 2);
        await insert("Ben");
        await until(async () => (await inLists()) === 2);
      });
      await until(
        async () => (await sql`select from private.deliveries where event = 'lead.overdue'`).length === 1,
      );
      await insert("Cleo");
      await until(async () => (await inLists()) === 3);
    });
  });

  it("are eight in three lists, each list with a connection and each job with its own interval, from a second to a day", async () => {
    const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
    // Each job is known by the first function of the database that it calls.
    const called: string[] = [];
    const recording = (([text = ""]: string[]) => {
      called.push(...(text.match(/private\.\w+/g) ?? []));
      return Promise.resolve([]);
    }) as unknown as typeof sql;
    const recorder = {
      ...database,
      query: async (work: (sql: never) => unknown) => work(recording as never),
    };
    const checkAlert = async () => void called.push("the check for the alert");
    const lists = makeScheduledJobs(recorder as typeof database, checkAlert, log);
    const found = [];
    for (const list of lists) {
      const jobs: [string | undefined, number][] = [];
      for (const { run, every } of list) {
        called.length = 0;
        // Some jobs fail at an empty answer.
        await run().catch(() => {});
        jobs.push([called[0], every]);
      }
      found.push(jobs);
    }
    expect(found).toEqual([
      [["private.index_new_leads_unless_busy", second]],
      [
        ["the check for the alert", minute],
        ["private.enqueue_missed_deliveries", 10 * minute],
      ],
      [
        ["private.index_missed_leads", day],
        ["private.add_up_tallies", minute],
        ["private.carry_out_retention", hour],
        ["private.roll_up_counts", hour],
        ["private.recount", day],
      ],
    ]);
    expect(jobConnections).toBe(lists.length);
  });
});

describe("one run over everything due", () => {
  it("sends everything due on both channels, a burst as one mail, and returns", async () => {
    const receiver = await startReceiver();
    const mail = await startMailServer();
    const both = compose({ ...webhookTo(receiver.url), ...mailTo(mail.url) });
    await both.deliverDue(database, { seconds: 20 });
    await insertMany(50);
    await both.deliverDue(database, { seconds: 20 });
    expect(await counts()).toEqual({ delivered: 100, failed: 0, owed: 100 });
    expect([receiver.received.length, mail.mails.length]).toEqual([50, 1]);
    expect(mail.mails[0]?.headers.get("subject")).toBe("50 leads are waiting");
    expect(new Set(decoded(mail.mails[0]?.raw ?? "").match(/Reference: \w+/g)).size).toBe(50);
  });

  it("sends nothing with DELIVERY=off, for which no login is derived either", async () => {
    const receiver = await startReceiver();
    const on = compose(webhookTo(receiver.url));
    await on.deliverDue(database, { seconds: 20 });
    await insertMany(1);
    const off = compose({ ...webhookTo(receiver.url), DELIVERY: "off" });
    await off.deliverDue(database, { seconds: 20 });
    expect(receiver.received).toEqual([]);
    expect(off.start("postgres://owner@db.example/leads")).toBeUndefined();
    await on.deliverDue(database, { seconds: 20 });
    expect(receiver.received).toHaveLength(1);
  });

  it("leaves a lead that comes right after a mail to the next mail, and the webhook gets it at once", async () => {
    const receiver = await startReceiver();
    const mail = await startMailServer();
    const both = compose({ ...webhookTo(receiver.url), ...mailTo(mail.url) });
    await both.deliverDue(database, { seconds: 20 });
    for (const name of ["A", "B", "C"]) {
      await intake`insert into public.leads ${intake(aLead({ name }))}`;
      await both.deliverDue(database, { seconds: 20 });
    }
    expect([receiver.received.length, mail.mails.length]).toEqual([3, 1]);
    await sql`update private.channels set cooldown_until = now()`;
    await both.deliverDue(database, { seconds: 20 });
    expect(mail.mails.map((one) => one.headers.get("subject")?.replace(/: .*/, ""))).toEqual([
      "A lead is waiting",
      "2 leads are waiting",
    ]);
  });

  it("returns when a receiver takes nothing, and when the time of the run is over", async () => {
    const refusing = await startReceiver(answers(503));
    const toRefusing = compose(webhookTo(refusing.url));
    await toRefusing.deliverDue(database, { seconds: 20 });
    await insertMany(40);
    await toRefusing.deliverDue(database, { seconds: 20 });
    expect(refusing.received.length).toBeLessThan(40);
    await sql`update private.deliveries set due_at = now()`;
    // The receiver ends the time when a message arrives, so that messages are under way then, however slow the machine is.
    const atItsEnd: (() => void)[] = [];
    const times: number[] = [];
    const hanging = await startReceiver(() => {
      for (const call of atItsEnd) call();
    });
    const after = (milliseconds: number, call: () => void) => {
      times.push(milliseconds);
      atItsEnd.push(call);
      return () => {};
    };
    await compose(webhookTo(hanging.url)).deliverDue(database, { seconds: 20, after });
    expect(hanging.received.length).toBeGreaterThan(0);
    expect(times).toEqual([16_000, 20_000]);
    const held = await sql`select from private.deliveries where claimed_until is not null`;
    expect([held.length, (await counts())?.delivered]).toEqual([0, 0]);
  });

  it("returns when what is due has no attempt left, and records it as failed", async () => {
    await syncChannels(sql, ["webhook"]);
    await insertMany(1);
    await sql`
      update private.deliveries
      set attempts = 26, created_at = now() - interval '3 days', claimed_until = now() - interval '1 minute'`;
    await compose(webhookTo("http://127.0.0.1:9/")).deliverDue(database, { seconds: 20 });
    expect(await counts()).toEqual({ delivered: 0, failed: 1, owed: 1 });
  });

  it("says so when the database is away", async () => {
    const away = makeResilientConnection(() => sql, log);
    away.query = () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
    const run = compose({}).deliverDue(away, { seconds: 1 });
    await expect(run).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
