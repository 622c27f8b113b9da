// How the team and a monitor learn whether every stored lead reaches the team.
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { channelNames, howToSetUp } from "../delivery/channels/registry.ts";
import { disableBackups, enableBackups } from "../team/backup-state.ts";
import { byChannel } from "./support/by-channel.ts";
import { makeDatabase, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";
import { deadlockOnce } from "./support/deadlocks.ts";
import { leads, startLeads, waitForExit } from "./support/leads-command.ts";
import { makeOwedLeads } from "./support/owed-leads.ts";
import { until } from "./support/receiver.ts";

const database = await makeDatabase();
const { url } = database;
const { channelsOn, store, settle } = makeOwedLeads(database);

beforeEach(() => removeLeads(database.owner));

/** Makes a lead's deliveries some minutes old, and their next attempt due in four hours, which must make no difference. */
const oweFor = (id: string, minutes: number) => database.owner`
  update private.deliveries set created_at = now() - make_interval(mins => ${minutes}), due_at = now() + interval '4 hours'
  where lead_id = ${id}`;

/** Runs `leads status`, and leaves out the lines of the channels that are off and not among `channels`. */
async function statusOf(...channels: string[]) {
  const others = channelNames.filter((name) => !channels.includes(name));
  const { stdout, ...rest } = await leads(url, "status");
  const lines = stdout
    .split("\n")
    .filter((line) => !others.some((name) => line.startsWith(`${name} (off) `)));
  return { ...rest, stdout: lines.join("\n") };
}

describe("leads status", () => {
  it("exits with 0 and says that all is well when nothing failed and nothing is stuck", async () => {
    await channelsOn("webhook");
    await settle(await store("Delivered"), "webhook", "delivered_at");
    await oweFor(await store("Pending"), 14);
    expect(await statusOf("chat", "email", "webhook")).toEqual({
      status: 0,
      stderr: "",
      stdout: `
2 leads accepted: 2 stored, 0 erased.
2 not reviewed yet, 0 of them for more than 24 hours.

CHANNEL             DELIVERED    PENDING     OLDEST     FAILED      STUCK
chat (off)                  0          0          -          0          0
email (off)                 0          0          -          0          0
webhook                     1          1     14 min          0          0

All is well.
`.trimStart(),
    });
  });

  it("says 0 min of a delivery dated after the command began: it came meanwhile, or a clock is ahead", async () => {
    await channelsOn("webhook");
    await oweFor(await store("Pending"), -1);
    expect((await statusOf("webhook")).stdout).toMatch(/^webhook +0 +1 +0 min +0 +0$/m);
  });

  it("exits with 1, says what to type and why the channel failed, when a delivery failed or is stuck", async () => {
    await channelsOn("email", "webhook");
    const [failed, late] = [await store("Failed", 30), await store("Late")];
    await settle(failed, "webhook", "failed_at");
    await settle(failed, "email", "delivered_at");
    await settle(late, "email", "delivered_at");
    await oweFor(late, 16);
    await database.owner`
      update private.channels set last_failure = 'Its certificate is not trusted.', last_failure_at = '2026-01-31T10:00Z'
      where name = 'webhook'`;
    expect(await statusOf("chat", "email", "webhook")).toEqual({
      status: 1,
      stderr: "",
      stdout: `
2 leads accepted: 2 stored, 0 erased.
2 not reviewed yet, 1 of them for more than 24 hours.

CHANNEL             DELIVERED    PENDING     OLDEST     FAILED      STUCK
chat (off)                  0          0          -          0          0
email                       2          0          -          0          0
webhook                     0          1     16 min          1          1
Last failure of webhook, 2026-01-31 10:00: Its certificate is not trusted.

FAILED: fix the channel, then: npm run leads -- retry --failed
STUCK: owed for 15 minutes and not delivered. Does the server run, and is the channel set up?
       When it is fixed, send what waits at once: npm run leads -- retry --pending
       A channel that is given up for good: npm run leads -- channel retire <name>
Reviews are late. Who waits: npm run leads -- list --due
`.trimStart(),
    });
  });

  it("counts as JSON every lead that was accepted: stored, erased, reviewed, owed to no channel", async () => {
    await channelsOn();
    await store("Owed to nobody", 25);
    const [withdrawn, reviewed, erased] = [
      await store("Withdrawn"),
      await store("Reviewed"),
      await store("Erased"),
    ];
    await database.owner`update leads set phone = '305 555 0199' where id = ${withdrawn}`;
    await database.owner`select private.withdraw_permission(${withdrawn})`;
    await database.owner`insert into private.reviews (lead_id) values (${reviewed})`;
    await database.owner`select private.erase_leads(array[${erased}]::uuid[], 'asked')`;
    await channelsOn("webhook");
    await store("Pending");
    const { status, stdout } = await leads(url, "status", "--json");
    expect(status).toBe(1);
    const none = { retired: false, delivered: 0, failed: 0, pending: 0, oldest_pending: null, stuck: 0 };
    const noError = { last_error: null, last_error_at: null };
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      problems: ["overdue"],
      accepted: 5,
      stored: 4,
      erased: 1,
      unreviewed: 2,
      overdue: 1,
      untold: 1,
      owed_to_no_channel: 3,
      channels: channelNames.toSorted().map((channel) => ({
        ...none,
        ...noError,
        channel,
        enabled: channel === "webhook",
        ...(channel === "webhook" && { pending: 1, oldest_pending: expect.stringMatching(/Z$/) }),
      })),
      backup: { enabled: false, taken_at: null, verified_by: null, failure: null },
    });
  });

  it("exits with 1 when leads wait and no channel is set up to tell the team of them", async () => {
    await channelsOn();
    const before = await leads(url, "status");
    expect(before.status).toBe(0);
    expect(before.stdout).toContain("No channel is set up: nobody is told of new leads.\n");
    const id = await store("Unheard");
    const { status, stdout } = await leads(url, "status");
    expect(status).toBe(1);
    expect(stdout).toContain(
      "1 lead owed to no channel: none was set up when they came, or theirs is retired.\n",
    );
    expect(stdout).toContain(`LEADS WAIT and nobody is told. ${howToSetUp()} and start the server again.`);
    expect(stdout).not.toContain("No channel is set up");
    expect(stdout).not.toContain("All is well");
    // A team that reviews what it finds in the list needs no channel.
    await leads(url, "review", id);
    expect((await leads(url, "status")).status).toBe(0);
  });

  it("exits with 1 when a review is late, also when every delivery is made", async () => {
    await channelsOn("webhook");
    await settle(await store("Late", 25), "webhook", "delivered_at");
    const { status, stdout } = await leads(url, "status");
    expect(status).toBe(1);
    expect(stdout).toContain("\n\nReviews are late. Who waits: npm run leads -- list --due\n");
  });

  it("says how old the newest scheduled backup is, and exits with 1 when one failed or is late, the first one too", async () => {
    await channelsOn("webhook");
    const { owner } = database;
    onTestFinished(async () => {
      await disableBackups(owner, { isOnlyServer: true });
    });
    await enableBackups(owner);
    expect((await leads(url, "status")).stdout).toContain("No backup is made yet.\nAll is well.\n");
    await owner`update private.backup_state set enabled_since = now() - interval '37 hours'`;
    const never = await leads(url, "status");
    expect(never.status).toBe(1);
    expect(never.stdout).toContain("No backup is made yet.\nBACKUP: ");
    await owner`
      update private.backup_state
      set taken_at = now() - interval '5 hours', file_name = 'x', verified_by = 'restored'`;
    const well = await leads(url, "status");
    expect(well.status).toBe(0);
    expect(well.stdout).toContain("The newest backup is 5 h old, verified by a restoration.\nAll is well.\n");
    await owner`update private.backup_state set failed_at = now(), failure = 'There is no room.'`;
    const failed = await leads(url, "status");
    expect(failed.status).toBe(1);
    expect(failed.stdout).toContain(
      "5 h old, verified by a restoration. The last attempt failed: There is no room.\n",
    );
    await owner`
      update private.backup_state set failed_at = null, failure = null, taken_at = now() - interval '35 hours'`;
    expect((await leads(url, "status")).status).toBe(0);
    await owner`update private.backup_state set taken_at = now() - interval '37 hours'`;
    expect((await leads(url, "status")).status).toBe(1);
  });
});

describe("leads watch", () => {
  /** Waits until the command looks at the status again. Each look reads the channels once. */
  const meetNextLook = () =>
    database.owner.begin(async (sql) => {
      await sql`lock table private.channels`;
      await until(async () => (await sessionsWaitingForLocks(database.owner, "leads command")).length > 0);
    });

  it("prints the status and each change of it, until Ctrl-C", async () => {
    await channelsOn("webhook");
    const child = startLeads(["watch", "--json"], { DATABASE_URL: url });
    const ended = waitForExit(child);
    // Keeps the lines that come together, or while the test does something else.
    const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value));
    const first = await next();
    expect(first).toMatchObject({ ok: true, accepted: 0 });
    // A second look at the same status, which is over when the third one has begun.
    await meetNextLook();
    await meetNextLook();
    const failed = await store("Failed");
    await settle(failed, "webhook", "failed_at");
    let seen = await next();
    expect(seen).not.toEqual(first);
    while (seen.ok) seen = await next();
    expect(seen).toMatchObject({ ok: false, accepted: 1 });
    expect(byChannel(seen.channels)).toMatchObject({ webhook: { failed: 1 } });
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("leads channel retire", () => {
  it("settles what waits on a channel that nobody has set up any more, and status is well again", async () => {
    await channelsOn("email", "webhook");
    const id = await store("Waits");
    await settle(id, "webhook", "delivered_at");
    await oweFor(id, 60);
    await channelsOn("webhook");
    expect((await leads(url, "status")).status).toBe(1);
    expect(await leads(url, "channel", "retire", "email")).toEqual({
      status: 0,
      stdout: "Retired email: 1 delivery settled.\n",
      stderr: "",
    });
    const { status, stdout } = await leads(url, "status");
    expect(status).toBe(0);
    expect(stdout).toContain("email (retired)");
  });

  it("is done again when PostgreSQL rolled it back because it and an erasure waited for each other", async () => {
    await channelsOn("chat");
    await store("Waits");
    await channelsOn("webhook");
    await deadlockOnce(database.owner, "update", "private.deliveries");
    expect((await leads(url, "channel", "retire", "chat")).stdout).toBe(
      "Retired chat: 1 delivery settled.\n",
    );
  });

  it("refuses a channel that is set up, and one that is not there", async () => {
    await channelsOn("webhook");
    expect(await leads(url, "channel", "retire", "webhook")).toMatchObject({
      status: 1,
      stderr:
        "The channel webhook is set up. Take its settings out and start the server again, then retire it.\n",
    });
    const others = channelNames.filter((name) => name !== "webhook").toSorted();
    for (const name of others) await leads(url, "channel", "retire", name);
    const refused = 'There is no channel "none". Those that can be retired:';
    expect((await leads(url, "channel", "retire", "none")).stderr).toBe(`${refused} none.\n`);
    await database.owner`update private.channels set retired_at = null`;
    expect((await leads(url, "channel", "retire", "none")).stderr).toBe(`${refused} ${others.join(", ")}.\n`);
  });
});
