// What was tried so far: each call, and each outcome that a member recorded without one, by whom, and what came of it.

import { useNow } from "../page/clock.ts";
import { momentThere, momentWithZone } from "../page/times.ts";
import { count, onClocks, outcomeNames } from "../page/words.ts";
import type { Lead } from "./lead-page.tsx";

type Call = Lead["call_log"][number];

export function CallHistory({ lead: { call_log, recent_attempts: attempts, place } }: { lead: Lead }) {
  return (
    <section className="card" aria-labelledby="calls">
      <h2 id="calls">Calls so far</h2>
      {attempts > 0 && (
        <p className="quiet">{count(attempts, "attempt")} in the last 24 hours; three are allowed.</p>
      )}
      {call_log.length === 0 ? (
        <p className="quiet">
          {attempts === 0
            ? "Nobody has called yet."
            : "Nobody has called for this lead yet, but somebody has called the same number for another lead."}
        </p>
      ) : (
        <ol className="history">
          {call_log.toReversed().map((call) => (
            <Entry key={call.id} call={call} place={place} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Entry({ call, place }: { call: Call; place: Lead["place"] }) {
  const now = useNow();
  const zone = call.callback_zone ?? undefined;
  return (
    <li>
      <p>
        <strong>{call.outcome ? outcomeNames[call.outcome] : "No outcome recorded"}</strong>
        <span className="quiet">
          {call.member.name}, {momentWithZone(call.at)}
          {!call.called && ", without a call"}
          {call.asked_for_this_time && ", a time that the person had asked for"}
        </span>
      </p>
      {call.callback_at && (
        <p>
          Callback {momentThere(call.callback_at, zone, now)}{" "}
          {onClocks(place, zone, "on their clocks", new Date(call.callback_at))}
        </p>
      )}
      {call.note && <p className="note-text">{call.note}</p>}
    </li>
  );
}
