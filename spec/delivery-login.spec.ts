// The login of the delivery, `leads_delivery`: it can claim, send and settle what is owed, state which channels are set up and do the
// scheduled jobs, and no more. Whoever breaks into its process can send leads to the channels, which is its work, but cannot store, change
// or erase a lead.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { roleAddress } from "../database/role-logins.ts";
import { makeAlertCheck } from "../delivery/alert.ts";
import { makeWebhook } from "../delivery/channels/webhook.ts";
import { countDeliveries, readLeadCounts } from "../delivery/counts.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { makeScheduledJobs } from "../delivery/scheduled-jobs.ts";
import { startWorker } from "../delivery/worker.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase, removeLeads } from "./support/database.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";

const { owner, intake, url } = await makeDatabase();
const delivery = connect(roleAddress(url, "leads_delivery"), { max: 3 });
afterAll(() => delivery.end());
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

beforeEach(async () => {
  await removeLeads(owner);
  await syncChannels(owner, ["webhook"]);
});
const insert = (differences = {}) => intake`insert into public.leads ${intake(aLead(differences))}`;

describe("a role's login", () => {
  it("is the same however the owner's address writes the password", () => {
    const address = (password: string) =>
      roleAddress(`postgres://owner:${password}@localhost/leads`, "leads_delivery");
    expect(address("%70%40ss")).toBe(address("p%40ss"));
    expect(address("p%40st")).not.toBe(address("p%40ss"));
  });
});

describe("the login of the delivery", () => {
  it("claims, sends and settles deliveries, and keeps the reason of a failure", async () => {
    const lines: string[] = [];
    const log = makeLog((line) => lines.push(line));
    const database = makeResilientConnection(() => delivery, log);
    const receiver = await startReceiver(answers(404));
    const channels = [{ name: "webhook", ...makeWebhook({ url: receiver.url, secret }) }];
    await insert();
    const worker = startWorker({ database, channels, log });
    await until(async () => (await countDeliveries(delivery)).some(({ lastError }) => lastError));
    receiver.answer = answers(204);
    await owner`update private.deliveries set due_at = now()`;
    await until(async () => (await owner`select from private.deliveries where delivered_at is not null`)[0]);
    await worker.stop();
    expect(receiver.received.at(-1)?.json.data).toMatchObject(aLead());
    expect(lines.filter((line) => line.includes(" bug"))).toEqual([]);
  });

  it("does every scheduled job", async () => {
    await insert();
    const jobs = makeScheduledJobs(
      makeResilientConnection(
        () => delivery,
        () => {},
      ),
      makeAlertCheck({ url: undefined }, () => {}),
      () => {},
    );
    for (const job of jobs.flat()) await job.run();
    expect(await owner`select from private.lead_work`).toHaveLength(1);
    expect(await readLeadCounts(delivery)).toMatchObject({ stored: 1, unreviewed: 1 });
  });

  it("tells the database which channels are set up, for a process that has no other login", async () => {
    await syncChannels(delivery, ["chat", "email"]);
    expect(await owner`select name from private.channels where enabled order by name`).toEqual([
      { name: "chat" },
      { name: "email" },
    ]);
  });

  it("names no more channels than any program has, because each lead is owed to each of them", async () => {
    const names = Array.from({ length: 21 }, (_, nth) => `channel-${nth}`);
    const sync = (known: string[]) =>
      delivery`select private.sync_channels(${known}::text[], ${known}::text[])`.then(
        () => "done",
        ({ code }) => code,
      );
    expect(await sync(names)).toBe("PT400");
    expect(await sync(Array(1_000_000).fill("webhook"))).toBe("done");
    const known = await owner`select name from private.channels`;
    expect(known.length).toBeLessThan(20);
  });

  it("does each scheduled job for the present alone, whichever moment it names", async () => {
    await insert();
    await owner`update public.leads set created_at = now() - interval '400 days'`;
    await owner`delete from private.deliveries`;
    await owner`
      insert into private.page_counts (day, hour, source, medium, campaign, variant, device, step, n)
      values (private.utc_day(now()), 0, '', '', 'today', '', 'phone', 'view', 1)`;
    for (const job of [
      "enqueue_missed_deliveries(now() - interval '399 days')",
      "enqueue_overdue_alerts(now() - interval '399 days')",
      "roll_up_counts('infinity')",
      "sum_up_report_days(20, 'infinity')",
    ])
      await delivery.unsafe(`select private.${job}`);
    expect(await owner`select from private.deliveries`).toEqual([]);
    expect(await owner`select hour from private.page_counts`).toEqual([{ hour: 0 }]);
    expect(await owner`select day from private.report_days where day > private.utc_day(now())`).toEqual([]);
    await owner`delete from private.page_counts`;
  });

  it.each([
    ["store a lead", "insert into public.leads (name, email, phone, zip_code) values ('R', 'r', '1', '2')"],
    ["change a lead", "update public.leads set phone = '1'"],
    ["erase a lead", "delete from public.leads"],
    ["empty the leads", "truncate public.leads"],
    ["erase leads by the owner's function", "select private.erase_leads('{}', 'asked')"],
    [
      "enqueue a delivery of its own making",
      "insert into private.deliveries (lead_id, channel) values (gen_random_uuid(), 'email')",
    ],
    ["drop a delivery", "delete from private.deliveries"],
    ["move a delivery to another lead", "update private.deliveries set lead_id = gen_random_uuid()"],
    ["move a delivery to another channel", "update private.deliveries set channel = 'email'"],
    ["set a channel up by hand", "update private.channels set enabled = true"],
    ["retire a channel", "select private.retire_channel('webhook')"],
    ["read the settings", "select * from private.settings"],
    ["change a setting", "update private.settings set retention_days = 1"],
    ["read the stop list", "select * from private.stop_list"],
    ["take a number off the stop list", "delete from private.stop_list"],
    ["change a permission", "update private.permissions set withdrawn_at = null"],
    ["withdraw a permission", "select private.withdraw_permission(gen_random_uuid())"],
    ["write a notice", "insert into private.notices (hash, language, text) values ('a', 'en', 'b')"],
    ["review a lead", "insert into private.reviews (lead_id) values (gen_random_uuid())"],
    ["clear a spam flag", "update private.lead_work set flags = '{}'"],
    ["delete the plan of retention", "delete from private.retention_plan"],
    ["read the address of the wake-up call", "select * from private.wake_up_call"],
    ["take the role of the intake", "set role leads_intake"],
    ["create a table", "create table public.copies (name text)"],
  ])("cannot %s", async (_, statement) => {
    await insert();
    await expect(delivery.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
  });
});
