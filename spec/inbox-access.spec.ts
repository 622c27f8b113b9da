// The accessibility of the inbox: its pages and states are held to axe's rules of WCAG 2.2 AA, at several widths and colour schemes, at
// 400 % zoom (320 pixels), and with text of twice the size; and it is used with a keyboard alone.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeViolations } from "./support/axe.ts";
import { useBrowser } from "./support/browser.ts";
import { addLead, makeInbox, nightZip } from "./support/inbox.ts";
import { openAs } from "./support/inbox-pages.ts";

const { browser, open } = useBrowser();

const ids: Record<string, string> = {};
const { database, inbox } = await makeInbox();
const maria = await inbox.member("Maria", "manager");
ids.open = await addLead(database, { name: "Rosa Martinez", email: "rosa@example.com" }, 23);
ids.other = await addLead(database, { name: "Rosa M.", email: "rosa@example.com" }, 30);
ids.night = await addLead(database, { name: "Night Lead", zip_code: nightZip });
ids.called = await addLead(database, { name: "Called Lead" }, 2);
ids.stopped = await addLead(database, { name: "Stopped Lead" });
await database.owner`update private.lead_work set flags = '{"link in name"}' where lead_id = ${ids.other}`;
await maria.call("call", { id: ids.called });
await maria.call("stop", { id: ids.stopped });
await maria.call("pause-state", { state: "LA", reason: "An emergency" });

const screens = [
  ["a small phone", { viewport: { width: 320, height: 640 }, colorScheme: "light", forcedColors: "none" }],
  [
    "a tablet in the dark",
    { viewport: { width: 768, height: 1024 }, colorScheme: "dark", forcedColors: "none" },
  ],
  [
    "a desktop in forced colours",
    { viewport: { width: 1440, height: 900 }, colorScheme: "light", forcedColors: "active" },
  ],
] as const;

/** Each page: its name, its address, a selector of what it shows once it is loaded, and what the test does on it then. */
const states: [string, () => string, string, (page: Page) => Promise<unknown>][] = [
  ["the queue", () => "/", ".row", async () => {}],
  ["the queue with filters", () => "/", ".row", (page) => page.getByText("More filters").click()],
  ["the list of shortcuts", () => "/", ".row", (page) => page.keyboard.press("?")],
  [
    "a lead",
    () => `/leads/${ids.open}`,
    ".lead",
    (page) => page.getByText("Go through the questions").click(),
  ],
  ["a refused call", () => `/leads/${ids.night}`, ".lead", (page) => page.keyboard.press("c")],
  ["a call under way", () => `/leads/${ids.called}`, ".number", (page) => page.keyboard.press("5")],
  ["a stopped lead", () => `/leads/${ids.stopped}`, ".stopped", async () => {}],
  ["the proof of a stop", () => `/leads/${ids.stopped}/stop-proof`, "table", async () => {}],
  [
    "a question before a stop",
    () => `/leads/${ids.open}`,
    ".lead",
    (page) => page.getByRole("button", { name: "They asked us to stop" }).click(),
  ],
  ["the page that stops a number", () => "/stop", "form", async () => {}],
  ["health", () => "/health", "table", async () => {}],
  ["the account", () => "/account", ".card", async () => {}],
  ["reports", () => "/reports", ".figures", (page) => page.getByText("Table").first().click()],
  ["the audit log", () => "/audit-log", "tbody tr", async () => {}],
  ["the team", () => "/team", ".members li", async () => {}],
  ["an unknown address", () => "/nowhere", "h1", async () => {}],
];

/** How many pixels the page is wider than the screen. */
const excessWidth = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** What nobody sees of a row of the queue, because it is beyond the row's edge, or too long for an element that hides the rest. */
const cutOff = (page: Page) =>
  page.locator(".row, .row *:not(svg *)").evaluateAll((parts) =>
    parts
      .filter((part) => {
        const row = part.closest(".row") as Element;
        const hidesRest =
          getComputedStyle(part).overflow !== "visible" && !part.matches("svg, .visually-hidden");
        const isTooLong = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight;
        return (
          part.getBoundingClientRect().right > row.getBoundingClientRect().right + 1 ||
          (hidesRest && isTooLong)
        );
      })
      .map((part) => part.className + part.textContent),
  );

/** Holds the page to the rules on each screen in turn, without transitions, because axe would read the colours in the middle of one. */
async function expectNoViolations(page: Page): Promise<void> {
  for (const [screen, { viewport, ...media }] of screens) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ ...media, reducedMotion: "reduce" });
    expect(await axeViolations(page), screen).toEqual([]);
    expect(await excessWidth(page), screen).toBe(0);
  }
}

describe("on a small phone, a tablet in the dark and a desktop in forced colours", () => {
  it.each(states)(
    "%s has no violation that axe finds and does not scroll sideways",
    async (_, path, selector, act) => {
      const page = await openAs(browser(), inbox, maria, path(), { viewport: screens[0][1].viewport });
      await page.locator(selector).first().waitFor();
      await act(page);
      await expectNoViolations(page);
    },
  );

  it("the sign-in page has no violation that axe finds and does not scroll sideways", async () => {
    const page = await open(inbox.url);
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    await expectNoViolations(page);
  });

  it("an invitation has no violation that axe finds and does not scroll sideways", async () => {
    const { body } = await maria.call("members/invite", {
      name: `Nora ${crypto.randomUUID()}`,
      role: "member",
    });
    const page = await open(body.link);
    await page.getByRole("button", { name: "Create a passkey" }).waitFor();
    await expectNoViolations(page);
  });
});

describe("with text of twice the size", () => {
  it.each(states)(
    "%s does not scroll sideways, and a row shows all that it says",
    async (_, path, selector, act) => {
      const page = await openAs(browser(), inbox, maria, path());
      await page.locator(selector).first().waitFor();
      await act(page);
      for (const width of [390, 768, 1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate(() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync("html { font-size: 36px }");
          document.adoptedStyleSheets = [sheet];
        });
        expect(await excessWidth(page), `${width} px`).toBe(0);
        expect(await cutOff(page), `${width} px`).toEqual([]);
      }
    },
  );
});

describe("a member with a keyboard alone", () => {
  it("goes from the top of the queue into a lead, and the heading has the focus there", async () => {
    const page = await openAs(browser(), inbox, maria);
    await page.locator(".row").first().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the page");
    const isOnRow = () => page.evaluate(() => document.activeElement?.className === "row-name");
    for (let tabs = 0; tabs < 50 && !(await isOnRow()); tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".lead").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });

  it("opens the list of shortcuts with ? and closes it with Escape, and the focus is back where it was", async () => {
    const page = await openAs(browser(), inbox, maria);
    await page.locator(".row-name").first().focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("row-name");
  });

  it("turns the shortcuts off, and none does anything any more", async () => {
    const page = await openAs(browser(), inbox, maria);
    await page.locator(".row").first().waitFor();
    await page.keyboard.press("?");
    await page.getByLabel("Use these shortcuts").press("Space");
    await page.getByRole("button", { name: "Close" }).press("Enter");
    const calls: string[] = [];
    page.on("request", (request) => calls.push(request.url()));
    await page.keyboard.press("n");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    // Requests go in order, so the one of "n" would be here before the one of this press.
    await page.getByRole("link", { name: "Health" }).click();
    await page.getByRole("heading", { name: "Health" }).waitFor();
    expect(calls.filter((url) => url.endsWith("/take-next"))).toEqual([]);
  });
});

describe("a target on a lead's page", () => {
  it("is at least 44 pixels high, unless it is a link in a sentence", async () => {
    for (const [lead, shown] of [
      [ids.called, ".number"],
      [ids.open, "#others"],
    ]) {
      const page = await openAs(browser(), inbox, maria, `/leads/${lead}`);
      await page.locator(shown ?? "").waitFor();
      const small = await page
        .locator(
          "button:visible, summary:visible, input:visible, select:visible, textarea:visible, a:visible",
        )
        .evaluateAll((targets) =>
          targets
            .filter((target) => {
              const whole = target.closest("label") ?? target;
              return !target.closest("p:not(.number)") && whole.getBoundingClientRect().height < 44;
            })
            .map((target) => target.outerHTML),
        );
      expect(small).toEqual([]);
    }
  });
});
