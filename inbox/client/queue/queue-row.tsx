// One person in the list: name, place, the time there, the state of the work, who has the lead, and suspected spam. It has no number, no e-mail
// address and no health answer.
import { memo } from "react";
import { Link } from "wouter";
import type { ResponseOf } from "../../api.ts";
import type { NotNow } from "../../api-values.ts";
import { useNow } from "../page/clock.ts";
import type { SignedIn } from "../page/frame.tsx";
import { Icon } from "../page/icon.tsx";
import { localTime, momentThere, timeLeft, urgency } from "../page/times.ts";
import { notNowReason, notNowReasons, onClocks, outcomeNames, placeName } from "../page/words.ts";

type Row = ResponseOf<"queue">["rows"][number];

/** Rendered anew when something about the lead has changed, or the time; a list that was loaded again keeps rows that did not change. */
export const QueueRow = memo(function QueueRow({ row, member }: { row: Row; member: SignedIn }) {
  const now = useNow();
  return (
    <li className="row">
      <Link href={`/leads/${row.id}`} className="row-name">
        {row.name}
      </Link>
      <span className="row-place">{placeName(row.place)}</span>
      <span className="row-time">
        <span className="visually-hidden">Their time </span>
        {localTime(row.place, now)}
      </span>
      <span className="row-state">
        <RowState row={row} now={now} />
      </span>
      <span className="row-claim">
        <ClaimBadge claim={row.claim} member={member} />
        {row.flags.length > 0 && <span className="badge caution">May be spam</span>}
      </span>
    </li>
  );
});

function RowState({ row, now }: { row: Row; now: Date }) {
  const { section, place, next_attempt_at } = row;
  const zone = place.zones[0];
  if (row.withdrawn) return <span className="badge">Asked us to stop</span>;
  if (section === "closed")
    return <span className="badge">{row.outcome ? outcomeNames[row.outcome] : "Closed"}</span>;
  // A place may have several zones, and the callback was agreed in one of them.
  const callbackZone = row.callback_zone ?? zone;
  // A callback whose time has come since the list was loaded counts as due, and so does an overdue one once the calling hours have begun.
  const isCallable = place.callable || row.asked_for_now || isOver(place.callable_at, now);
  const fellDue = row.stage === "callback" && isCallable && !next_attempt_at && isOver(row.callback_at, now);
  if ((section === "callback_due" || fellDue) && row.callback_at)
    return (
      <span className="badge accent">
        {/* The day is said only when it is not today. */}
        Callback {momentIn(place, row.callback_at, callbackZone, now).replace(/^today /, "")}
      </span>
    );
  const isCallback =
    row.stage === "callback" && !isOver(row.callback_at, now) && !isLater(next_attempt_at, row.callback_at);
  const again = isCallback ? row.callback_at : (next_attempt_at ?? place.callable_at);
  const againZone = isCallback ? callbackZone : (place.blocking_zone ?? zone);
  const reason = next_attempt_at ? "attempts" : place.reason;
  // An unknown ZIP code is not named where the row's place says so already. It stays unknown after that time, so the row says "from".
  const isReasonNamed =
    reason !== null && (reason !== "unknown_zip" || placeName(place) !== notNowReasons.unknown_zip);
  return (
    <>
      {row.reviewed_at === null ? <Deadline dueAt={row.due_at} now={now} /> : <LastOutcome row={row} />}
      {section === "not_callable" && (
        <span className="row-when">
          {row.stage === "callback" && isOver(row.callback_at, now) && "Callback overdue. "}
          {isCallback ? "Callback" : isReasonNamed ? untilWhen(place, reason) : "From"}{" "}
          {again ? momentIn(place, again, againZone, now) : "further notice"}
        </span>
      )}
    </>
  );
}

const isOver = (at: string | null, now: Date) => at !== null && new Date(at) <= now;
const isLater = (one: string | null, other: string | null) =>
  one !== null && other !== null && Date.parse(one) > Date.parse(other);

const untilWhen = (place: Row["place"], reason: NotNow) =>
  `${notNowReason(place, reason)}${afterReason[reason] ?? " until"}`;
const afterReason: Partial<Record<NotNow, string>> = { attempts: ", no more before", unknown_zip: ": from" };

/** What is left of the 24 hours; a miss stays visible. */
export function Deadline({ dueAt, now }: { dueAt: string; now: Date }) {
  return (
    <span className={`deadline ${urgency(dueAt, now)}`}>
      <Icon name="clock" />
      {timeLeft(dueAt, now)}
    </span>
  );
}

/** A moment in the time of a place, with the zone's name where the person may live in another zone. */
const momentIn = (place: Row["place"], at: string, zone: string | undefined, now: Date) =>
  `${momentThere(at, zone, now)} ${onClocks(place, zone, "", new Date(at))}`.trim();

const LastOutcome = ({ row: { outcome } }: { row: Row }) =>
  outcome && <span className="badge">{outcomeNames[outcome]}</span>;

/** Who has a lead. */
export function ClaimBadge({ claim, member }: { claim: Row["claim"]; member: SignedIn }) {
  if (!claim) return null;
  const isOwn = claim.member.id === member.id;
  return (
    <span className={`badge ${isOwn ? "own" : ""}`}>
      <Icon name="person" />
      {isOwn ? "You have it" : `${claim.member.name} has it`}
    </span>
  );
}
