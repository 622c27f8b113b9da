// What happens on a member's page while something else is under way: answers that are lost or late, and what is typed meanwhile.
import type { Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead } from "./support/inbox.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";

const { database, dana, lee, maria, as, leadPage, beginCall } = await setUpInboxInBrowser();
type Screen = Awaited<ReturnType<typeof leadPage>>;

/** Opens a lead and begins a call. */
const calling = (id: string) => beginCall(dana, id);

const note = (page: Screen) => page.getByLabel("Note, if one is wanted");

/** Loses the answer to the next outcome, once the event of it is here. */
const loseAnswer = (page: Screen, outcome: string) =>
  intercept(
    page,
    "**/api/outcome",
    async (route) => {
      await route.fetch();
      await page.locator(".history").getByText(outcome).waitFor();
      await route.abort();
    },
    { times: 1 },
  );

describe("what is being typed elsewhere on the page when an outcome is recorded", () => {
  it("goes on in its field, and takes neither the outcome back nor the next lead", async () => {
    const id = await addLead(database);
    const next = await addLead(database, { name: "Rosa Martinez" });
    const page = await calling(id);
    await page.getByText("Go through the questions").click();
    const prescriber = page.getByLabel("Who prescribes?");
    await intercept(page, "**/api/outcome", async (route) => {
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

describe("a note that was typed after its outcome was sent", () => {
  it("stands in the form for the lead's next outcome where it is too late to take the outcome back", async () => {
    const page = await calling(await addLead(database));
    await intercept(page, "**/api/outcome", async (route) => {
      await note(page).fill("Prefers mornings");
      const response = await route.fetch();
      await database.owner`update private.outcomes set at = at - interval '6 minutes'`;
      const undo_until = new Date(Date.now() - 60_000).toISOString();
      await route.fulfill({ response, json: { ...(await response.json()), undo_until } });
    });
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByText("What you typed after the outcome was sent is not in its note.").waitFor();
    expect(await page.locator(".call").innerText()).not.toContain("Undo");
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.locator(".row").getByRole("link").click();
    await page.getByText("What you typed is not recorded yet.").waitFor();
    expect(await note(page).inputValue()).toBe("Prefers mornings");
  });
});

describe("a member who has gone to another page before an answer comes", () => {
  /** Presses, goes to another lead while the answer is held back, begins a review there, and returns the heading that the member then sees. */
  async function goneMeanwhile(page: Screen, call: string, press: () => Promise<void>): Promise<string> {
    await intercept(page, `**/api/${call}`, async (route) => {
      const response = await route.fetch();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Queue", exact: true }).first().click();
      await page.getByRole("link", { name: "Rosa Martinez" }).click();
      await page.getByRole("heading", { name: "Rosa Martinez" }).waitFor();
      await route.fulfill({ response });
    });
    const answered = page.waitForEvent("requestfinished", (request) =>
      request.url().endsWith(`/api/${call}`),
    );
    await press();
    await answered;
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.getByRole("button", { name: "Review without a call" }).click();
    return page.locator("h1").innerText();
  }

  it("stays there when the next lead is found", async () => {
    const page = await leadPage(dana, await addLead(database, { name: "Ann Lee" }, 20));
    await addLead(database, { name: "Rosa Martinez" });
    await page.keyboard.press("q");
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    expect(await goneMeanwhile(page, "take-next", () => page.keyboard.press("n"))).toBe("Rosa Martinez");
  });

  it("stays there when a stop is recorded", async () => {
    const page = await leadPage(dana, await addLead(database, { name: "Ann Lee" }));
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    const stop = page.getByRole("button", { name: "Stop all calls" });
    expect(await goneMeanwhile(page, "stop", () => stop.click())).toBe("Rosa Martinez");
  });

  it("stays there when a lead is erased", async () => {
    const id = await addLead(database, { name: "Ann Lee" });
    const page = await leadPage(maria, id);
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("button", { name: "Erase this lead" }).click();
    await page.getByLabel("Type the reference").fill(id.slice(-8));
    const erase = page.getByRole("button", { name: "Erase", exact: true });
    expect(await goneMeanwhile(page, "erase", () => erase.click())).toBe("Rosa Martinez");
  });
});

describe("a number that is typed while another one is being stopped", () => {
  it("is not taken for stopped", async () => {
    const page = await as(dana, "/stop");
    const field = page.getByLabel("Phone number");
    await field.fill("111-555-0100");
    await intercept(page, "**/api/stop-number", async (route) => {
      await field.fill("111-555-0199");
      await route.continue();
    });
    await page.getByRole("button", { name: "Stop all calls" }).click();
    const caution = page.getByText("The number above was typed meanwhile, and is not stopped yet.");
    await caution.waitFor();
    await page.unroute("**/api/stop-number");
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await expect.poll(() => field.inputValue()).toBe("");
    expect(await caution.count()).toBe(0);
    await page.getByText("Stopped, but no lead so far has this number").waitFor();
    await field.fill("1");
    expect(await page.getByText("Stopped, but no lead so far has this number").count()).toBe(0);
    await field.fill("none");
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByText("There is no phone number in this.").waitFor();
    await field.fill("111-555-0199");
    expect(await page.getByText("There is no phone number in this.").count()).toBe(0);
  });
});

describe("what a manager has chosen for one person or state, when the next one follows at once", () => {
  it("does not make the next person a manager", async () => {
    const page = await as(maria, "/team");
    const form = page.getByRole("form", { name: "Invite somebody" });
    const inviteNext = async (name: string) => {
      await form.getByLabel("Name").fill(name);
      await form.getByRole("button", { name: "Make a link" }).click();
      await form.getByText(`Give this link to ${name}.`).waitFor();
    };
    await form.getByLabel("As a manager").check();
    await inviteNext("Meg");
    await inviteNext("Max");
    const { members } = (await maria.call("members")).body;
    const rolesOf = (name: string) => members.filter((one) => one.name === name).map(({ role }) => role);
    expect([rolesOf("Meg"), rolesOf("Max")]).toEqual([["manager"], ["member"]]);
  });

  it("stays chosen for the next person where it was chosen while another one is being invited", async () => {
    const page = await as(maria, "/team");
    const form = page.getByRole("form", { name: "Invite somebody" });
    const isManager = form.getByLabel("As a manager");
    await form.getByLabel("Name").fill("Mia");
    await intercept(page, "**/api/members/invite", async (route) => {
      await form.getByLabel("Name").fill("Moe");
      await isManager.check();
      await route.continue();
    });
    await form.getByRole("button", { name: "Make a link" }).click();
    await form.getByText("Give this link to Mia.").waitFor();
    expect(await form.getByLabel("Name").inputValue()).toBe("Moe");
    expect(await isManager.isChecked()).toBe(true);
  });

  it("stays chosen for the next state where it was chosen while another one is being paused", async () => {
    const page = await as(maria, "/team");
    const state = page.getByRole("combobox", { name: "State" });
    await state.selectOption("LA");
    await page.getByLabel("Why").fill("A hurricane");
    await intercept(page, "**/api/pause-state", async (route) => {
      await state.selectOption("MS");
      await route.continue();
    });
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("A hurricane. By Maria").waitFor();
    expect(await state.inputValue()).toBe("MS");
    await maria.call("resume-state", { state: "LA" });
  });
});

describe("a key that is held when an outcome of a call is taken back", () => {
  it("dials nothing, because the focus is beside the number and not on it", async () => {
    const page = await calling(await addLead(database));
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest(".number") !== null))
      .toBe(true);
    await page.keyboard.press("6");
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await page.locator(".number").waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("What came of it?");
  });
});

describe("a lead that is erased while a search has found it", () => {
  it("leaves the list", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    await addLead(database, { name: "Rosa Lopez" });
    const page = await as(dana);
    await page.getByLabel("Search by name").fill("rosa");
    await page.getByRole("button", { name: "Search" }).click();
    const found = page.getByRole("list", { name: "Found" });
    await found.getByText("Rosa Martinez").waitFor();
    await maria.call("erase", { id, reference: id.slice(-8) });
    await found.getByText("Rosa Martinez").waitFor({ state: "detached" });
    await found.getByText("Rosa Lopez").waitFor();
  });
});

describe("the outcome of a call", () => {
  it("can be sent again where its answer was lost, is recorded once, and can be taken back", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await note(page).fill("Prefers mornings");
    await loseAnswer(page, "No answer");
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    expect(await note(page).inputValue()).toBe("Prefers mornings");
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByText("This call has an outcome already. Look at the calls below.").waitFor();
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    expect((await dana.call("open", { id })).body.call_log).toHaveLength(1);
    await page.keyboard.press("u");
    await page.locator(".number").waitFor();
    expect(await note(page).inputValue()).toBe("Prefers mornings");
  });

  it("can be sent again where its answer was lost, also when the person asked us to stop during the call", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await note(page).fill("Her son takes care of it");
    await lee.call("stop", { id });
    await page.locator(".stopped").waitFor();
    await loseAnswer(page, "Left a message");
    await page.getByRole("button", { name: "Left a message" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    expect(await note(page).inputValue()).toBe("Her son takes care of it");
    await intercept(page, "**/api/outcome", async (route) => {
      await note(page).fill("Her son takes care of it. He wrote to us.");
      await route.continue();
    });
    await page.getByRole("button", { name: "Left a message" }).click();
    // The call has its outcome now. What was typed since belongs to no call, so the form is that of a review without one.
    await page.getByRole("heading", { name: "Review without a call" }).waitFor();
    expect((await dana.call("open", { id })).body.call_log).toMatchObject([
      { outcome: "left_message", note: "Her son takes care of it" },
    ]);
  });

  it("keeps its form, and what is being typed there, when the event of it is here long before its answer", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await intercept(page, "**/api/outcome", async (route) => {
      const response = await route.fetch();
      await note(page).focus();
      await page.keyboard.type("Has ");
      await page.locator(".history").getByText("No answer").waitFor();
      await page.keyboard.type("cats");
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByText("What you typed after the outcome was sent is not in its note.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => note(page).inputValue()).toBe("Has cats");
  });

  it("begins no further call by a press of c before its answer is here", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await intercept(page, "**/api/outcome", async (route) => {
      const response = await route.fetch();
      await page.locator(".number").waitFor({ state: "detached" });
      await page.keyboard.press("c");
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    expect((await dana.call("open", { id })).body.call_log).toHaveLength(1);
  });

  it("is asked for still when the call takes longer than an hour", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await page.keyboard.press("t");
    await page.keyboard.type("Has ");
    await database.owner`update private.calls set at = at - interval '61 minutes' where lead_id = ${id}`;
    await lee.call("outcome", { id, call_id: null, outcome: "likely_qualifies" });
    await page.locator(".number").waitFor({ state: "detached" });
    await page.keyboard.type("2 daughters");
    expect(await note(page).inputValue()).toBe("Has 2 daughters");
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    const { call_log } = (await dana.call("open", { id })).body;
    expect(call_log.find(({ called }) => called)).toMatchObject({
      outcome: "not_interested",
      note: "Has 2 daughters",
    });
  });
});

describe("a lead that is taken, and then let go, where each answer is lost", () => {
  it("leaves no failure beside it once the page shows that it is done", async () => {
    const page = await leadPage(dana, await addLead(database));
    const failures = page.locator(".claim-line .notice.trouble");
    for (const [call, button, done] of [
      ["claim", "Take this lead", "You have it"],
      ["release", "Let it go", "Nobody has it"],
    ] as const) {
      const load = async (route: Route) => {
        // The failure is said while the page does not show yet that it is done.
        await failures.waitFor();
        await route.continue();
      };
      await intercept(page, `**/api/${call}`, async (route) => {
        await intercept(page, "**/api/opened", load, { times: 1 });
        await route.fetch();
        await route.abort();
      });
      await page.getByRole("button", { name: button }).click();
      await page.locator(".claim-words").getByText(done).waitFor();
      await expect.poll(() => failures.count()).toBe(0);
    }
  });
});

/** Holds the first recording of costs until the function that it returns is called. */
async function holdCosts(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    await held.promise;
    await route.continue();
  };
  await intercept(page, "**/api/campaigns/costs", hold, { times: 1 });
  return held.resolve;
}

/** Chooses a file with a cost of this campaign. */
async function chooseCosts(page: Page, campaign: string): Promise<void> {
  const day = await page.getByLabel("Day", { exact: true }).inputValue();
  const buffer = Buffer.from(`date,campaign,amount\n${day},${campaign},6`);
  await page.getByLabel("A CSV file").setInputFiles({ name: "costs.csv", mimeType: "text/csv", buffer });
}

describe("a costs file that is chosen while a typed cost is under way", () => {
  it("is recorded too", async () => {
    const page = await as(maria, "/campaigns");
    const answer = await holdCosts(page);
    await page.getByRole("textbox", { name: "Campaign" }).fill("typed");
    await page.getByLabel("Cost in US dollars").fill("5");
    await page.getByRole("button", { name: "Record" }).click();
    await chooseCosts(page, "chosen");
    const recorded = page.getByRole("region", { name: "Recorded costs" });
    await recorded.getByText("Table").click();
    const names = () => recorded.locator("tbody td:nth-child(2)").allTextContents();
    await expect.poll(names).toEqual(["chosen"]);
    answer();
    await expect.poll(names).toEqual(["chosen", "typed"]);
    expect(await page.getByText("1 cost is recorded.").count()).toBe(2);
  });
});

describe("a costs file that is chosen while another file is under way", () => {
  it("is not taken, and the page asks to choose it again", async () => {
    const page = await as(maria, "/campaigns");
    const answer = await holdCosts(page);
    const again = page.getByText("The file before was still being recorded. Please choose this one again.");
    const asked = page.waitForRequest("**/api/campaigns/costs");
    await chooseCosts(page, "first");
    await asked;
    await chooseCosts(page, "second");
    await again.waitFor();
    const empty = { name: "empty.csv", mimeType: "text/csv", buffer: Buffer.of() };
    await page.getByLabel("A CSV file").setInputFiles(empty);
    answer();
    await page.getByText("1 cost is recorded.").waitFor();
    await chooseCosts(page, "second");
    await again.waitFor({ state: "detached" });
    const recorded = page.getByRole("region", { name: "Recorded costs" });
    await recorded.getByText("Table").click();
    await expect
      .poll(() => recorded.locator("tbody td:nth-child(2)").allTextContents())
      .toEqual(expect.arrayContaining(["first", "second"]));
  });
});
