// How a member who looks elsewhere hears that a lead is waiting: a desktop notification and a sound, both without a name. Most
// tests use the browser's own: they record each call and pass it on to the browser, because no program can see a desktop or hear a
// loudspeaker that is not there. Where the browser's part does not matter, a stand-in records what would be shown.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { useBrowser } from "./support/browser.ts";
import { aLead, removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { openAs, said, stopClock } from "./support/inbox-pages.ts";
import { allEventsSent } from "./support/live-events.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
beforeEach(() => removeLeads(database.owner));

interface Heard {
  /** Title and options of each notification that the browser has shown. */
  notifications: string[];
  /** The frequency of each tone that has begun to sound. */
  tones: number[];
}

/**
 * Opens the member's own page, with the browser's permission for notifications or without, on a clock that the test can move, and records
 * what it has the browser do.
 */
async function accountPage(permission: "granted" | "denied", shownIn = browser): Promise<Page> {
  const page = await openAs(shownIn(), inbox, dana, "/healthz");
  // A browser without a window denies what nobody has granted.
  if (permission === "granted") {
    await page.context().grantPermissions(["notifications"], { origin: inbox.url });
  }
  await page.addInitScript(listenToTheBrowser);
  await page.clock.install();
  // A lead that comes before the event stream is open is in the list, and no event announces it.
  const stream = page.waitForResponse(`${inbox.url}/api/events`);
  await page.goto(`${inbox.url}/account`);
  await stream;
  await page.getByRole("heading", { name: "In this browser" }).waitFor();
  return page;
}

/** Runs in the page. `document.hidden` tells the page that the member looks at another window. */
function listenToTheBrowser(): void {
  const heard: Heard = { notifications: [], tones: [] };
  Object.assign(window, { heard });
  Object.defineProperty(document, "hidden", { get: () => true });
  const Shown = window.Notification;
  const start = OscillatorNode.prototype.start;
  window.Notification = new Proxy(Shown, {
    construct(_, [title, options]: [string, NotificationOptions]) {
      const notification = new Shown(title, options);
      notification.addEventListener("show", () =>
        heard.notifications.push(`${notification.title} ${notification.body} ${JSON.stringify(options)}`),
      );
      return notification;
    },
  });
  OscillatorNode.prototype.start = function (when) {
    heard.tones.push(this.frequency.value);
    start.call(this, when);
  };
}

const heard = (page: Page) => page.evaluate(() => Reflect.get(window, "heard") as Heard);

/** Runs in a page that the member does not see. Turns notifications on, and records the titles of those it would show. */
function recordNotifications(): void {
  localStorage.setItem("inbox-preferences", JSON.stringify({ notifications: true }));
  Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
  const shown: string[] = [];
  const Shown = class {
    static permission = "granted";
    constructor(title: string) {
      shown.push(title);
    }
  };
  Object.assign(window, { shown, Notification: Shown });
}

const shownBy = (page: Page) => page.evaluate(() => Reflect.get(window, "shown") as string[]);

/** Runs in the page, whose browser offers notifications and throws at each, as Chrome on Android does. */
function offerNotificationsThatThrow(): void {
  const Throwing = class {
    static permission = "granted";
    static requestPermission = async () => "granted";
    constructor() {
      throw new TypeError("Illegal constructor.");
    }
  };
  Object.assign(window, { Notification: Throwing });
}

/** Runs in a page that another tab tells of the events. The page takes none before `takeEvents` is called. */
function holdBackEvents(): void {
  const channel = BroadcastChannel.prototype;
  const { set } = Object.getOwnPropertyDescriptor(channel, "onmessage") as PropertyDescriptor;
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(window, { takeEvents: resolve });
  Object.defineProperty(channel, "onmessage", {
    set(this: BroadcastChannel, listen: (event: MessageEvent) => void) {
      set?.call(this, (event: MessageEvent) => promise.then(() => listen(event)));
    },
  });
}

/** Whether the page could take the lock now. The page's earlier requests are answered first, so a test can wait for them with this. */
const isFree = (page: Page, name: string) =>
  page.evaluate(
    (lock) => navigator.locks.request(lock, { ifAvailable: true }, (held) => held !== null),
    name,
  );

/** Goes to the queue within the page, and has a lead come. */
async function leadComes(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Queue" }).click();
  await page.getByText("Nobody is waiting.").waitFor();
  await addLead(database, { name: "Rosa Martinez", phone: "(111) 555-0142" });
  await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
}

describe("a desktop notification", () => {
  // The headless shell shows none.
  const { browser: wholeBrowser } = useBrowser("whole browser");

  it("is shown by the browser when a lead comes, and says no name, number or place", async () => {
    const page = await accountPage("granted", wholeBrowser);
    const box = page.getByLabel("A desktop notification when a lead comes");
    // Not check(), which takes it for refused when the browser's permission is there a moment later.
    await box.click();
    await expect.poll(() => box.isChecked()).toBe(true);
    await leadComes(page);
    const options = '{"tag":"lead","renotify":true,"icon":"/assets/icon.svg"}';
    await expect
      .poll(async () => (await heard(page)).notifications)
      .toEqual([
        `This is how the inbox says that a lead is waiting  ${options}`,
        `A lead is waiting  ${options}`,
      ]);
  });

  it("stays off when the browser does not allow it, and the page says so", async () => {
    const page = await accountPage("denied", wholeBrowser);
    const box = page.getByLabel("A desktop notification when a lead comes");
    await box.click();
    const refused = page.getByRole("alert").filter({ hasText: "does not let the inbox show notifications" });
    await refused.waitFor();
    expect(await box.isChecked()).toBe(false);
    await leadComes(page);
    expect((await heard(page)).notifications).toEqual([]);
  });

  it("is ticked no longer when the browser's permission was taken away", async () => {
    const page = await accountPage("granted", wholeBrowser);
    const box = page.getByLabel("A desktop notification when a lead comes");
    await box.click();
    await expect.poll(() => box.isChecked()).toBe(true);
    await page.context().clearPermissions();
    await page.reload();
    await page.getByLabel("Keyboard shortcuts").waitFor();
    expect(await box.isChecked()).toBe(false);
  });

  it("is shown no longer once the member has unticked it, although the browser still allows it", async () => {
    const page = await openAs(browser(), inbox, dana, "/healthz");
    await page.addInitScript(recordNotifications);
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(`${inbox.url}/account`);
    await stream;
    await page.getByLabel("A desktop notification when a lead comes").uncheck();
    await leadComes(page);
    await expect.poll(() => said(page)).toContain("1 new lead in the queue.");
    await isFree(page, "inbox-looked-at");
    expect(await shownBy(page)).toEqual([]);
  });

  it("stays off in a browser that offers notifications and shows none, as Chrome on Android, and the page says so", async () => {
    const page = await openAs(browser(), inbox, dana, "/healthz");
    await page.addInitScript(offerNotificationsThatThrow);
    await page.goto(`${inbox.url}/account`);
    const box = page.getByLabel("A desktop notification when a lead comes");
    await box.click();
    await page.getByRole("alert").filter({ hasText: "does not let the inbox show notifications" }).waitFor();
    expect(await box.isChecked()).toBe(false);
  });

  it("is shown while the inbox is on screen beside the window that the member works in", async () => {
    const page = await openAs(browser(), inbox, dana, "/healthz");
    await page.addInitScript(recordNotifications);
    await page.addInitScript(() => {
      Object.defineProperty(document, "hidden", { get: () => false });
      document.hasFocus = () => false;
    });
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(inbox.url);
    await stream;
    await addLead(database);
    await expect.poll(() => shownBy(page)).toEqual(["A lead is waiting"]);
  });

  it("is shown for a lead that comes just after one that the member saw come, because none was shown then", async () => {
    const page = await openAs(browser(), inbox, dana, "/healthz");
    await page.addInitScript(recordNotifications);
    await page.addInitScript(() => {
      Object.defineProperty(document, "hidden", { get: () => false });
      Object.assign(window, { isWorkedIn: true });
      document.hasFocus = () => Reflect.get(window, "isWorkedIn") as boolean;
    });
    const stream = page.waitForResponse(`${inbox.url}/api/events`);
    await page.goto(inbox.url);
    await stream;
    await addLead(database, { name: "Rosa Martinez" });
    await page.getByRole("link", { name: "Rosa Martinez" }).waitFor();
    expect(await shownBy(page)).toEqual([]);
    await page.evaluate(() => {
      Object.assign(window, { isWorkedIn: false });
      window.dispatchEvent(new Event("blur"));
    });
    await addLead(database);
    await expect.poll(() => shownBy(page)).toEqual(["A lead is waiting"]);
  });
});

describe("the sound", () => {
  it("plays two tones as a sample when it is switched on, and again when a lead comes", async () => {
    const page = await accountPage("denied");
    await page.getByLabel("A sound when a lead comes").check();
    await expect.poll(async () => (await heard(page)).tones).toEqual([659, 880]);
    await leadComes(page);
    await expect.poll(async () => (await heard(page)).tones).toEqual([659, 880, 659, 880]);
  });

  it("plays once in ten seconds, also on a machine whose clock was set back", async () => {
    const page = await accountPage("denied");
    await page.getByLabel("A sound when a lead comes").check();
    // The clock by which the page pauses is the test's, because a slow machine may take ten seconds until the next lead.
    const setPageTime = (to: number) =>
      page.evaluate((time) => {
        window.performance.now = () => time;
      }, to);
    await setPageTime(1_000_000);
    await leadComes(page);
    await expect.poll(async () => (await heard(page)).tones).toHaveLength(4);
    await page.clock.setSystemTime(Date.now() - 3_600_000);
    const another = async (name: string) => {
      await addLead(database, { name });
      await page.getByRole("link", { name }).waitFor();
    };
    await setPageTime(1_009_999);
    await another("Came soon after");
    expect((await heard(page)).tones).toHaveLength(4);
    // Ends the first sound, which would keep this one silent where the test is faster than the sound.
    await page.clock.runFor(2_000);
    await setPageTime(1_010_000);
    await another("Came later");
    await expect.poll(async () => (await heard(page)).tones).toHaveLength(6);
  });

  it("plays also when more leads come at once than an event names", async () => {
    const page = await accountPage("denied");
    await page.getByLabel("A sound when a lead comes").check();
    await expect.poll(async () => (await heard(page)).tones).toHaveLength(2);
    await allEventsSent(database, inbox, dana);
    const leads = Array.from({ length: 101 }, (_, nth) => aLead({ name: `Came with ${nth} others` }));
    await database.owner`insert into public.leads ${database.owner(leads)}`;
    await expect.poll(async () => (await heard(page)).tones).toHaveLength(4);
    expect(await said(page)).toContain("New leads in the queue.");
  });

  it("is silent for a member who has not asked for it", async () => {
    const page = await accountPage("denied");
    await leadComes(page);
    expect((await heard(page)).tones).toEqual([]);
  });
});

describe("a member in two tabs", () => {
  /** Opens a second tab beside a page, and waits until it follows the events that the first one hears. */
  async function tabBeside(page: Page, prepare: () => void): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.addInitScript(prepare);
    const follows = page.waitForFunction(async () => {
      const { pending = [] } = await navigator.locks.query();
      return pending.some(({ name }) => name === "inbox-events");
    });
    await tab.goto(inbox.url);
    await tab.getByText("Nobody is waiting.").waitFor();
    await follows;
    return tab;
  }
  const hasHeard = (page: Page, leads: number) =>
    expect
      .poll(async () => (await said(page)).filter((text) => text.endsWith("in the queue.")).length)
      .toBe(leads);
  /** Waits until the first tab has heard of a lead and asked for the lock, then until the second one has, which holds back its events. */
  async function eachHears(tabs: readonly Page[], lock: string): Promise<void> {
    for (const tab of tabs) {
      await tab.evaluate(() => Reflect.get(window, "takeEvents")?.());
      await hasHeard(tab, 1);
      await isFree(tab, lock);
    }
  }

  it("is shown no notification by the tab behind while the other is on screen, and one when neither is", async () => {
    const page = await openAs(browser(), inbox, dana);
    await page.getByText("Nobody is waiting.").waitFor();
    const behind = await tabBeside(page, recordNotifications);
    await addLead(database);
    await hasHeard(behind, 1);
    await isFree(behind, "inbox-looked-at");
    expect(await shownBy(behind)).toEqual([]);
    expect(await isFree(behind, "inbox-looked-at")).toBe(false);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { get: () => true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await expect.poll(() => isFree(behind, "inbox-looked-at")).toBe(true);
    // At once, though ten seconds are between two notifications, because none was shown for the first lead.
    await addLead(database);
    await expect.poll(() => shownBy(behind)).toEqual(["A lead is waiting"]);
  });

  it("is shown one notification and not one by each while neither is on screen", async () => {
    const page = await openAs(browser(), inbox, dana, "/healthz");
    await page.addInitScript(recordNotifications);
    await page.clock.install();
    await page.goto(inbox.url);
    await page.getByText("Nobody is waiting.").waitFor();
    await page.context().addInitScript(holdBackEvents);
    const tabs = [page, await tabBeside(page, recordNotifications)];
    for (const tab of tabs) await stopClock(tab);
    await addLead(database);
    await eachHears(tabs, "inbox-looked-at");
    expect((await Promise.all(tabs.map(shownBy))).flat()).toEqual(["A lead is waiting"]);
  });

  it("hears one sound and not one from each", async () => {
    const page = await accountPage("denied");
    await page.getByLabel("A sound when a lead comes").check();
    await expect.poll(async () => (await heard(page)).tones).toHaveLength(2);
    await page.context().addInitScript(holdBackEvents);
    const tab = await tabBeside(page, listenToTheBrowser);
    const tabs = [page, tab];
    // A browser plays no sound on a page that nobody has touched. While the clock stands, the tab that sounds keeps the lock.
    await tab.locator("h1").click();
    for (const one of tabs) await stopClock(one);
    await addLead(database);
    await eachHears(tabs, "inbox-sound");
    const tones = async () => (await Promise.all(tabs.map(heard))).flatMap((one) => one.tones);
    await expect.poll(tones).toEqual([659, 880, 659, 880]);
  });
});

describe("a browser without what the inbox would like to use", () => {
  it("plays the sound as a sample, though nothing can be kept, as where the storage is full", async () => {
    const page = await accountPage("denied");
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      };
    });
    await page.getByLabel("A sound when a lead comes").check();
    await expect.poll(async () => (await heard(page)).tones).toEqual([659, 880]);
  });

  it("still shows new leads where notifications throw, as on Android, or where there are none and no locks, as over http", async () => {
    for (const kind of ["throws", "none"] as const) {
      const page = await openAs(browser(), inbox, dana, "/healthz");
      if (kind === "throws") await page.addInitScript(offerNotificationsThatThrow);
      await page.addInitScript((which) => {
        localStorage.setItem(
          "inbox-preferences",
          JSON.stringify({ usesShortcuts: true, sound: true, notifications: true }),
        );
        Object.defineProperty(document, "hidden", { get: () => true });
        if (which !== "none") return;
        Reflect.deleteProperty(window, "Notification");
        Reflect.deleteProperty(Navigator.prototype, "locks");
      }, kind);
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      const stream = page.waitForResponse(`${inbox.url}/api/events`);
      await page.goto(inbox.url);
      await stream;
      // A tab that nobody has touched asks for no lock before it sounds.
      await page.locator("h1").click();
      await addLead(database, { name: `Came ${kind}` });
      await page.getByRole("link", { name: `Came ${kind}` }).waitFor();
      expect(errors).toEqual([]);
    }
  });
});
