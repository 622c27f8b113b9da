// Whether the calling hours where the person is allow a call at this moment, before a member asks for one.
import { clocksOf, lawfulAgain, momentOn } from "../../../calling/lawful-again.ts";
import type { Place } from "../../api-values.ts";
import { useNow } from "../page/clock.ts";
import { notNowReasons } from "../page/words.ts";

/** Only informs: the server decides when the member asks for the call. */
export function CallingHours({ place }: { place: Place }) {
  const now = useNow();
  if (place.callable) {
    const until = place.callable_until && momentOn(clocksOf(place), new Date(place.callable_until), now);
    return <p className="quiet">Lawful now{until && ` until ${until}`}.</p>;
  }
  const next = { at: place.callable_at ? new Date(place.callable_at) : null, ...clocksOf(place) };
  return (
    <p className="quiet">
      {place.reason && `${notNowReasons[place.reason]}. `}
      {(next.at || place.reason !== "paused") && lawfulAgain(next, now)}
    </p>
  );
}
