// Whether a call is lawful at this moment, before a member asks for one: by the hours where the person is, the attempts made, and the
// permission.
import { clocksOf, momentOn } from "../../../calling/lawful-again.ts";
import { useNow } from "../page/clock.ts";
import { nextLawfulTime } from "../page/refusal.ts";
import { notNowReason, notNowReasons } from "../page/words.ts";
import type { Lead } from "./lead-page.tsx";

/** Only informs: the server checks again when the member presses Call. */
export function CallingHours({
  lead: { asked_for_now, place, next_attempt_at, permission },
}: {
  lead: Lead;
}) {
  const now = useNow();
  if (!permission) return <p className="quiet">No permission is recorded. Do not call.</p>;
  // The hours may forbid a call even after `next_attempt_at`, so the sentence does not say that a call is lawful then.
  if (
    next_attempt_at &&
    (place.callable || Date.parse(next_attempt_at) > Date.parse(place.callable_at ?? ""))
  ) {
    const earliest = momentOn(clocksOf(place), new Date(next_attempt_at), now);
    return <p className="quiet">{`${notNowReasons.attempts}, no more before ${earliest}.`}</p>;
  }
  if (place.callable) {
    const until = place.callable_until && momentOn(clocksOf(place), new Date(place.callable_until), now);
    return <p className="quiet">Lawful now{until && ` until ${until}`}.</p>;
  }
  if (asked_for_now)
    return <p className="quiet">Lawful now, because the person asked to be called at this time.</p>;
  return (
    <p className="quiet">
      {place.reason && `${notNowReason(place, place.reason)}. `}
      {/* Of hours that have just ended it is not known yet when they begin again. */}
      {place.callable_at === null && place.reason === "outside_hours"
        ? ""
        : nextLawfulTime(place.callable_at, place, now)}
    </p>
  );
}
