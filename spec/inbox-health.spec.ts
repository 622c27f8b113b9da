// The health of the delivery, as each member sees it in the inbox, and the second try that a manager starts there.
import { beforeEach, describe, expect, it } from "vitest";
import { reference } from "../lead/lead.ts";
import { readStatus } from "../team/status.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, aPhoneNumber, makeInbox } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

describe("the health of the delivery", () => {
  it("names what is wrong, and failed deliveries can be sent again", async () => {
    await database.owner`update private.channels set enabled = name = 'webhook'`;
    await addLead(database, { phone: aPhoneNumber() }, 30);
    await database.owner`update private.deliveries set failed_at = now(), last_error = 'HTTP 500'`;
    await database.owner`update private.channels set last_failure = 'HTTP 500' where name = 'webhook'`;
    const { body } = await dana.call("health");
    expect(body).toMatchObject({ problems: ["failed", "overdue"], stored: 1, unreviewed: 1, overdue: 1 });
    expect(body.channels.find(({ channel }) => channel === "webhook")).toMatchObject({
      failed: 1,
      last_error: "HTTP 500",
    });
    expect((await maria.call("retry-deliveries")).body).toEqual({ deliveries: 1 });
    expect((await dana.call("health")).body).toMatchObject({ problems: ["overdue"] });
    // As the command does, the retry includes a channel that is not set up at this moment.
    await database.owner`update private.deliveries set failed_at = now(), last_error = 'HTTP 500'`;
    await database.owner`update private.channels set enabled = false`;
    expect((await dana.call("health")).body.problems).toContain("failed");
    expect((await maria.call("retry-deliveries")).body).toEqual({ deliveries: 1 });
    expect((await dana.call("health")).body.problems).not.toContain("failed");
  });

  it("is what `leads status` knows", async () => {
    await database.owner`update private.channels set enabled = false`;
    await addLead(database, { phone: aPhoneNumber() });
    await database.owner`update private.channels set enabled = name = 'webhook'`;
    const leadOf = (hours: number) => addLead(database, { phone: aPhoneNumber() }, hours);
    const [delivered, stuck, failed, gone] = [
      await leadOf(1),
      await leadOf(2),
      await leadOf(30),
      await leadOf(3),
    ];
    await maria.call("erase", { id: gone, reference: reference(gone) });
    await database.owner`update private.deliveries set delivered_at = now() where lead_id = ${delivered}`;
    await database.owner`
      update private.deliveries set created_at = now() - interval '1 hour' where lead_id = ${stuck}`;
    await database.owner`
      update private.deliveries set failed_at = now(), last_error = 'HTTP 500' where lead_id = ${failed}`;
    const { backup, accepted, owedToNoChannel, channels, ...figures } = await readStatus(database.owner);
    expect(figures).toMatchObject({ stored: 4, erased: 1, unreviewed: 4, overdue: 1, untold: 1 });
    const { body } = await dana.call("health");
    expect(body).toMatchObject(figures);
    const shown = body.channels.map(({ oldest_pending, last_error, ...counts }) =>
      Object.assign(counts, {
        oldestPending: oldest_pending && new Date(oldest_pending),
        lastError: last_error,
      }),
    );
    expect(channels).toMatchObject(shown);
    expect(shown.find(({ channel }) => channel === "webhook")).toMatchObject({
      delivered: 1,
      pending: 1,
      failed: 1,
      stuck: 1,
    });
  });
});
