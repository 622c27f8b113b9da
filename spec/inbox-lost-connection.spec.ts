// The inbox in a browser while the network or the server is away: it says so, keeps what was typed, and goes on by itself.
import { describe, expect, it } from "vitest";
import { atTheEnd } from "./support/at-the-end.ts";
import { intercept } from "./support/browser.ts";
import { freePort } from "./support/free-port.ts";
import { addLead, serveInbox } from "./support/inbox.ts";
import { openAs, said } from "./support/inbox-pages.ts";
import { setUpInboxInBrowser } from "./support/inbox-screens.ts";
import { allEventsSent } from "./support/live-events.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

const { browser, open, database, inbox, dana, as, leadPage, invite } = await setUpInboxInBrowser();

describe("a network that drops", () => {
  it("brings up the banner “No connection”, loses nothing that was typed, and lets the list catch up when it is back", async () => {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await leadPage(dana, id);
    // The event stream is open before the network drops, because its opening would say that the connection is there.
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.reload();
    await stream;
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
    await page.context().setOffline(true);
    await page.locator("h1").focus();
    await page.keyboard.press("4");
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    await page.getByText("No connection. What you type stays here").waitFor();
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Prefers mornings");
    await addLead(database, { name: "Came Meanwhile" });
    await page.context().setOffline(false);
    await page.keyboard.press("4");
    await page.getByRole("heading", { name: "Recorded: Not interested" }).waitFor();
    await page.getByText("No connection. What you type stays here").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("link", { name: "Came Meanwhile" }).waitFor();
  });
});

/**
 * A member's page on a clock that the test moves, through a proxy. `streams` counts how often it has asked for the event stream,
 * and `addHeardLead` adds a lead that each open stream hears of.
 */
async function throughProxy(name: string) {
  const port = await freePort();
  const proxy = await startTcpProxy(`http://page@127.0.0.1:${port}/`);
  atTheEnd(proxy.close);
  const url = `http://localhost:${new URL(proxy.url).port}`;
  const served = await serveInbox(database, { port, url });
  const member = await served.member(name);
  const page = await openAs(browser(), { ...served, url }, member, "/healthz");
  await page.clock.install();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/events")) asked += 1;
  });
  const addHeardLead = async () => {
    await allEventsSent(database, served, member);
    await addLead(database);
  };
  return { page, proxy, url, streams: () => asked, addHeardLead };
}

describe("a network that falls silent, as around a machine that slept", () => {
  it("is noticed within 46 seconds: the page asks for new leads again, and says that there is no connection", async () => {
    const { page, proxy, url, streams, addHeardLead } = await throughProxy("Sally");
    const stream = page.waitForResponse(`${url}/api/events`);
    await page.goto(url);
    await stream;
    await addHeardLead();
    await expect.poll(() => said(page)).toContain("1 new lead in the queue.");
    proxy.stall();
    await page.clock.runFor(46_000);
    await expect.poll(streams).toBe(2);
    await page.getByText("No connection. What you type stays here").waitFor();
  });

  it("is noticed also before the event stream has begun", async () => {
    const { page, url, streams, addHeardLead } = await throughProxy("Saul");
    await intercept(page, "**/api/events", (route) => streams() > 1 && route.continue());
    await page.goto(url);
    await expect.poll(streams).toBe(1);
    await page.clock.runFor(46_000);
    await page.waitForResponse(`${url}/api/events`);
    await addHeardLead();
    await expect.poll(() => said(page)).toContain("1 new lead in the queue.");
  });
});

describe("a page whose first question for new leads gets no answer", () => {
  it("asks again after five seconds, so that it knows which leads are new to the member", async () => {
    const { page, url } = await throughProxy("Sue");
    const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/newest-lead"));
    await intercept(page, "**/api/newest-lead", (route) => route.abort(), { times: 1 });
    await page.goto(url);
    await failed;
    const again = page.waitForResponse(`${url}/api/newest-lead`);
    await page.clock.runFor(5_000);
    expect((await again).status()).toBe(200);
  });
});

describe("a request that is given up after a later one was answered", () => {
  it("does not bring up the banner “No connection”", async () => {
    const page = await leadPage(dana, await addLead(database));
    await intercept(page, "**/api/health-answers", async (route) => {
      await page.getByRole("button", { name: "Take this lead" }).click();
      await page.getByText("You have it").waitFor();
      await route.abort();
    });
    await page.getByRole("button", { name: "Show health answers" }).click();
    await page.getByText("The server did not answer: there is no connection.").waitFor();
    expect(await page.getByText("No connection. What you type stays here").count()).toBe(0);
  });
});

describe("a request that is answered after a later one has failed", () => {
  it("does not hide that there is no connection", async () => {
    const page = await leadPage(dana, await addLead(database));
    const banner = page.getByText("No connection. What you type stays here");
    await intercept(page, "**/api/health-answers", async (route) => {
      await intercept(page, /api\/(?!health-answers)/, (other) => other.abort());
      await page.getByRole("button", { name: "Take this lead" }).click();
      await banner.waitFor();
      await route.continue();
    });
    await page.getByRole("button", { name: "Show health answers" }).click();
    await page.getByRole("button", { name: "Show health answers" }).waitFor({ state: "detached" });
    expect(await banner.count()).toBe(1);
  });
});

describe("a server that starts again", () => {
  it("is waited for; the page says so, keeps what was typed, tells of a lead that came meanwhile, and goes on by itself", async () => {
    const served = await serveInbox(database);
    const member = await served.member("Sam");
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await openAs(browser(), served, member, "/healthz");
    const newest = page.waitForResponse(`${served.url}/api/newest-lead`);
    await page.goto(`${served.url}/leads/${id}`);
    await newest;
    await page.getByRole("button", { name: "Review without a call" }).click();
    await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
    await served.stop();
    await page.getByText("No connection. What you type stays here").waitFor();
    await addLead(database, { name: "Came Meanwhile" });
    const again = await serveInbox(database, { port: Number(new URL(served.url).port), url: served.url });
    await page.getByText("No connection. What you type stays here").waitFor({ state: "detached" });
    expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Prefers mornings");
    await expect.poll(() => said(page)).toContain("New leads in the queue.");
    await page.getByRole("link", { name: "Queue", exact: true }).first().click();
    await page.getByRole("link", { name: "Came Meanwhile" }).waitFor();
    await page.goto("about:blank");
    await again.stop();
  });
});

describe("a proxy that answers in the server's place", () => {
  it.each([
    [200, "text/html", "<!doctype html><title>Sign in</title>"],
    [404, "text/plain", "404 page not found"],
    [401, "text/html", "<!doctype html><title>Sign in</title>"],
  ])(
    "is taken for a network that is gone, whatever status its page has: %i",
    async (status, contentType, body) => {
      const page = await leadPage(dana, await addLead(database, { name: "Rosa Martinez" }));
      await page.getByRole("button", { name: "Review without a call" }).click();
      await page.getByLabel("Note, if one is wanted").fill("Prefers mornings");
      await intercept(page, "**/api/**", (route) => route.fulfill({ status, contentType, body }));
      await page.getByRole("button", { name: "Not interested" }).click();
      await page.getByText("The server did not answer: there is no connection.").waitFor();
      await addLead(database, { name: "Came Meanwhile" });
      await page.getByText("No connection. What you type stays here").waitFor();
      await page.unroute("**/api/**");
      await page.getByText("No connection. What you type stays here").waitFor({ state: "detached" });
      expect(await page.getByLabel("Note, if one is wanted").inputValue()).toBe("Prefers mornings");
    },
  );
});

describe("a page that stays open while the network is gone", () => {
  /** The page of Rosa Martinez on a clock that the test moves. */
  async function offlineWithLead() {
    const id = await addLead(database, { name: "Rosa Martinez" });
    const page = await as(dana, "/healthz");
    await page.clock.install();
    await page.goto(`${inbox.url}/leads/${id}`);
    await page.getByRole("heading", { name: "Rosa Martinez" }).waitFor();
    await page.context().setOffline(true);
    return page;
  }

  it("is locked after the idle minutes when nobody touches it, and holds nothing about the lead then", async () => {
    const page = await offlineWithLead();
    // A page whose timers have not run for two minutes takes the machine for one that slept, and after the idle minutes is locked for that.
    const passMinutes = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed += 1) await page.clock.fastForward("01:00");
    };
    await passMinutes(14);
    await page.getByText("No connection. What you type stays here").waitFor();
    expect(await page.getByRole("heading", { name: "Rosa Martinez" }).count()).toBe(1);
    await passMinutes(2);
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await page.content()).not.toContain("Rosa");
  });

  it("is locked at the first touch when the machine slept for hours, though it cannot ask the server", async () => {
    const page = await offlineWithLead();
    // No timer runs while a machine sleeps.
    await page.clock.setSystemTime(Date.now() + 8 * 3_600_000);
    await page.mouse.move(10, 10);
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    expect(await page.content()).not.toContain("Rosa");
  });
});

describe("“Sign out” on a locked screen", () => {
  it("says that there is no connection when nothing answers, leaves the screen locked, and signs out at the next press", async () => {
    const member = await inbox.member("Uma");
    const page = await as(member);
    await member.call("lock");
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await intercept(page, "**/api/sign-out", (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("alert").getByText("There is no connection.").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Sign out");
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.unroute("**/api/sign-out");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

describe("an inbox that is opened while its server cannot answer", () => {
  it("says so, and shows the leads by itself when the server can answer", async () => {
    const page = await as(dana, "/healthz");
    const answers = { status: 500, body: '{"error":"a bug"}' };
    await intercept(page, "**/api/**", (route) => route.fulfill(answers));
    await page.goto(inbox.url);
    await page.getByText("The server made a mistake.").waitFor();
    Object.assign(answers, { status: 503, body: '{"error":"the database does not answer"}' });
    await page.reload();
    await page.getByText("the server or its database does not answer").waitFor();
    // Nothing was typed yet.
    expect(await page.getByRole("status").innerText()).not.toContain("What you typed");
    await page.unroute("**/api/**");
    await page.getByRole("heading", { name: "Leads", exact: true }).waitFor();
  });

  it("says so where an invitation leads, too", async () => {
    const page = await open();
    await intercept(page, "**/join/open", (route) =>
      route.fulfill({ status: 503, body: '{"error":"the database does not answer"}' }),
    );
    await page.goto(await invite("Vera"));
    await page.getByText("the server or its database does not answer").waitFor();
    await page.unroute("**/join/open");
    await page.getByRole("heading", { name: "Welcome, Vera" }).waitFor();
  });
});
