// The fields of a callback on a lead's page: what they say of a time at which nobody may call, and for which time the tick “The person
// asked for this time” counts.
import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestOf } from "../inbox/api.ts";
import { callLead } from "./support/calls.ts";
import { addLead, aPhoneNumber, nightZip, noonZip } from "./support/inbox.ts";
import { dayAhead, setCallback, setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { database, dana, lee, maria, leadPage, beginCall } = await setUpInboxInBrowser();

/** Opens a lead, begins a call and returns the page. */
const pageWithCall = (id: string) => beginCall(dana, id);

describe("a callback that was refused", () => {
  it("leaves nothing on the screen when the member cancels it, and never says that the person asked us to stop", async () => {
    const page = await pageWithCall(await addLead(database));
    await setCallback(page, dayAhead(3), "03:00");
    await page.getByText("No call is lawful then").waitFor();
    expect(await text(page)).not.toContain("This person asked us to stop");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Time there").waitFor({ state: "detached" });
    expect(await page.getByRole("alert").allInnerTexts()).toEqual([]);
    await page.getByRole("button", { name: "Call back" }).click();
    expect(await page.getByLabel("Day").inputValue()).toBe("");
    expect(await page.getByLabel("Time there").inputValue()).toBe("");
    await setCallback(page, dayAhead(200), "12:30");
    await page.getByText("This is more than 90 days ahead.").waitFor();
    expect(await text(page)).not.toContain("This person asked us to stop");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Time there").waitFor({ state: "detached" });
    expect(await page.getByRole("alert").allInnerTexts()).toEqual([]);
  });

  it("names the pause of the state, also where three attempts were made, and does not say that no hour is lawful", async () => {
    const phone = aPhoneNumber();
    for (let nth = 0; nth < 2; nth += 1) await callLead(dana, await addLead(database, { phone }));
    const page = await pageWithCall(await addLead(database, { phone }));
    await maria.call("pause-state", { state: "VT", reason: "An emergency" });
    onTestFinished(async () => void (await maria.call("resume-state", { state: "VT" })));
    const [soon] = await database.owner<{ day: string; time: string }[]>`
      select to_char(t, 'YYYY-MM-DD') as day, to_char(t, 'HH24:MI') as time
      from private.places p, lateral (select (now() at time zone p.zone) + interval '1 hour' as t) x
      where p.place = private.place_of(${noonZip}, '')`;
    await setCallback(page, soon?.day ?? "", soon?.time ?? "");
    await page.getByRole("alert").getByText("are paused, so no callback can be set.").waitFor();
    expect(await text(page)).not.toContain("No hour in the next 14 days");
  });
});

describe("“The person asked for this time”", () => {
  it("counts for the callback that it was ticked for, and for no later one", async () => {
    const id = await addLead(database);
    const page = await pageWithCall(id);
    await setCallback(page, dayAhead(3), "03:00");
    await page.getByLabel("The person asked for this time").check();
    await page.getByRole("button", { name: "Set the callback" }).click();
    await page.getByRole("heading", { name: "Recorded: Call back" }).waitFor();
    await page.keyboard.press("u");
    await page.locator(".outcomes").waitFor();
    await page.getByRole("button", { name: "Call back" }).click();
    await page.getByLabel("Time there").waitFor();
    expect(await page.getByLabel("The person asked for this time").count()).toBe(0);
    await setCallback(page, dayAhead(4), "03:00");
    await page.getByText("No call is lawful then").waitFor();
    expect(await page.getByLabel("The person asked for this time").isChecked()).toBe(false);
    expect((await dana.call("open", { id })).body.stage).toBe("open");
  });

  it("is not said of another time that is typed afterwards", async () => {
    const page = await pageWithCall(await addLead(database));
    const sent: RequestOf<"outcome">[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/outcome")) sent.push(request.postDataJSON());
    });
    await setCallback(page, dayAhead(3), "03:00");
    await page.getByLabel("The person asked for this time").check();
    await setCallback(page, dayAhead(3), "04:00");
    await expect.poll(() => sent.length).toBe(2);
    expect(sent.map(({ callback }) => callback?.asked_for_this_time)).toEqual([undefined, undefined]);
  });
});

describe("a callback of a person whose ZIP code is unknown", () => {
  it("is asked for and told in Eastern time, because the server reads it as Eastern time", async () => {
    const page = await leadPage(dana, await addLead(database, { zip_code: "00000" }));
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByRole("button", { name: "Call back" }).click();
    await page.getByRole("group", { name: "When, Eastern time?" }).waitFor();
    await setCallback(page, dayAhead(3), "03:00");
    await page.getByText("No call is lawful then: ZIP code unknown.").waitFor();
    await page.getByLabel("The person asked for this time").check();
    await page.getByRole("button", { name: "Set the callback" }).click();
    await page.getByRole("heading", { name: "Recorded: Call back" }).waitFor();
    expect(await text(page, ".call")).toMatch(/Callback \w+day 3:00 AM Eastern time\./);
    expect(await text(page, ".history")).toMatch(/Callback \w+day 3:00 AM Eastern time$/m);
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await expect.poll(() => text(page, ".row")).toMatch(/Callback \w+day 3:00 AM Eastern time/);
  });
});

describe("a call that was refused outside the hours", () => {
  it("is said to be lawful once it is the time at which the person asked to be called", async () => {
    const id = await addLead(database, { zip_code: nightZip });
    const page = await leadPage(dana, id);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const refusal = page.locator(".call").getByRole("alert");
    await refusal.waitFor();
    await database.owner`
      update private.lead_work set stage = 'callback', callback_asked_for = true, callback_zone = 'UTC', callback_at = now()
      where lead_id = ${id}`;
    // An event has the page load the lead again.
    await lee.call("claim", { id });
    await page.getByText("Lawful now, because the person asked to be called at this time.").waitFor();
    expect(await refusal.count()).toBe(0);
  });
});
