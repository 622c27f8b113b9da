// Whether the calling hours where the person is allow a call at this moment, before a member asks for one.
import { lawfulAgain } from "../../../calling/lawful-again.ts";
import type { Place } from "../../api-values.ts";
import { useNow } from "../page/clock.ts";
import { momentThere } from "../page/times.ts";
import { notNowReasons, stateName } from "../page/words.ts";

/** Only informs: the server decides when the member asks for the call. */
export function CallingHours({ place }: { place: Place }) {
  const now = useNow();
  const zone = place.blocking_zone ?? place.zones[0] ?? "America/New_York";
  if (place.callable) {
    const until = place.callable_until && momentThere(place.callable_until, place.zones[0], now);
    return (
      <p className="quiet">
        Lawful now{until && ` until ${until}`} in {stateName(place)}.
      </p>
    );
  }
  const next = {
    at: place.callable_at ? new Date(place.callable_at) : null,
    zone,
    state: place.blocking_state ?? place.states[0],
  };
  return (
    <p className="quiet">
      {place.reason && `${notNowReasons[place.reason]}. `}
      {(next.at || place.reason !== "paused") && lawfulAgain(next, now)}
    </p>
  );
}
