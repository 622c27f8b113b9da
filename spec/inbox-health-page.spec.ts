// The page that says whether every lead reaches the team, and what a manager can do there.
import { beforeEach, describe, expect, it } from "vitest";
import { intercept, useBrowser } from "./support/browser.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { focused, openAs } from "./support/inbox-pages.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const maria = await inbox.member("Maria", "manager");
beforeEach(async () => {
  await removeLeads(database.owner);
  await addLead(database);
  await failDeliveries();
});

async function failDeliveries(): Promise<void> {
  await database.owner`
    insert into private.channels (name, enabled, last_failure) values ('webhook', true, 'HTTP 500')
    on conflict (name) do update set enabled = true, last_failure = excluded.last_failure`;
  await database.owner`
    insert into private.deliveries (lead_id, channel, event, failed_at, last_error, attempts, due_at)
    select id, 'webhook', 'lead.created', now(), 'HTTP 500', 26, now() + interval '1 day' from public.leads
    on conflict (lead_id, channel, event) do update set failed_at = now(), last_error = 'HTTP 500', attempts = 26`;
}

/** Has the open page load the health again. */
const loadAgain = () => database.owner`select pg_notify('team', '{"kind":"team"}')`;

describe("the health page", () => {
  it("shows a delivery that failed, and has it due again, and says so, when a manager asks", async () => {
    await database.owner`update private.deliveries set attempts = 26, due_at = now() + interval '1 day'`;
    const page = await openAs(browser(), inbox, maria, "/health");
    await page.getByText("HTTP 500").waitFor();
    await page.getByText("A delivery failed. See below.").waitFor();
    await page.getByRole("button", { name: "Try 1 failed delivery again" }).click();
    await expect.poll(() => focused(page)).toBe("1 delivery will be sent again.");
    expect(
      await database.owner`select failed_at, attempts, due_at <= now() as is_due from private.deliveries`,
    ).toEqual([{ failed_at: null, attempts: 0, is_due: true }]);
  });

  it("offers no second try before it has loaded what the first has left", async () => {
    const page = await openAs(browser(), inbox, maria, "/health");
    const button = page.getByRole("button", { name: "Try 1 failed delivery again" });
    await button.waitFor();
    const held = Promise.withResolvers<void>();
    await intercept(page, "**/api/health", (route) => held.promise.then(() => route.continue()));
    await button.click();
    await button.waitFor({ state: "detached" });
    held.resolve();
    await expect.poll(() => focused(page)).toBe("1 delivery will be sent again.");
  });

  it("no longer says that a delivery will be sent again once another has failed since, and somebody else has tried that one again", async () => {
    const page = await openAs(browser(), inbox, maria, "/health");
    await page.getByRole("button", { name: "Try 1 failed delivery again" }).click();
    const said = page.getByText("1 delivery will be sent again.");
    await said.waitFor();
    await failDeliveries();
    await loadAgain();
    await page.getByText("A delivery failed. See below.").waitFor();
    await maria.call("retry-deliveries");
    await loadAgain();
    await page.getByText("A delivery failed. See below.").waitFor({ state: "detached" });
    expect(await said.count()).toBe(0);
  });
});
