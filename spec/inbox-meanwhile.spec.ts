// What happens on a member's page while something else is under way: answers that are lost or late, and what is typed meanwhile.
import { describe, expect, it } from "vitest";
import { addLead } from "./support/inbox.ts";
import { openScreens } from "./support/inbox-screens.ts";

const { database, dana, lee, leadPage } = await openScreens();
type Screen = Awaited<ReturnType<typeof leadPage>>;

/** Opens a lead and begins a call. */
async function calling(id: string): Promise<Screen> {
  const page = await leadPage(dana, id);
  await page.keyboard.press("c");
  await page.locator(".number").waitFor();
  return page;
}

const note = (page: Screen) => page.getByLabel("Note, if one is wanted");

describe("what is being typed elsewhere on the page when an outcome is recorded", () => {
  it("goes on in its field, and takes neither the outcome back nor the next lead", async () => {
    const id = await addLead(database);
    const next = await addLead(database, { name: "Rosa Martinez" });
    const page = await calling(id);
    await page.getByText("Go through the questions").click();
    const prescriber = page.getByLabel("Who prescribes?");
    await page.route("**/api/outcome", async (route) => {
      await prescriber.focus();
      await page.keyboard.type("Dr. ");
      await route.continue();
    });
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    await page.keyboard.type("Nunu");
    expect(await prescriber.inputValue()).toBe("Dr. Nunu");
    expect((await dana.call("open", { id })).body.outcome).toBe("no_answer");
    expect((await dana.call("open", { id: next })).body.claim).toBeNull();
  });
});
