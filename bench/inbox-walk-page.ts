// The member's page of bench/inbox-walk.ts: what it notes of her presses and of what she types, and the faults between it and the server.
import type { Page, Route } from "playwright-core";

/** Of the next action: its answer is lost or held, or the server gets it late. */
export const faultsOfOne = ["lost", "late", "late to the server"] as const;
/** Of all that comes, until it is let go. */
export const faultsOfAll = ["loads held", "events held", "no connection"] as const;
export type Fault = (typeof faultsOfOne)[number] | (typeof faultsOfAll)[number];

/** What the page asks for by itself. */
const loads = [
  "me",
  "queue",
  "rows",
  "opened",
  "members",
  "alert",
  "call-scripts",
  "open",
  "keep-alive",
  "newest-lead",
];

/** In the page: notes real clicks and what stands in a field after each letter; holds events, or loses them without a connection. */
const inThePage = `
const Stream = EventSource;
window.walk = {
  presses: [], typed: [], held: undefined, isDown: false, streams: [],
  takeNotes() {
    const { presses, typed } = walk;
    walk.presses = []; walk.typed = [];
    return { presses, typed };
  },
  letGo() {
    const held = walk.held ?? [];
    walk.held = undefined;
    for (const act of held) act();
  },
  connect(isConnected) {
    walk.isDown = !isConnected;
    for (const stream of walk.streams) stream.dispatchEvent(new Event(isConnected ? "open" : "error"));
  },
};
window.EventSource = class extends Stream {
  constructor(address) { super(address); walk.streams.push(this); }
  set onmessage(act) {
    this.addEventListener("message", (event) => {
      if (walk.isDown) return;
      if (walk.held) walk.held.push(() => act(event)); else act(event);
    });
  }
};
const here = () => location.pathname;
addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button) walk.presses.push({ at: here(), button: button.innerText.replace(/^\\d\\s*/, "").trim().split("\\n")[0] });
}, true);
addEventListener("input", ({ target, isTrusted }) => {
  const field = target.closest("textarea") ? "note" : target.type === "text" && target.closest(".questions") ? "prescriber" : "";
  if (isTrusted && field) walk.typed.push({ at: here(), field, text: target.value });
}, true);
`;

export interface Answered {
  call: string;
  request: Record<string, unknown>;
  answer: Record<string, unknown> | undefined;
  /** When the page asked. */
  askedAt: number;
}

export interface Notes {
  presses: { at: string; button: string }[];
  typed: { at: string; field: "note" | "prescriber"; text: string }[];
}

/** A page with faults between it and its server. `onAnswer` gets what the server answered to each action, whether it arrives or not. */
export class FaultyPage {
  readonly #page: Page;
  readonly #onAnswer: (answered: Answered) => void;
  readonly #active = new Set<Fault>();
  #held: (() => void)[] = [];

  constructor(page: Page, onAnswer: (answered: Answered) => void) {
    this.#page = page;
    this.#onAnswer = onAnswer;
  }

  /** To be called before the page is loaded. */
  async prepare(): Promise<void> {
    // The page may have given a request up, or be closed.
    await this.#page.route("**/api/**", (route) => this.#pass(route).catch(() => {}));
    await this.#page.addInitScript(inThePage);
  }

  async begin(fault: Fault): Promise<void> {
    this.#active.add(fault);
    if (fault === "events held") await this.#page.evaluate("walk.held ??= []");
    if (fault === "no connection") await this.#page.evaluate("walk.connect(false)");
  }

  /** Ends all faults. Lets the held requests go in the order that `pick` gives, and then the held events in their own. */
  async end(pick: (below: number) => number): Promise<void> {
    const wasDown = this.#active.has("no connection");
    this.#active.clear();
    const waiting = this.#held;
    this.#held = [];
    while (waiting.length > 0) waiting.splice(pick(waiting.length), 1)[0]?.();
    await this.#page.evaluate("walk.letGo()");
    if (wasDown) await this.#page.evaluate("walk.connect(true)");
  }

  /** Takes what the page has noted since the last time. */
  notes = () => this.#page.evaluate("walk.takeNotes()") as Promise<Notes>;

  async #pass(route: Route): Promise<void> {
    const request = route.request();
    const call = new URL(request.url()).pathname.replace("/api/", "");
    if (call === "events") return route.continue();
    if (this.#active.has("no connection")) return route.abort();
    if (loads.includes(call)) {
      const response = await route.fetch();
      if (this.#active.has("loads held")) await this.#hold();
      return route.fulfill({ response });
    }
    const askedAt = Date.now();
    if (this.#active.delete("late to the server")) await this.#hold();
    const response = await route.fetch();
    const answer = response.status() === 200 ? await response.json() : undefined;
    this.#onAnswer({ call, request: request.postDataJSON(), answer, askedAt });
    if (this.#active.delete("late")) await this.#hold();
    if (this.#active.delete("lost")) return route.abort();
    return route.fulfill({ response });
  }

  #hold = () => new Promise<void>((resolve) => this.#held.push(resolve));
}
