// “They asked us to stop” in a browser: the question before it, the number that goes from the screen, and the proof.
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead, aPhoneNumber } from "./support/inbox.ts";
import { said } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";

const { database, dana, lee, as, leadPage } = await setUpInboxInBrowser();

describe("“They asked us to stop”", () => {
  it("takes the number from the screen at once, and shows a proof that lists each lead with the number", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    await addLead(database, { phone, name: "The same person" });
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByRole("heading", { name: "Proof of a stop" }).waitFor();
    expect(await page.content()).not.toContain(phone);
    await expect.poll(() => page.locator(".proof tbody tr").count()).toBe(2);
    expect(await page.locator(".proof").innerText()).toMatch(
      /^On \w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M \S{1,9} a person asked us/,
    );
    await page.getByRole("link", { name: "Lead", exact: true }).click();
    await page.locator(".stopped").waitFor();
  });

  it("shows no error of an earlier attempt when a member presses the button again", async () => {
    const page = await leadPage(dana, await addLead(database));
    await intercept(page, "**/api/stop", (route) => route.abort());
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    const question = page.getByRole("dialog", { name: "Stop all calls to this person?" });
    await question.waitFor();
    expect(await question.getByText("No answer").count()).toBe(0);
  });

  it("says so when it failed after the question was closed", async () => {
    const page = await leadPage(dana, await addLead(database));
    const question = page.getByRole("dialog", { name: "Stop all calls to this person?" });
    await intercept(page, "**/api/stop", async (route) => {
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      await route.fulfill({ status: 500, json: { error: "bug" } });
    });
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("The server made a mistake.").waitFor();
  });

  it("asks first, and a second press of Enter, as from a key that is held, does not confirm", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.getByRole("button", { name: "They asked us to stop" }).focus();
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Stop all calls to this person?" });
    await question.waitFor();
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      "Stop all calls to this person?",
    );
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect((await dana.call("open", { id })).body.stopped_at).toBeNull();
  });

  it("shows the proof also when the page hears of the stop before the server answers", async () => {
    const page = await leadPage(dana, await addLead(database));
    await intercept(page, "**/api/stop", async (route) => {
      const response = await route.fetch();
      await page.locator(".stopped").waitFor();
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByRole("heading", { name: "Proof of a stop" }).waitFor();
  });

  it("reaches another member's open page by itself", async () => {
    const phone = aPhoneNumber();
    const id = await addLead(database, { phone });
    const page = await leadPage(dana, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await lee.call("stop-number", { phone });
    await page.locator(".stopped").waitFor();
    await expect
      .poll(() => said(page))
      .toContain("This person asked us to stop. The number is not shown any more.");
    expect(await page.content()).not.toContain(phone);
  });

  it("works for a number that a member is told on the phone", async () => {
    const phone = aPhoneNumber();
    await addLead(database, { phone });
    const page = await as(dana, "/stop");
    await page.getByLabel("Phone number").fill(phone);
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("Stopped. It ended 1 permission.").waitFor();
  });
});

describe("the page “Stop a number”", () => {
  it("says that it stops none of more than five numbers, and keeps what was typed", async () => {
    const page = await as(dana, "/stop");
    const numbers = Array.from({ length: 6 }, aPhoneNumber);
    await page.getByLabel("Phone number").fill(numbers.join(", "));
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("These are more than five numbers, and none is stopped.").waitFor();
    expect(await page.getByLabel("Phone number").inputValue()).toBe(numbers.join(", "));
  });
});
