// The steps of bench/inbox-walk.ts: what Dana presses and types, and how the page settles in the end.
import type { Browser, Page } from "playwright-core";
import type { Sql } from "../database/connect.ts";
import { outcomes } from "../inbox/api-values.ts";
import { outcomeNames } from "../inbox/client/page/words.ts";
import type { TestInbox, TestMember } from "../spec/support/inbox.ts";
import { openAs } from "../spec/support/inbox-pages.ts";
import { Checks, leadAt } from "./inbox-walk-checks.ts";
import { differences, type Look, look } from "./inbox-walk-look.ts";
import { actMeanwhile } from "./inbox-walk-others.ts";
import { type Fault, FaultyPage, faultsOfAll, faultsOfOne } from "./inbox-walk-page.ts";
import type { Random } from "./inbox-walk-random.ts";

export interface Setting {
  browser: Browser;
  inbox: TestInbox;
  owner: Sql;
  dana: TestMember;
  lee: TestMember;
  maria: TestMember;
  leads: string[];
  random: Random;
}

const words = ["Has 2 cats", "c1nnamon", "nu6u", "calls at 8", "her son", "3 qualms"];
const fields = { note: ".outcome textarea", prescriber: ".questions input[type=text]" };
const names = Object.values(outcomeNames);

/** Whether an action on the page was done in time. */
const isDone = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  );

export class Walk {
  readonly said: string[] = [];
  readonly #setting: Setting;
  readonly #page: Page;
  readonly #checks: Checks;
  readonly #faulty: FaultyPage;

  private constructor(setting: Setting, page: Page) {
    this.#setting = setting;
    this.#page = page;
    this.#checks = new Checks(setting.owner, setting.dana.id);
    this.#faulty = new FaultyPage(page, (answered) => this.#checks.noteAnswer(answered));
  }

  static async begin(setting: Setting): Promise<Walk> {
    const page = await openAs(setting.browser, setting.inbox, setting.dana);
    page.setDefaultTimeout(1_500);
    const walk = new Walk(setting, page);
    page.on("pageerror", ({ stack }) => walk.#checks.fail(`In the page: ${stack}`));
    page.on("dialog", (dialog) => void dialog.accept());
    await walk.#faulty.prepare();
    await page.goto(`${setting.inbox.url}/${setting.random.chance(0.8) ? `leads/${setting.leads[0]}` : ""}`);
    await page.locator(".lead, .rows").first().waitFor({ timeout: 8_000 });
    if (setting.random.chance(0.6)) await walk.#pressKey("c");
    return walk;
  }

  end = () => this.#page.context().close();

  /** For the report of a failure. */
  screen = () =>
    this.#page
      .locator("body")
      .innerText()
      .catch(() => "");

  #look = () => this.#page.evaluate(look) as Promise<Look>;
  #path = () => new URL(this.#page.url()).pathname;

  async step(): Promise<void> {
    const { random } = this.#setting;
    const kind = random.weighed({ dana: 10, other: 3, fault: 2, letGo: 2 });
    if (kind === "dana") await this.#act();
    if (kind === "other") await this.#other();
    if (kind === "fault") await this.#beginFault(random.of(faultsOfAll));
    if (kind === "letGo") await this.#letGo();
    // Half of the steps follow at once, as fast as a key is pressed.
    if (random.chance(0.5)) await this.#page.waitForTimeout(random.of([30, 150, 500]));
    await this.#check();
  }

  async #check(): Promise<void> {
    const notes = await this.#faulty.notes();
    await this.#checks.afterStep(await this.#look(), notes, this.said.at(-1) ?? "");
  }

  async #beginFault(fault: Fault): Promise<void> {
    this.said.push(`fault: ${fault}`);
    await this.#faulty.begin(fault);
  }

  async #letGo(): Promise<void> {
    this.said.push("let go");
    await this.#faulty.end(this.#setting.random.below);
  }

  /** A colleague or a manager acts on a lead, mostly on the one that Dana looks at. */
  async #other(): Promise<void> {
    const { random, leads } = this.#setting;
    const shown = leadAt(this.#path());
    const id = shown && random.chance(0.85) ? shown : random.of(leads);
    const act = await actMeanwhile(this.#setting, id);
    if (act === "stop") this.#checks.noteStop(id);
    this.said.push(`others: ${act} ${id === shown ? "this lead" : "another lead"}`);
  }

  async #act(): Promise<void> {
    const { random } = this.#setting;
    const seen = await this.#look();
    const kind = random.weighed({
      button: 10,
      key: 3,
      note: 5,
      prescriber: 2,
      link: 1,
      search: 0.5,
      enter: 0.7,
    });
    if (kind === "button") await this.#press(seen);
    if (kind === "key") await this.#pressKey(random.of(["c", "n", "u", "q", "1", "4", "6", "6", "8", "t"]));
    if (kind === "note" && seen.note !== undefined) await this.#type("note");
    if (kind === "prescriber" && seen.prescriber !== undefined) {
      await this.#tryToClick("[aria-labelledby=eligibility] details:not([open]) summary");
      await this.#type("prescriber");
    }
    if (kind === "link")
      await this.#tryToClick(seen.path === "/" ? ".row-name" : random.of([".back-link", ".stopped a"]));
    if (kind === "search" && seen.path === "/" && (await this.#fill("#search", random.of(["ann", "rosa"]))))
      await this.#page.keyboard.press("Enter");
    // No Enter on a number (its area code is 111 here) or on the button that prints the proof.
    if (kind === "enter" && !/Print|111/.test(seen.focusedText)) await this.#page.keyboard.press("Enter");
  }

  /** Presses a button, and may begin a fault first, which then affects the request that the button sends. */
  async #press(seen: Look): Promise<void> {
    const { random } = this.#setting;
    const name = this.#choose(seen);
    if (!name) return;
    if (random.chance(0.35)) await this.#beginFault(random.of(faultsOfOne));
    await this.#tryToClick(`:is(dialog[open], main) button:has-text(${JSON.stringify(name)})`);
    if (name !== "Call back") return;
    await this.#fill(
      ".callback [type=date]",
      new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10),
    );
    await this.#fill(".callback [type=time]", "12:00");
  }

  /** Chooses a button, mostly one that is next for the lead: a call, and then its outcome. */
  #choose({ buttons, hasForm, hasDialog }: Look): string | undefined {
    const { random } = this.#setting;
    if (hasDialog) return random.of(["Stop all calls", "Cancel"]);
    const leftAlone = /^(Keys|Show health|Hide|Print|Later|All|Mine|Late|More filters|Search)/;
    const offered = buttons.filter(
      (name) => !leftAlone.test(name) && (!name.startsWith("They asked") || random.chance(0.2)),
    );
    const next = offered.filter((name) =>
      hasForm
        ? names.includes(name as never) || name.startsWith("Set the")
        : /^(Call|Take next|Review)/.test(name),
    );
    return next.length > 0 && random.chance(0.8) ? random.of(next) : random.of(offered);
  }

  /** Clicks an element if it is still there: an answer or an event that arrives meanwhile may remove it. */
  async #tryToClick(selector: string): Promise<void> {
    const isClicked = await isDone(this.#page.locator(selector).first().click({ timeout: 400 }));
    this.said.push(`${isClicked ? "press" : "  (no more)"} ${selector}`);
  }

  #fill = (selector: string, text: string) =>
    isDone(this.#page.locator(selector).fill(text, { timeout: 400 }));

  /** Presses a shortcut, which counts as a press of its button. */
  async #pressKey(key: string): Promise<void> {
    await this.#page.evaluate("document.activeElement.blur()");
    const outcome = outcomes[Number(key) - 1];
    if (key === "c") this.#checks.notePress(leadAt(this.#path()), "Call");
    if (outcome) this.#checks.notePress(leadAt(this.#path()), outcomeNames[outcome]);
    this.said.push(`key ${key}`);
    await this.#page.keyboard.press(key);
  }

  /** Types letter by letter, if the field is open. As long as the field is on the page, it must keep the focus. */
  async #type(field: keyof typeof fields): Promise<void> {
    const { random } = this.#setting;
    const path = this.#path();
    await isDone(this.#page.locator(fields[field]).focus({ timeout: 300 }));
    if ((await this.#look()).activeField !== field) return;
    await this.#page.keyboard.press("End");
    const text = random.of(words);
    this.said.push(`type "${text}" into ${field}`);
    let last = Date.now();
    for (const [nth, letter] of [...text].entries()) {
      if (nth === 3 && random.chance(0.25)) await this.#other();
      if (nth === 4 && random.chance(0.25)) await this.#letGo();
      const seen = await this.#look();
      // When the field is gone, a key that follows a pause is a shortcut again.
      if (seen.path !== path || Date.now() - last > 800) return;
      if (seen[field] !== undefined && seen.activeField !== field && !seen.hasDialog)
        this.#checks.fail(
          `The focus went from ${field} to "${seen.activeField || seen.focusedText}" while Dana typed.`,
        );
      await this.#page.keyboard.press(letter);
      last = Date.now();
    }
  }

  /** Ends all faults. Checks that the page then shows what a fresh one shows, and that the button it offers for the lead works. */
  async settle(): Promise<void> {
    const { browser, inbox, dana } = this.#setting;
    await this.#letGo();
    if ((await this.#look()).hasDialog) await this.#page.keyboard.press("Escape");
    const fresh = await openAs(browser, inbox, dana, this.#path());
    await fresh.locator("h1").waitFor();
    const until = Date.now() + 10_000;
    let wrong: string[] = [];
    do {
      await this.#page.waitForTimeout(100);
      // An answer that was held may have brought the page to the next lead.
      if (new URL(fresh.url()).pathname !== this.#path()) await fresh.goto(`${inbox.url}${this.#path()}`);
      wrong = differences(await this.#look(), (await fresh.evaluate(look)) as Look);
    } while (wrong.length > 0 && Date.now() < until);
    await fresh.context().close();
    if (wrong.length > 0) throw new Error(`All is let go, and still: ${wrong.join("; ")}`);
    await this.#check();
    await this.#goOn();
  }

  /** Presses the button that the page offers for the lead, and checks that this has an effect. */
  async #goOn(): Promise<void> {
    const { hasForm, callButtons } = await this.#look();
    if (!hasForm && callButtons === 0) return;
    const [button, effect] = hasForm
      ? [
          ".outcome-button:has-text('Not interested')",
          "#recorded, .outcome .notice.trouble, .stopped:not(:has(.outcome))",
        ]
      : [".call > .button[aria-keyshortcuts=c]", ".number, .call > .notice.trouble"];
    await this.#tryToClick(button);
    if (!(await isDone(this.#page.locator(effect).first().waitFor({ timeout: 8_000 }))))
      this.#checks.fail(`The button ${button} did nothing.`);
    await this.#check();
  }
}
