// How what failed, and what waits for a later attempt, is sent again.
import { beforeEach, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { makeDatabase, removeLeads } from "./support/database.ts";
import { deadlockOnce } from "./support/deadlocks.ts";
import { serveInbox } from "./support/inbox.ts";
import { leads } from "./support/leads-command.ts";
import { makeOwedLeads } from "./support/owed-leads.ts";

const database = await makeDatabase();
const { url } = database;
const { channelsOn, store, settle } = makeOwedLeads(database);
beforeEach(() => removeLeads(database.owner));

describe("leads retry", () => {
  const dueNow = () => database.owner`
    select channel from private.deliveries
    where delivered_at is null and failed_at is null and due_at <= now() order by channel, lead_id`;

  it("has all that failed sent again", async () => {
    await channelsOn("email", "webhook");
    for (const name of ["One", "Two"]) {
      const id = await store(name);
      await settle(id, "webhook", "failed_at");
      await settle(id, "email", "delivered_at");
    }
    expect(await leads(url, "retry", "--failed")).toEqual({
      status: 0,
      stdout: "2 deliveries are due now.\n",
      stderr: "",
    });
    expect(await dueNow()).toEqual([{ channel: "webhook" }, { channel: "webhook" }]);
    expect((await leads(url, "retry", "--failed")).stdout).toBe("Nothing has failed.\n");
  });

  it("says how many due deliveries wait until their channel is set up", async () => {
    await channelsOn("webhook");
    await settle(await store("One"), "webhook", "failed_at");
    await database.owner`update private.channels set enabled = false where name = 'webhook'`;
    expect(await leads(url, "retry", "--failed")).toEqual({
      status: 0,
      stdout: "1 delivery is due now.\n",
      stderr:
        "1 due delivery of a channel that is not set up: sent when it is set up again. To look: npm run leads -- status\n",
    });
  });

  it("is done again when PostgreSQL rolled it back because it and the delivery waited for each other", async () => {
    await channelsOn("webhook");
    await settle(await store("One"), "webhook", "failed_at");
    await deadlockOnce(database.owner, "update", "private.deliveries");
    expect((await leads(url, "retry", "--failed")).stdout).toBe("1 delivery is due now.\n");
  });

  it("has one lead's deliveries sent again, and what was delivered not", async () => {
    await channelsOn("email", "webhook");
    const [id, other] = [await store("One"), await store("Other")];
    for (const lead of [id, other]) {
      await settle(lead, "webhook", "failed_at");
      await settle(lead, "email", "delivered_at");
    }
    const { stdout, status } = await leads(url, "retry", reference(id));
    expect({ stdout, status }).toEqual({ stdout: "1 delivery is due now.\n", status: 0 });
    expect(await dueNow()).toEqual([{ channel: "webhook" }]);
  });

  it("is done again when it and an erasure waited for each other", async () => {
    await channelsOn();
    const id = await store("Owed to none");
    await channelsOn("webhook");
    await deadlockOnce(database.owner, "insert", "private.deliveries");
    expect((await leads(url, "retry", id)).stdout).toBe("1 delivery is due now.\n");
  });

  it("also has the word of an erasure sent again", async () => {
    await channelsOn("webhook");
    const id = await store("Erased");
    await settle(id, "webhook", "delivered_at");
    await database.owner`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
    await settle(id, "webhook", "failed_at");
    expect((await leads(url, "retry", id)).stdout).toBe("1 delivery is due now.\n");
  });

  it("says why when there is nothing to send", async () => {
    await channelsOn();
    const id = await store("Unheard");
    expect(await leads(url, "retry", id)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No channel is set up."),
    });
    await channelsOn("webhook");
    expect((await leads(url, "retry", id)).stdout).toBe("1 delivery is due now.\n");
    await settle(id, "webhook", "delivered_at");
    expect(await leads(url, "retry", id)).toMatchObject({
      status: 1,
      stderr: `There is nothing to send again: the channels have been told of ${reference(id)}.\n`,
    });
  });

  it("says that what is owed goes to a channel that is not set up", async () => {
    await channelsOn("email", "webhook");
    const id = await store("Owed by e-mail");
    await settle(id, "webhook", "delivered_at");
    await settle(id, "email", "failed_at");
    await channelsOn("webhook");
    expect(await leads(url, "retry", id)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `What is owed about ${reference(id)} goes to a channel that is not set up: it is sent when that channel is set up again.\n`,
    });
    // It is due all the same, so that it goes on by itself then.
    expect(await dueNow()).toEqual([{ channel: "email" }]);
  });

  it("tells whether the message of an erasure is owed to nobody, waits, or waits for a channel that is not set up", async () => {
    const retryErased = async (wasTold: boolean, ...channels: string[]) => {
      await channelsOn("webhook");
      const id = await store(channels.join());
      if (wasTold) await settle(id, "webhook", "delivered_at");
      await database.owner`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
      await channelsOn(...channels);
      return (await leads(url, "retry", id)).stderr.replace(reference(id), "it");
    };
    expect(await retryErased(false, "webhook")).toBe(
      "There is nothing to send: no channel is owed a message about it.\n",
    );
    expect(await retryErased(true, "webhook", "email")).toContain("waits for its first attempt");
    expect(await retryErased(true, "email")).toContain("goes to a channel that is not set up");
  });

  it("has all that waits for a later attempt sent at once", async () => {
    await channelsOn("webhook");
    await store("Waits");
    await database.owner`update private.deliveries set due_at = now() + interval '3 hours', attempts = 7`;
    expect((await leads(url, "retry", "--pending")).stdout).toBe("1 delivery is due now.\n");
    expect(await dueNow()).toEqual([{ channel: "webhook" }]);
    expect((await leads(url, "retry", "--pending")).stdout).toBe(
      "Nothing waits for a later attempt. 1 delivery was due already.\n",
    );
  });

  it("says how many more were due already, because they are no fewer than those that are due now", async () => {
    await channelsOn("webhook");
    const [later, failed] = [await store("Later"), await store("Failed")];
    await store("Due");
    await store("Due, too");
    await database.owner`
      update private.deliveries set due_at = now() + interval '3 hours', attempts = 7 where lead_id = ${later}`;
    await settle(failed, "webhook", "failed_at");
    expect((await leads(url, "retry", "--pending")).stdout).toBe(
      "1 delivery is due now; 2 more were due already.\n",
    );
    expect((await leads(url, "retry", "--failed")).stdout).toBe(
      "1 delivery is due now; 3 more were due already.\n",
    );
    expect((await leads(url, "retry", "--failed")).stdout).toBe("Nothing has failed.\n");
  });

  it.each([
    ["the command", () => leads(url, "retry", "--failed")],
    [
      "the inbox",
      async () => (await (await serveInbox(database)).member("Maria", "manager")).call("retry-deliveries"),
    ],
  ])("has what failed begin anew by %s, and sent after what has been due since", async (_, retry) => {
    await channelsOn("webhook");
    await settle(await store("Failed"), "webhook", "failed_at");
    await database.owner`update private.deliveries set due_at = now() - interval '3 days'`;
    await store("Due");
    await retry();
    expect(
      await database.owner`
        select l.name, d.attempts, d.failed_at, d.claimed_until, d.last_error, d.due_at <= now() as is_due
        from private.deliveries d join public.leads l on l.id = d.lead_id order by d.due_at`,
    ).toEqual([
      { name: "Due", attempts: 0, failed_at: null, claimed_until: null, last_error: null, is_due: true },
      { name: "Failed", attempts: 0, failed_at: null, claimed_until: null, last_error: "410", is_due: true },
    ]);
  });
});
