// The eligibility check on a lead's page: what the answers mean, and which day of a visit is taken.
import { describe, expect, it } from "vitest";
import { addLead } from "./support/inbox.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";

const { database, dana, leadPage } = await setUpInboxInBrowser();

describe("the eligibility check", () => {
  it("says likely, needs a visit first or not now, with why and the source, and never approved", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByText("Go through the questions").click();
    const answer = (question: string, choice: string) =>
      page.getByRole("group", { name: question }).getByLabel(choice, { exact: true }).check();
    await answer("Has a doctor told you that you have diabetes?", "Yes");
    await answer("Do you use insulin of any kind?", "Yes");
    await answer("Which plan?", "Medicare Part B");
    const ask = page.getByRole("button", { name: "See what it means" });
    await ask.click();
    const card = page.getByRole("region", { name: "Eligibility" });
    await card.getByRole("heading", { name: "Needs a visit first" }).waitFor();
    await card.getByText("A visit about diabetes within the last 6 months is needed first.").waitFor();
    await page.getByLabel("The last visit about diabetes").fill(new Date().toISOString().slice(0, 10));
    await ask.click();
    await card.getByRole("heading", { name: "Likely", exact: true }).waitFor();
    await card.getByText("Ask who would prescribe it.").waitFor();
    expect(await card.innerText()).toContain("L33822");
    expect(await card.innerText()).not.toMatch(/\bapproved\b/i);
    expect(await card.getByLabel(/Medicare number/i).count()).toBe(0);
    await answer("Which plan?", "Neither");
    await ask.click();
    await card.getByRole("heading", { name: "Not now", exact: true }).waitFor();
    await card.getByText("No Medicare Part B or Advantage plan.").waitFor();
  });

  it("takes no day of a visit whose year has two or five digits, or that is typed in part, and says so", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.getByText("Go through the questions").click();
    const ask = page.getByRole("button", { name: "See what it means" });
    const visit = page.getByLabel("The last visit about diabetes");
    const isRefused = page.getByRole("alert").filter({ hasText: "Type the whole day" });
    for (const typed of ["112026", "11", "1120020266"]) {
      await visit.fill("");
      await visit.focus();
      await page.keyboard.type(typed);
      await ask.click();
      await isRefused.waitFor();
    }
    expect((await dana.call("open", { id })).body.checks).toEqual([]);
    await visit.fill(new Date().toISOString().slice(0, 10));
    await ask.click();
    await page.getByRole("heading", { name: "Not now", exact: true }).waitFor();
    expect((await dana.call("open", { id })).body.checks).toHaveLength(1);
  });

  it("brings the reader to its result with each press, also where the answers are the same", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByText("Go through the questions").click();
    const ask = page.getByRole("button", { name: "See what it means" });
    const result = page.getByRole("heading", { name: "Not now", exact: true });
    for (const _ of [1, 2]) {
      await ask.focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => result.evaluate((one) => one === document.activeElement)).toBe(true);
    }
  });

  it("says at some distance above its button that it was not recorded", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByText("Go through the questions").click();
    const ask = page.getByRole("button", { name: "See what it means" });
    await page.getByLabel("Who prescribes?").fill("1EG4-TE5-MK73");
    await ask.click();
    const message = page.getByRole("alert").filter({ hasText: "looks like a Medicare number" });
    await message.waitFor();
    const gap = await message.evaluate((one) => {
      const button = one.nextElementSibling?.getBoundingClientRect();
      return (button?.top ?? Number.NaN) - one.getBoundingClientRect().bottom;
    });
    expect(gap).toBeGreaterThanOrEqual(12);
  });
});
