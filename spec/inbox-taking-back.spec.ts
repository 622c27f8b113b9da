// After an outcome was recorded: whether it can be taken back, why not, and what else can be recorded.
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { callLead } from "./support/calls.ts";
import { addLead } from "./support/inbox.ts";
import { focused } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";

const { database, dana, lee, as, beginCall } = await setUpInboxInBrowser();

describe("a recorded outcome", () => {
  it("says that it cannot be taken back because another outcome came later, and lets the member record one more", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    await lee.call("outcome", { id, call_id: null, outcome: "not_interested" });
    await page.keyboard.press("u");
    await page
      .getByText("Another outcome was recorded after this one, so it cannot be taken back.")
      .waitFor();
    await page.getByRole("button", { name: "Record another outcome" }).click();
    await expect.poll(() => focused(page)).toBe("Review without a call");
    await page.getByRole("button", { name: "Likely qualifies" }).click();
    await page.getByRole("heading", { name: "Recorded: Likely qualifies" }).waitFor();
    expect((await dana.call("open", { id })).body.outcome).toBe("likely_qualifies");
  });

  it("loses its Undo as soon as a colleague records a later outcome, and says why", async () => {
    const id = await addLead(database);
    const page = await beginCall(dana, id);
    await page.keyboard.press("6");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await lee.call("outcome", { id, call_id: null, outcome: "not_interested" });
    await page
      .getByText("Another outcome was recorded after this one, so it cannot be taken back.")
      .waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
  });

  it("can be taken back where a colleague has recorded the outcome of an earlier call since, also on a page that is opened again", async () => {
    const id = await addLead(database);
    const early = await callLead(dana, id);
    await database.owner`update private.calls set at = at - interval '30 minutes' where id = ${early.call_id}`;
    await dana.call("release", { id });
    const page = await beginCall(lee, id);
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await dana.call("outcome", { id, call_id: early.call_id, outcome: "no_answer" });
    await page.locator(".history").getByText("No answer").waitFor();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "What came of it?" }).waitFor();
    expect((await lee.call("open", { id })).body).toMatchObject({ stage: "open", outcome: null });
  });

  it("makes way for the lead once the member takes it again, also after an Undo that never reached the server", async () => {
    const page = await beginCall(dana, await addLead(database));
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    await intercept(page, "**/api/undo-outcome", (route) => route.abort());
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("There is no connection").first().waitFor();
    await page.getByRole("button", { name: "Take this lead" }).click();
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("heading", { name: "Recorded: No answer" }).count()).toBe(0);
  });

  it("offers no Undo after its time to be taken back is over, and leads to the buttons for another one", async () => {
    const page = await as(dana, `/leads/${await addLead(database)}`);
    await intercept(page, "**/api/outcome", async (route) => {
      const response = await route.fetch();
      // Longer ago than the page takes to look at the clock again.
      const undo_until = new Date(Date.now() - 60_000).toISOString();
      await route.fulfill({ response, json: { ...(await response.json()), undo_until } });
    });
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await page.getByRole("button", { name: "Record another outcome" }).click();
    await expect.poll(() => focused(page)).toBe("Review without a call");
  });
});
