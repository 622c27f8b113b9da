// Who the person is: name, place, the time there, the state of the promised review, the e-mail address and the language.
import { languageName } from "../../../lead/language-name.ts";
import { useNow } from "../page/clock.ts";
import { PageHeading } from "../page/page-heading.tsx";
import { localTime, momentWithZone } from "../page/times.ts";
import { flagInWords, outcomeNames, placeName } from "../page/words.ts";
import { Deadline } from "../queue/queue-row.tsx";
import type { Lead } from "./lead-page.tsx";

export function LeadPerson({ lead, isStopped }: { lead: Lead; isStopped: boolean }) {
  const now = useNow();
  const language = lead.permission?.language;
  return (
    <header className="person">
      <PageHeading title="Lead">{lead.name}</PageHeading>
      <p className="person-place">
        {placeName(lead.place)}
        <span className="person-time">
          <strong>{localTime(lead.place, now)}</strong> there
        </span>
        {!isStopped && <ReviewState lead={lead} now={now} />}
      </p>
      <dl className="facts">
        <div>
          <dt>Came</dt>
          <dd>{momentWithZone(lead.created_at)}</dd>
        </div>
        <div>
          <dt>Reference</dt>
          <dd>{lead.reference}</dd>
        </div>
        {lead.email && (
          <div>
            <dt>E-mail</dt>
            <dd>{lead.email}</dd>
          </div>
        )}
        {lead.place.zip === "" && lead.zip_code && (
          <div>
            <dt>Typed as ZIP code</dt>
            <dd>{lead.zip_code}</dd>
          </div>
        )}
        {language && (
          <div>
            <dt>Reads</dt>
            <dd>{languageName(language)}</dd>
          </div>
        )}
      </dl>
      {lead.flags.length > 0 && (
        <p className="badge caution">May be spam: {lead.flags.map(flagInWords).join(", ")}</p>
      )}
    </header>
  );
}

/** Before the review that the thank-you page promises, the time left; then a member's last outcome, and whether the review was in time. */
function ReviewState({ lead, now }: { lead: Lead; now: Date }) {
  const { reviewed_at, due_at, outcome } = lead;
  if (reviewed_at === null) return <Deadline dueAt={due_at} now={now} />;
  const isLate = Date.parse(reviewed_at) > Date.parse(due_at);
  return (
    <>
      {outcome && <span className="badge">{outcomeNames[outcome]}</span>}
      <span className={`deadline ${isLate ? "late" : "calm"}`}>
        {isLate ? "Reviewed late" : "Reviewed in time"}
      </span>
    </>
  );
}
