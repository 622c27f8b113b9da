// What a member does with leads, as functions over SQL: the queue, the claim, the call, the outcome, the stop. The answers are those
// of the inbox's API (inbox/api-queue.ts, inbox/api-lead.ts).
import type { JSONValue } from "postgres";
import { type Ask, Refused, withoutUnset } from "./ask.ts";

/** The page begins after `after`, which is the `next` of the page before. */
export interface Page {
  after?: string | null | undefined;
  limit?: number | undefined;
}
type Filter = Readonly<Record<string, string | boolean | undefined>>;

const pageSize = 50;

/** Does not count as activity, so the session of an idle member is still locked. */
export const queue = (ask: Ask, filter: Filter = {}, { after, limit }: Page = {}) =>
  ask((sql) => sql`team.queue(${sql.json(withoutUnset(filter))}, ${after ?? null}, ${limit ?? pageSize})`);

/** Each page has its entry in the audit log, written before the database looks. Without text it is a list, and has none. */
export async function search(
  ask: Ask,
  text: string,
  filter: Filter = {},
  { after, limit }: Page = {},
): Promise<unknown> {
  const entry =
    text === "" ? null : ((await ask((sql) => sql`team.record_search(${text})`)) as string | null);
  return ask(
    (sql) =>
      sql`team.search(${entry}, ${sql.json(withoutUnset(filter))}, ${after ?? null}, ${limit ?? pageSize})`,
  );
}

/** Does not count as activity, so the session of an idle member is still locked. */
export const rows = (ask: Ask, ids: readonly string[]) => ask((sql) => sql`team.rows(${[...ids]}::uuid[])`);

/** Does not count as activity, so the session of an idle member is still locked. */
export const newestLead = (ask: Ask) => ask((sql) => sql`team.newest_lead()`);

export const takeNext = (ask: Ask) => ask((sql) => sql`team.take_next()`);

export const claim = (ask: Ask, id: string) => ask((sql) => sql`team.claim(${id})`);

export const release = (ask: Ask, id: string) => ask((sql) => sql`team.release(${id})`);

/**
 * Opens a lead by its id or reference. The audit log is written before the database returns anything.
 * @throws Refused 404, or 409 for a reference that several leads have
 */
export async function openLead(ask: Ask, idOrReference: string): Promise<unknown> {
  const entry = await recordOpening(ask, idOrReference, false);
  return ask((sql) => sql`team.open_lead(${entry})`);
}

/** Reads a lead again that is still on screen. Is no activity, like `queue`. @throws Refused 403, 404 */
export const openedLead = (ask: Ask, entry: number) => ask((sql) => sql`team.opened_lead(${entry})`);

/** Opens the health answers of a lead, with an entry in the audit log. */
export async function openHealthAnswers(ask: Ask, id: string): Promise<unknown> {
  const entry = await recordOpening(ask, id, true);
  return ask((sql) => sql`team.open_health_answers(${entry})`);
}

const recordOpening = async (ask: Ask, lead: string, healthAnswers: boolean) =>
  (await ask((sql) => sql`team.record_opening(${lead}, ${healthAnswers})`)) as string;

/** Returns the number, or why it may not be called and when it may. The attempt is logged before the number is returned. */
export async function startCall(ask: Ask, id: string, askedForThisTime: boolean): Promise<unknown> {
  const started = (await ask((sql) => sql`team.start_call(${id}, ${askedForThisTime})`)) as
    | { call_id: string }
    | { refused: string };
  if ("refused" in started) return started;
  return ask((sql) => sql`team.number_of_call(${started.call_id})`).catch(async (error) => {
    if (!(error instanceof Refused && error.status === 404)) throw error;
    // At this moment the person asked us to stop, the hours ended, the state was paused, or another member took the lead: the next answer
    // says which, or that the person's wish still allows the call.
    const again = (await ask((sql) => sql`team.start_call(${id}, ${askedForThisTime})`)) as
      | { call_id: string }
      | { refused: string };
    return "refused" in again ? again : ask((sql) => sql`team.number_of_call(${again.call_id})`);
  });
}

export interface OutcomeToRecord {
  id: string;
  call_id: string | null;
  outcome: string;
  note?: string | undefined;
  callback?: { at: string; zone: string; asked_for_this_time?: boolean | undefined } | undefined;
}

export const recordOutcome = (ask: Ask, { id, call_id, outcome, note, callback }: OutcomeToRecord) =>
  ask(
    (sql) => sql`team.record_outcome(
      ${id}, ${call_id}, ${outcome}, ${note ?? ""}, ${callback ? sql.json(withoutUnset(callback)) : null})`,
  );

/** Returns null when the outcome is undone, otherwise why not. */
export const undoOutcome = async (ask: Ask, outcomeId: string) =>
  (await ask((sql) => sql`team.undo_outcome(${outcomeId})`)) as string | null;

export const recordEligibility = (ask: Ask, id: string, answers: Readonly<Record<string, JSONValue>>) =>
  ask((sql) => sql`team.record_eligibility(${id}, ${sql.json(answers)})`);

/** Stops the calls and returns the proof. */
export async function stopLead(ask: Ask, id: string): Promise<unknown> {
  const entry = (await ask((sql) => sql`team.stop_lead(${id})`)) as string;
  return ask((sql) => sql`team.stop_proof(${entry})`);
}

export type StopRefusal = "no number" | "too many numbers";

/** Stops the numbers in the text and returns how many permissions that ended. The audit log is written before they are counted. */
export async function stopNumber(
  ask: Ask,
  phone: string,
): Promise<{ leads: number } | { refused: StopRefusal }> {
  const stopped = (await ask((sql) => sql`team.stop_number(${phone})`)) as
    | { entry: number }
    | { refused: StopRefusal };
  if ("refused" in stopped) return stopped;
  return { leads: (await ask((sql) => sql`team.stopped_number(${stopped.entry})`)) as number };
}

/** The proof that the calls were stopped, with an entry in the audit log. @throws Refused 404 when they were not */
export async function stopProof(ask: Ask, id: string): Promise<unknown> {
  const entry = (await ask((sql) => sql`team.record_stop_proof(${id})`)) as string;
  return ask((sql) => sql`team.stop_proof(${entry})`);
}
