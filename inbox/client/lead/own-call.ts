// The member's own call to the person of the lead that is on screen, whether it may still be made, and what was recorded of it lately.
import { useRef } from "react";
import { serverNow, useNow } from "../page/clock.ts";
import { hasAskedToStop } from "./asked-to-stop.ts";
import type { Lead } from "./lead-page.tsx";
import type { Recorded } from "./outcome-form.tsx";

/**
 * The last call that was under way while this page was open or, when the person has asked us to stop, the member's last one. It stays after
 * the hour in which it counts as under way.
 */
export function useOwnCall(lead: Lead, memberId: string): Lead["call_log"][number] | undefined {
  const { under_way, call_log } = lead;
  const last = useRef<string>(undefined);
  const begun = hasAskedToStop(lead)
    ? call_log.findLast((one) => one.called && one.member.id === memberId)?.id
    : under_way?.call_id;
  if (begun) last.current = begun;
  return call_log.find(({ id }) => id === last.current);
}

/**
 * The lead as it is once the calling hours have ended that it was loaded in, also where the connection is lost: no call is lawful, and the
 * number of the call under way is not shown, unless the person asked for this time. The server says the same with the next answer.
 */
export function useLeadAtThisMoment(lead: Lead): Lead {
  const now = useNow();
  const { place, under_way, call_log, asked_for_now } = lead;
  const isOver = place.callable_until !== null && Date.parse(place.callable_until) <= now.getTime();
  if (!isOver) return lead;
  const isAskedFor =
    asked_for_now ||
    call_log.some(({ id, asked_for_this_time }) => id === under_way?.call_id && asked_for_this_time);
  return {
    ...lead,
    place: { ...place, callable: false, callable_until: null, reason: "outside_hours" },
    under_way: under_way && !isAskedFor ? { ...under_way, phone: null, tel: null } : under_way,
  };
}

/**
 * Whether the lead, as it was loaded last, has a later outcome that keeps this one from being taken back. Where one of the two went into the
 * call log alone, it does not.
 */
export function hasLaterOutcome({ call_log, log_only_outcomes }: Lead, outcomeId: string): boolean {
  const timeOf = ({ outcome_at }: Lead["call_log"][number]) => Date.parse(outcome_at ?? "");
  const counting = call_log.filter((one) => !log_only_outcomes.includes(one.outcome_id ?? ""));
  const own = counting.find((one) => one.outcome_id === outcomeId);
  return own !== undefined && counting.some((one) => timeOf(one) > timeOf(own));
}

/**
 * The member's latest outcome of the lead, if it can still be taken back, for a page that is opened again: a wrong key may be noticed only on
 * the way. Undefined where the member has the lead again, and goes on with it.
 */
export function recordedLately(lead: Lead, memberId: string): Recorded | undefined {
  const { call_log, claim } = lead;
  const latest = call_log
    .filter(({ outcome_at, member }) => outcome_at !== null && member.id === memberId)
    .toSorted((one, other) => Date.parse(one.outcome_at ?? "") - Date.parse(other.outcome_at ?? ""))
    .at(-1);
  if (!latest?.outcome || !latest.outcome_id || !latest.undo_until) return undefined;
  if (claim?.member.id === memberId || Date.parse(latest.undo_until) <= serverNow().getTime())
    return undefined;
  if (hasLaterOutcome(lead, latest.outcome_id)) return undefined;
  const { outcome, outcome_id, undo_until, callback_at, callback_zone, note, called, id } = latest;
  return {
    outcome_id,
    undo_until,
    outcome,
    callback_at,
    callId: called ? id : null,
    note,
    zone: callback_zone ?? undefined,
  };
}
