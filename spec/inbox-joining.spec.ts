// How a person gets into the inbox and out of it: an invitation, a passkey, the lock, a removal. Without a session the inbox says nothing.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { intercept } from "./support/browser.ts";
import { addLead } from "./support/inbox.ts";
import { addAuthenticator } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser, text } from "./support/inbox-screens.ts";

const { open, database, inbox, dana, maria, invite, join } = await setUpInboxInBrowser();

/**
 * Lets somebody join and add a second passkey. Returns their account page. The first passkey is renamed "Old phone" and gets the id `oldId`,
 * because an authenticator that holds a passkey known to the inbox makes no other.
 */
async function joinWithTwoPasskeys(name: string, oldId: string) {
  const page = await join(name);
  await database.owner`
    update private.passkeys set id = ${oldId}, label = 'Old phone'
    where member_id = (select id from private.members where name = ${name})`;
  await page.getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  return page;
}

/** How many passkeys a member has. */
const passkeysOf = async (name: string) =>
  (
    await database.owner`
      select from private.passkeys where member_id = (select id from private.members where name = ${name})`
  ).length;

describe("an invited member", () => {
  it("is welcomed by name, creates a passkey with one button, and sees the queue", async () => {
    const page = await open();
    await addAuthenticator(page);
    await page.goto(await invite("Nora"));
    await page.getByRole("heading", { name: "Welcome, Nora" }).waitFor();
    expect(await page.getByRole("button").allInnerTexts()).toEqual(["Create a passkey"]);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  });

  it("signs out, and signs in again with one button", async () => {
    const page = await join("Otto");
    await page.getByRole("link", { name: "Otto" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("button").allInnerTexts()).toEqual(["Sign in with a passkey"]);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Otto" }).waitFor();
  });

  it("gets in at once while the page still waits for an answer to who is signed in", async () => {
    const page = await join("Ned");
    // The page that leaves may ask once more, and is not to be counted.
    await page.goto("about:blank");
    await page.context().clearCookies();
    const askedAgain = Promise.withResolvers<void>();
    let asked = 0;
    await intercept(page, "**/api/me", (route) => {
      asked += 1;
      // The first answer brings the sign-in page up, which asks again.
      if (asked !== 2) return route.continue();
      askedAgain.resolve();
    });
    await page.goto(inbox.url);
    await askedAgain.promise;
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  });

  it("is not taken for the member who was there before, also where the server makes a mistake at that moment", async () => {
    const page = await join("Nell");
    const value = dana.cookie.split("=")[1] ?? "";
    await page.context().addCookies([{ name: "session", value, url: inbox.url }]);
    await page.goto(inbox.url);
    await page.getByRole("link", { name: "Dana" }).waitFor();
    const checkSession = () =>
      page.evaluate(() => new BroadcastChannel("inbox-session").postMessage("check"));
    await page.context().clearCookies();
    await checkSession();
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    await intercept(page, "**/api/me", (route) => route.fulfill({ status: 500, body: '{"error":"a bug"}' }), {
      times: 1,
    });
    const mistake = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/api/me"));
    await button.click();
    await mistake;
    let seen = "";
    await intercept(page, "**/api/me", async (route) => {
      seen ||= await text(page, "body");
      await route.continue();
    });
    await checkSession();
    await page.getByRole("link", { name: "Nell" }).waitFor();
    expect(seen).toContain("Sign in with a passkey");
  });

  it("is told to turn on the device's own check when the device has made none", async () => {
    const page = await open();
    await addAuthenticator(page, false);
    await page.goto(await invite("Pia"));
    await page.getByRole("button", { name: "Create a passkey" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toBe(
      "No passkey was used: its window was closed, it took too long, or your device did not check that it is you. Turn on its PIN, fingerprint or face check, and try again.",
    );
    expect(await page.getByRole("heading", { name: "Leads", exact: true }).count()).toBe(0);
  });

  it("is shown the way in where the answer to the new passkey was lost", async () => {
    const page = await open();
    await addAuthenticator(page);
    await page.goto(await invite("Lara"));
    await intercept(page, "**/join/verify", async (route) => {
      await route.fetch();
      await page.context().clearCookies();
      await route.abort();
    });
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("This link has been used already, or a newer one has replaced it.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  });

  it("reads why a link does not open", async () => {
    const old = await invite("Olga");
    await database.owner`
      update private.invitations set expires_at = now() - interval '1 second'
      where member_id = (select id from private.members where name = 'Olga')`;
    for (const [link, why] of [
      [`${inbox.url}/join#${"a".repeat(43)}`, "This link is not complete, or you are no longer in the team."],
      [old, "This link is older than 24 hours."],
    ] as const) {
      const page = await open(link);
      await page.getByRole("heading", { name: "This link does not open" }).waitFor();
      expect(await text(page)).toContain(`${why} Ask for a new one.`);
    }
  });

  it("reads that the link cannot be checked where the server made a mistake, and can try again", async () => {
    const page = await open();
    await intercept(
      page,
      "**/join/open",
      (route) => route.fulfill({ status: 500, body: '{"error":"a bug"}' }),
      {
        times: 1,
      },
    );
    await page.goto(await invite("Quin"));
    await page.getByRole("heading", { name: "The link cannot be checked now" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Welcome, Quin" }).waitFor();
  });

  it("reads that a link is not complete where it has lost characters, has gained one, or has lost all of them", async () => {
    const link = await invite("Cut");
    for (const broken of [link.slice(0, -30), `${link}.`, `${inbox.url}/join`]) {
      const page = await open(broken);
      await page.getByText("This link is not complete, or you are no longer in the team.").waitFor();
    }
  });

  it("joins with the newer link where it is opened in the tab that has refused an older one", async () => {
    const page = await open(`${inbox.url}/join#${"a".repeat(43)}`);
    await page.getByRole("heading", { name: "This link does not open" }).waitFor();
    await addAuthenticator(page);
    // The browser keeps the page, because the two addresses differ after the # alone.
    await page.goto(await invite("Uma"));
    await page.getByRole("heading", { name: "Welcome, Uma" }).waitFor();
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  });

  it("locks the screen and unlocks it with the passkey; what was typed is still there", async () => {
    const id = await addLead(database);
    const page = await join("Quinn");
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByLabel("Note, if one is wanted").fill("Asks for a call on Monday");
    await page.evaluate(() =>
      fetch("/api/lock", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
    );
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await text(page)).toContain(
      "Quinn, this screen is locked. What you typed is there again when you unlock",
    );
    expect(await page.content()).not.toContain("Asks for a call");
    expect(await page.content()).not.toContain("Rosa");
    await page.getByRole("button", { name: "Unlock with a passkey" }).click();
    await page.getByText("What you typed is not recorded yet.").waitFor();
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Asks for a call on Monday");
  });

  it("is out at once, on the open page too, when a manager removes them", async () => {
    const page = await join("Rita");
    const { body } = await maria.call("members");
    const rita = body.members.find(({ name }) => name === "Rita");
    await maria.call("members/remove", { id: rita?.id ?? "" });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

describe("the suggestion of a second passkey", () => {
  it("leaves the focus at the page's heading when it is put off", async () => {
    const page = await join("Yara");
    await page.getByRole("button", { name: "Later" }).press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Leads");
  });
});

describe("a passkey", () => {
  it("is added once by two quick presses, and nothing says that it was not", async () => {
    const page = await join("Ada");
    // Its authenticator makes no second passkey where it has one that the inbox knows.
    await database.owner`
      update private.passkeys set id = 'VHdpY2U'
      where member_id = (select id from private.members where name = 'Ada')`;
    await page.getByRole("link", { name: "Ada" }).click();
    const passkeys = page.getByRole("region", { name: "Passkeys" });
    await passkeys.getByRole("listitem").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: "Add a passkey" }).dblclick();
    await passkeys.getByRole("listitem").nth(1).waitFor();
    expect(asked.filter((path) => path === "/api/passkeys/options")).toHaveLength(1);
    expect(await passkeys.getByRole("alert").count()).toBe(0);
  });

  it("that was made too late is not added, and its member reads so and stays signed in", async () => {
    const page = await joinWithTwoPasskeys("Ida", "TGF0ZQ");
    const passkeys = page.getByRole("region", { name: "Passkeys" });
    await passkeys.getByRole("listitem").nth(1).waitFor();
    await database.owner`
      update private.passkeys set id = 'TGF0ZXI'
      where id <> 'TGF0ZQ' and member_id = (select id from private.members where name = 'Ida')`;
    await intercept(page, "**/api/passkeys/add", async (route) => {
      await database.owner`update private.challenges set expires_at = now() - interval '1 second'`;
      await route.continue();
    });
    await passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await passkeys.getByRole("alert").waitFor();
    expect(await passkeys.getByRole("alert").innerText()).toBe(
      "That took too long, or the answer did not fit. Try again.",
    );
    expect(await page.getByRole("heading", { name: "Ida" }).count()).toBe(1);
    expect(await passkeysOf("Ida")).toBe(2);
  });

  it("is removed after a question, and stays where the answer is no", async () => {
    const page = await joinWithTwoPasskeys("Zoe", "Zmlyc3Q");
    const remove = page.getByRole("button", { name: "Remove Old phone" });
    await remove.click();
    const question = page.getByRole("dialog", { name: "Remove this passkey?" });
    await question.getByText("Old phone").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await remove.click();
    await question.getByRole("button", { name: "Remove" }).click();
    await remove.waitFor({ state: "detached" });
    expect(await page.getByRole("region", { name: "Passkeys" }).getByRole("listitem").count()).toBe(1);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Passkeys");
  });

  it("stays when it is the last one by now, and the question says so", async () => {
    const page = await joinWithTwoPasskeys("Abe", "c2Vjb25k");
    await page.getByRole("button", { name: "Remove Old phone" }).waitFor();
    await database.owner`delete from private.passkeys where id = 'c2Vjb25k'`;
    await page.getByRole("button", { name: /^Remove (?!Old phone)/ }).click();
    const question = page.getByRole("dialog", { name: "Remove this passkey?" });
    await question.getByRole("button", { name: "Remove" }).click();
    await question.getByText("This is your last passkey. Add another one first.").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    expect(await passkeysOf("Abe")).toBe(1);
  });
});

describe("two tabs", () => {
  it("lock together and unlock together, and both hear of a new lead", async () => {
    const page = await join("Tess");
    const other = await page.context().newPage();
    await other.goto(inbox.url);
    await other.getByText("Nobody is waiting.").waitFor();
    await page.getByRole("link", { name: "Tess" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await other.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByRole("button", { name: "Unlock with a passkey" }).click();
    await page.getByRole("heading", { name: "Tess" }).waitFor();
    await other.getByText("Nobody is waiting.").waitFor();
    await page.goto(inbox.url);
    await page.getByText("Nobody is waiting.").waitFor();
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    await other.getByRole("link", { name: "Rosa Martinez" }).waitFor();
  });
});

describe("a note that is being typed when its member signs out", () => {
  const noteOf = (page: Page) => page.getByLabel("Note, if one is wanted");

  /** Somebody new with a note on a lead's page, not recorded yet. */
  async function typing(name: string, id: string) {
    const page = await join(name);
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.getByRole("button", { name: "Review without a call" }).click();
    await noteOf(page).fill("Prefers mornings");
    return page;
  }

  /** Signs in again, and looks at the note's field on the lead's page, without a reload. */
  async function noteAfterSignIn(page: Page) {
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("link", { name: "Rosa Martinez" }).click();
    await page.getByRole("button", { name: "Review without a call" }).click();
    return noteOf(page).inputValue();
  }

  it("is dropped, also where the page is told meanwhile that the member is signed in", async () => {
    const id = await addLead(database);
    const page = await typing("Ursel", id);
    await intercept(page, "**/api/sign-out", async (route) => {
      const answered = page.waitForResponse("**/api/me");
      await page.evaluate(() => new BroadcastChannel("inbox-session").postMessage("check"));
      await answered;
      await route.continue();
    });
    await page.getByRole("link", { name: "Ursel" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await noteAfterSignIn(page)).toBe("");
  });

  it("is dropped in every tab, also where the member signs out in another one", async () => {
    const id = await addLead(database);
    const page = await typing("Vera", id);
    const other = await page.context().newPage();
    await other.goto(`${inbox.url}/account`);
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await noteAfterSignIn(page)).toBe("");
  });

  it("is dropped in a tab that hears of it only when the member has signed in again", async () => {
    const page = await typing("Wanda", await addLead(database));
    const note = page.getByLabel("Note");
    expect(await note.inputValue()).not.toBe("");
    await page.evaluate(() => new BroadcastChannel("inbox-session").postMessage("left"));
    await expect.poll(() => note.inputValue()).toBe("");
  });
});

describe("the page without a session", () => {
  it("says at another address of the same machine that it is not the inbox's own", async () => {
    const page = await open(inbox.url.replace("localhost", "127.0.0.1"));
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toBe(
      "This is not the inbox's own address, and nothing works here. Ask your operator for the right one.",
    );
  });

  it("says nothing about anybody, and asks no other server for anything", async () => {
    await addLead(database, { name: "Rosa Martinez" });
    const page = await open();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await page.goto(inbox.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.content()).not.toContain("Rosa");
    expect([...new Set(asked)]).toEqual([inbox.url]);
  });
});
