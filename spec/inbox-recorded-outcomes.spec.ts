// What a member typed and recorded on a lead's page: what the page sends and says of it, and what it keeps.
import { describe, expect, it } from "vitest";
import type { ResponseOf } from "../inbox/api.ts";
import { noAnswers } from "../inbox/client/lead/eligibility-questions.ts";
import { intercept } from "./support/browser.ts";
import { sessionsWaitingForLocks } from "./support/database.ts";
import { addLead } from "./support/inbox.ts";
import { callsUnderWay, focused, said, stopClock } from "./support/inbox-pages.ts";
import { dayAhead, setCallback, setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { database, inbox, dana, lee, maria, as, leadPage, beginCall } = await setUpInboxInBrowser();
type Screen = Awaited<ReturnType<typeof as>>;

/** Opens a lead and begins a call. */
const calling = (id: string) => beginCall(dana, id);

const note = (page: Screen) => page.getByLabel("Note, if one is wanted");

describe("a note", () => {
  it("is in its field again when its outcome is taken back", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await note(page).fill("Prefers mornings");
    await page.locator("h1").focus();
    await page.keyboard.press("3");
    await page.getByRole("heading", { name: "Recorded: Does not qualify" }).waitFor();
    await page.keyboard.press("u");
    await expect.poll(() => note(page).inputValue()).toBe("Prefers mornings");
    await page.locator("h1").focus();
    await page.keyboard.press("1");
    await page.getByRole("heading", { name: "Recorded: Likely qualifies" }).waitFor();
    expect((await dana.call("open", { id })).body.call_log).toMatchObject([{ note: "Prefers mornings" }]);
  });

  it("keeps what is typed while its outcome is on the way, and the page says that it was not recorded", async () => {
    const page = await calling(await addLead(database));
    await note(page).fill("Prefers mornings");
    await intercept(page, "**/api/outcome", async (route) => {
      await note(page).fill("Prefers mornings, not Mondays");
      await route.continue();
    });
    await page.getByRole("button", { name: "No answer" }).click();
    await page.getByText("What you typed after the outcome was sent is not in its note").waitFor();
    await page.keyboard.press("u");
    await expect.poll(() => note(page).inputValue()).toBe("Prefers mornings, not Mondays");
  });
});

describe("the form of an outcome that was taken back", () => {
  it("stays on the page, and its keys work, when a load that began before the undo is answered late", async () => {
    const page = await calling(await addLead(database));
    const late: { hasNoOutcome: boolean; send(): Promise<void> }[] = [];
    await intercept(page, "**/api/opened", async (route) => {
      const response = await route.fetch();
      const { call_log } = (await response.json()) as ResponseOf<"opened">;
      const hasNoOutcome = !call_log.at(-1)?.outcome;
      if (hasNoOutcome && late.length === 0) return route.fulfill({ response });
      late.push({ hasNoOutcome, send: () => route.fulfill({ response }) });
    });
    await page.locator("h1").focus();
    await page.keyboard.press("3");
    await page.getByRole("heading", { name: "Recorded: Does not qualify" }).waitFor();
    await expect.poll(() => late.length).toBeGreaterThan(0);
    await page.keyboard.press("u");
    await note(page).waitFor();
    await Promise.all(late.map(({ send }) => send()));
    await expect.poll(() => late.some(({ hasNoOutcome }) => hasNoOutcome)).toBe(true);
    await page.keyboard.press("1");
    await page.getByRole("heading", { name: "Recorded: Likely qualifies" }).waitFor();
  });
});

describe("a note that is being typed when its outcome is recorded", () => {
  it("does not take the next lead when an n is typed; after a pause the key n does", async () => {
    const id = await addLead(database);
    const next = await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana, "/healthz");
    await page.clock.install();
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.getByRole("button", { name: "Review without a call" }).click();
    // While the clock stands still there is no pause between two keys.
    await stopClock(page);
    await intercept(page, "**/api/outcome", async (route) => {
      await note(page).focus();
      await page.keyboard.type("Has o");
      await route.continue();
    });
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    await page.keyboard.type("ne and another");
    expect((await dana.call("open", { id: next })).body.claim).toBeNull();
    await page.clock.runFor(1_000);
    await page.keyboard.press("n");
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/leads/${next}`);
  });
});

describe("a note that is being typed when the number comes", () => {
  it("keeps the focus, so that no digit of it chooses an outcome", async () => {
    const id = await addLead(database);
    const page = await leadPage(dana, id);
    await page.getByRole("button", { name: "Review without a call" }).click();
    await intercept(page, "**/api/call", async (route) => {
      await note(page).focus();
      await route.continue();
    });
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.locator(".number").waitFor();
    await page.keyboard.type("2 daughters");
    expect(await note(page).inputValue()).toBe("2 daughters");
    expect((await dana.call("open", { id })).body.outcome).toBeNull();
  });
});

describe("a call to a lead whose phone field holds no number", () => {
  it("puts the focus on what was typed there, so that the next key is read on the page", async () => {
    const page = await leadPage(dana, await addLead(database, { phone: "none" }));
    await page.getByRole("button", { name: "Call", exact: true }).press("Enter");
    await page.locator(".number").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("none");
  });
});

describe("a note and a callback that are emptied again", () => {
  it("do not make a locked screen say that it keeps what was typed", async () => {
    const member = await inbox.member("Uma");
    const page = await leadPage(member, await addLead(database));
    await page.getByRole("button", { name: "Review without a call" }).click();
    await note(page).fill("Prefers mornings");
    await note(page).fill("");
    await page.getByRole("button", { name: "Call back" }).click();
    await page.getByLabel("Day").fill(dayAhead(3));
    await page.getByLabel("Day").fill("");
    await member.call("lock");
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await text(page)).not.toContain("What you typed");
  });
});

describe("what was typed before the person asked us to stop", () => {
  const stop = async (page: Screen) => {
    await page.getByRole("button", { name: "They asked us to stop" }).click();
    await page.getByRole("button", { name: "Stop all calls" }).click();
    await page.getByRole("heading", { name: "Proof of a stop" }).waitFor();
  };

  it("is offered again, and the note is recorded with the call", async () => {
    const member = await inbox.member("Ines");
    const id = await addLead(database);
    const page = await leadPage(member, id);
    await page.keyboard.press("c");
    await page.locator(".number").waitFor();
    await note(page).fill("Her son takes care of it");
    await stop(page);
    await page.getByText("What you typed in the call is not recorded yet.").waitFor();
    await page.getByRole("link", { name: "Record what came of it" }).click();
    expect(await note(page).inputValue()).toBe("Her son takes care of it");
    expect(await page.getByRole("button", { name: "Call back" }).count()).toBe(0);
    await page.getByRole("button", { name: "Not interested" }).click();
    await note(page).waitFor({ state: "detached" });
    expect((await member.call("open", { id })).body.call_log).toMatchObject([
      { called: true, outcome: "not_interested", note: "Her son takes care of it" },
    ]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("stopped");
    await member.call("lock");
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await text(page)).not.toContain("What you typed");
  });

  it.each([
    ["another member", "Olga", (_: Screen, id: string) => lee.call("stop", { id })],
    ["the member", "Opal", stop],
  ] as const)(
    "is not kept where it is a callback and %s records the stop, because nobody will call",
    async (_, name, recordStop) => {
      const member = await inbox.member(name);
      const id = await addLead(database);
      const page = await leadPage(member, id);
      await page.getByRole("button", { name: "Review without a call" }).click();
      await page.getByRole("button", { name: "Call back" }).click();
      await page.getByLabel("Day").fill(dayAhead(3));
      // Holds back the load after the member's own stop: the lead's page might drop the callback first, and the page of the proof not say so.
      if (recordStop === stop) await intercept(page, "**/api/opened", () => {});
      await recordStop(page, id);
      await page
        .getByText("What you had typed of a callback or of the eligibility check is not kept")
        .waitFor();
      await member.call("lock");
      await page.getByRole("heading", { name: "Locked" }).waitFor();
      expect(await text(page)).not.toContain("What you typed");
    },
  );
});

describe("what is being typed while another member records that the person asked us to stop", () => {
  it.each(["Call", "Review without a call"])(
    "goes on in the note after “%s”, and chooses no outcome",
    async (begin) => {
      const id = await addLead(database);
      const page = await leadPage(dana, id);
      await page.getByRole("button", { name: begin, exact: true }).click();
      await page.locator(".outcomes").waitFor();
      await page.keyboard.press("t");
      await page.keyboard.type("Has ");
      await lee.call("stop", { id });
      await page.locator(".stopped").waitFor();
      await page.keyboard.type("2 daughters");
      expect(await note(page).inputValue()).toBe("Has 2 daughters");
      expect((await dana.call("open", { id })).body.outcome).toBeNull();
    },
  );
});

describe("what was typed about a lead that is erased", () => {
  it.each([
    ["its id", "Pia", (id: string) => id],
    ["its reference in capitals", "Pat", (id: string) => id.slice(-8).toUpperCase()],
  ])("is not kept, and the page says so, at the address with %s", async (_, name, addressOf) => {
    const member = await inbox.member(name);
    const id = await addLead(database, {
      id: `0192f0a0-0000-7000-8000-${crypto.randomUUID().slice(0, 8)}cafe`,
    });
    const page = await leadPage(member, addressOf(id));
    await page.getByRole("button", { name: "Review without a call" }).click();
    await note(page).fill("Prefers mornings");
    await maria.call("erase", { id, reference: id.slice(-8) });
    await page.getByText("What you had typed about it is not kept.").waitFor();
    await member.call("lock");
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await text(page)).not.toContain("What you typed");
  });
});

describe("a press after which its button is gone", () => {
  it("puts the focus on the heading above, and a screen reader is told that an outcome is taken back", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByRole("button", { name: "Show health answers" }).click();
    await expect.poll(() => focused(page)).toBe("Health answers");
    await page.getByRole("button", { name: "Hide" }).click();
    await expect.poll(() => focused(page)).toBe("Health answers");
    await page.getByRole("button", { name: "Review without a call" }).click();
    await expect.poll(() => focused(page)).toBe("Review without a call");
    await page.getByRole("button", { name: "Call back" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => focused(page)).toBe("Review without a call");
    await note(page).fill("Has one already");
    await page.getByRole("button", { name: "Not interested" }).click();
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => focused(page)).toBe("Review without a call");
    expect(await note(page).inputValue()).toBe("Has one already");
    await expect.poll(() => said(page)).toContain("The outcome is taken back.");
  });
});

describe("“Recorded”", () => {
  it("names the member's own outcome, also when another member has recorded a later one", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Recorded: No answer" }).waitFor();
    await lee.call("outcome", { id, call_id: null, outcome: "not_interested" });
    await page.getByText("Lee").first().waitFor();
    expect(await text(page, ".call h2")).toBe("Recorded: No answer");
  });

  it("tells the callback in the zone that the member chose, where a ZIP code has two", async () => {
    await database.owner`
      insert into private.zip_places (prefix, place, rank) select '001', place, 2 from private.zip_places where prefix = '002'
      on conflict do nothing`;
    try {
      const id = await addLead(database, { name: "Rosa Martinez", zip_code: "00105" });
      const page = await leadPage(dana, id);
      const { zones } = (await dana.call("open", { id })).body.place;
      await page.getByRole("button", { name: "Review without a call" }).click();
      await page.getByRole("button", { name: "Call back" }).click();
      await page.getByLabel("Zone").selectOption(zones[1] ?? "");
      await setCallback(page, dayAhead(3), "14:00");
      const asked = page.getByLabel("The person asked for this time");
      await asked.check();
      await page.getByRole("button", { name: "Set the callback" }).click();
      await page.getByRole("heading", { name: "Recorded: Call back" }).waitFor();
      expect(await text(page, ".call")).toMatch(/Callback \w+day 2:00 PM GMT/);
      await page.getByRole("link", { name: "Queue", exact: true }).first().click();
      await expect.poll(() => text(page, ".row")).toMatch(/Callback \w+day 2:00 PM/);
    } finally {
      await database.owner`delete from private.zip_places where prefix = '001' and rank = 2`;
    }
  });
});

describe("the eligibility check", () => {
  it("keeps an answer that is given while the others are on the way", async () => {
    const page = await leadPage(dana, await addLead(database));
    await page.getByText("Go through the questions").click();
    await intercept(page, "**/api/eligibility-check", async (route) => {
      await page.getByLabel("Who prescribes?").fill("Dr. Lopez");
      await route.continue();
    });
    await page.getByRole("button", { name: "See what it means" }).click();
    await page.getByRole("region", { name: "Eligibility" }).getByText("Checked by Dana").waitFor();
    expect(await page.getByLabel("Who prescribes?").inputValue()).toBe("Dr. Lopez");
  });

  it("keeps an answer that the member changes back while the check is being sent", async () => {
    const page = await leadPage(dana, await addLead(database));
    const underWay = callsUnderWay(page);
    await page.getByText("Go through the questions").click();
    const prescriber = page.getByLabel("Who prescribes?");
    const see = page.getByRole("button", { name: "See what it means" });
    let loads: Promise<unknown> | undefined;
    await prescriber.fill("Dr. Lee");
    await see.click();
    await page.getByText("Ask again").waitFor();
    await prescriber.fill("Dr. Kim");
    await intercept(page, "**/api/eligibility-check", async (route) => {
      await prescriber.fill("Dr. Lee");
      // The page loads the lead again once it has the result.
      loads = page.waitForRequest("**/api/opened");
      await route.continue();
    });
    const answered = page.waitForResponse("**/api/eligibility-check");
    await see.click();
    await answered;
    await loads;
    await expect.poll(underWay).toBe(0);
    expect(await prescriber.inputValue()).toBe("Dr. Lee");
  });

  it("leaves the focus in the field where the member types when the result comes, so that a digit chooses no outcome", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await page.getByText("Go through the questions").click();
    await intercept(page, "**/api/eligibility-check", async (route) => {
      await page.getByLabel("Who prescribes?").focus();
      await route.continue();
    });
    await page.getByRole("button", { name: "See what it means" }).click();
    await page.getByRole("region", { name: "Eligibility" }).getByText("Checked by Dana").waitFor();
    await page.keyboard.type("2 doctors");
    expect(await page.getByLabel("Who prescribes?").inputValue()).toBe("2 doctors");
    expect((await dana.call("open", { id })).body.outcome).toBeNull();
  });

  it("is recorded once when it is sent again while the first one is still being recorded", async () => {
    const id = await addLead(database);
    const [first, { again }] = await database.owner.begin(async (tx) => {
      await tx`select set_config('leads.session', ${dana.cookie.replace("session=", "")}, true)`;
      const [row] = await tx`select team.record_eligibility(${id}, ${tx.json(noAnswers)}) ->> 'id' as id`;
      const again = dana.call("eligibility-check", { id, answers: noAnswers });
      await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
      // In an object, because this transaction would wait for the promise itself.
      return [row?.id, { again }];
    });
    expect((await again).body.id).toBe(first);
  });
});

describe("an outcome of the last five minutes, on a page that is opened again", () => {
  it("is taken back there, with its note, because a wrong key may be noticed only on the way", async () => {
    const id = await addLead(database);
    const page = await calling(id);
    await note(page).fill("Prefers mornings");
    await page.locator("h1").focus();
    await page.keyboard.press("8");
    await page.getByRole("heading", { name: "Recorded: Wrong number" }).waitFor();
    const again = await leadPage(dana, id);
    await again.getByRole("button", { name: "Undo" }).click();
    await again.locator(".number").waitFor();
    expect(await note(again).inputValue()).toBe("Prefers mornings");
    expect((await dana.call("open", { id })).body).toMatchObject({ stage: "open", outcome: null });
  });

  it("is a colleague's, an earlier one or one of a lead that the member has again: then it is not offered", async () => {
    const [old, others, taken] = [await addLead(database), await addLead(database), await addLead(database)];
    for (const [member, id] of [
      [dana, old],
      [lee, others],
      [dana, taken],
    ] as const)
      await member.call("outcome", { id, call_id: null, outcome: "not_interested" });
    await database.owner`update private.outcomes set at = at - interval '6 minutes' where lead_id = ${old}`;
    await dana.call("claim", { id: taken });
    for (const id of [old, others, taken]) {
      const page = await leadPage(dana, id);
      await page.getByRole("button", { name: "Call", exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    }
  });
});
