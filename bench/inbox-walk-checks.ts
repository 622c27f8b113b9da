// What has to be true after each step of bench/inbox-walk.ts, whatever is late or lost by then.
import type { Sql } from "../database/connect.ts";
import type { outcomes } from "../inbox/api-values.ts";
import { outcomeNames } from "../inbox/client/page/words.ts";
import type { Look } from "./inbox-walk-look.ts";
import type { Answered, Notes } from "./inbox-walk-page.ts";

export const leadAt = (path: string) => /^\/leads\/([0-9a-f-]{36})/.exec(path)?.[1] ?? "";

/** A button whose presses are counted under the name of another button, because it sends the same call. */
const countedAs: Record<string, string> = { "Call now, and record that reason": "Call" };

/** The button that sends a call or an outcome. "Call back" itself sends nothing: it opens the fields for the time. */
const buttonOf = (what: string): string =>
  what === "call"
    ? "Call"
    : what === "callback"
      ? "Set the callback"
      : outcomeNames[what as (typeof outcomes)[number]];

export class Checks {
  readonly #owner: Sql;
  /** Dana's id. */
  readonly #member: string;
  /** How often Dana pressed what, by lead and button. */
  readonly #presses = new Map<string, number>();
  /** What Dana typed last, by lead and field, and what of it the server took. */
  readonly #typed = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #stoppedAt = new Map<string, number>();
  #before: Look | undefined;
  #failure: Error | undefined;

  constructor(owner: Sql, member: string) {
    this.#owner = owner;
    this.#member = member;
  }

  fail(what: string): void {
    this.#failure ??= new Error(what);
  }

  throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  noteStop(lead: string): void {
    this.#stoppedAt.set(lead, Date.now());
  }

  notePress(lead: string, button: string): void {
    const of = `${lead} ${countedAs[button] ?? button}`;
    this.#presses.set(of, (this.#presses.get(of) ?? 0) + 1);
  }

  /** Notes what the server answered, even when the answer does not arrive at the page. */
  noteAnswer({ call, request, answer, askedAt }: Answered): void {
    if (answer === undefined || "refused" in answer) return;
    const lead = String(request.id);
    if (call === "outcome") this.#taken.add(`${lead} note ${String(request.note ?? "").trim()}`);
    if (call === "eligibility-check")
      this.#taken.add(`${lead} prescriber ${(request.answers as { prescriber: string }).prescriber.trim()}`);
    if (call === "call" && (this.#stoppedAt.get(lead) ?? Number.POSITIVE_INFINITY) < askedAt)
      this.fail("A number was told for a lead that was stopped when Dana pressed.");
  }

  /** Checks what has to be true after a step; `last` is the last line that the walk has said of it. */
  async afterStep(seen: Look, { presses, typed }: Notes, last: string): Promise<void> {
    for (const { at, button } of presses) this.notePress(leadAt(at), button);
    for (const { at, field, text } of typed) this.#typed.set(`${leadAt(at)} ${field}`, text);
    this.#checkTyped(seen);
    const before = this.#before;
    this.#before = seen;
    // "Take next lead" may give the same lead again, and its page then offers the call anew.
    const isTakenAgain = /Take|key n/.test(last);
    // The address changes before the page does, so only a second look at the same one counts.
    const isOnLead = before?.path === seen.path && /^\/leads\/[^/]+$/.test(seen.path);
    if (before?.hasForm && isOnLead && !seen.hasForm && !seen.recorded && !isTakenAgain)
      await this.#checkFormGone(before, seen);
    await this.#checkServer();
    this.throwFailure();
  }

  /** The form may disappear when its outcome is recorded, when the lead is erased, or when a stop leaves nothing to record. */
  async #checkFormGone(before: Look, { path, stopped }: Look): Promise<void> {
    const lead = leadAt(path);
    const typed = (this.#typed.get(`${lead} note`) ?? before.note ?? "").trim();
    if (stopped && (typed === "" || this.#taken.has(`${lead} note ${typed}`))) return;
    if (await this.#isThere(lead)) this.fail("The form went, and no outcome is recorded on the page.");
  }

  async #isThere(lead: string): Promise<boolean> {
    const found = await this.#owner`select from public.leads where id = ${lead}`;
    return found.length > 0;
  }

  /** What was typed stands in its field, or was taken by the server. */
  #checkTyped(seen: Look): void {
    const lead = leadAt(seen.path);
    for (const field of ["note", "prescriber"] as const) {
      const typed = this.#typed.get(`${lead} ${field}`);
      const shown = seen[field];
      if (!typed || shown === undefined || shown === typed) continue;
      if (this.#taken.has(`${lead} ${field} ${typed.trim()}`)) continue;
      this.fail(`Dana typed "${typed}" into ${field}, and "${shown}" stands there.`);
    }
  }

  /** No more calls and outcomes than presses. */
  async #checkServer(): Promise<void> {
    const done = await this.#owner<{ lead: string; what: string; count: number }[]>`
      select lead_id as lead, 'call' as what, count(*)::int as count from private.calls where member_id = ${this.#member} group by 1
      union all
      select lead_id, outcome, count(*)::int from private.outcomes where member_id = ${this.#member} group by 1, 2`;
    for (const { lead, what, count } of done) {
      const button = buttonOf(what);
      if (count > (this.#presses.get(`${lead} ${button}`) ?? 0))
        this.fail(`${count} of "${button}", and fewer presses.`);
    }
  }
}
