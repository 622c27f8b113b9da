// What stands in place of the number when the person asked us to stop. A note that was typed before can still be recorded.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { dropDraftsOf } from "../page/drafts.ts";
import { Icon } from "../page/icon.tsx";
import { takesTyping } from "../page/keys.ts";
import { Notice } from "../page/notice.tsx";
import { momentWithZone } from "../page/times.ts";
import type { Action } from "../queries.ts";
import type { Lead } from "./lead-page.tsx";
import { noteDraftOf, OutcomeForm, type Recorded, useNoteDraft } from "./outcome-form.tsx";

interface Props {
  lead: Lead;
  /** Whether the member has recorded an outcome on this page. Then give another `key`, because the component looks for a note only once. */
  isRecorded: boolean;
  /** The call whose outcome is to be recorded; null for a review without one. */
  callId: string | null;
  record: Action<"outcome">;
  onRecorded(recorded: Recorded): void;
}

export function Stopped({ lead, isRecorded, ...form }: Props) {
  const note = useNoteDraft(lead.id);
  // Read once, because the form stays when its field is emptied.
  const [hasNote] = useState(note.value !== "");
  const section = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Read when this is first rendered, because the field is still there then.
  const [wasTyping] = useState(() => takesTyping(document.activeElement));
  // A member who was typing goes on in the note, because outside a field the digits they type would choose an outcome.
  useLayoutEffect(() => {
    const field = wasTyping && section.current?.querySelector("textarea");
    if (!field) return;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }, [wasTyping]);
  // The button that was pressed is gone.
  useEffect(() => {
    if (isRecorded && document.activeElement === document.body) heading.current?.focus();
  }, [isRecorded]);
  const at = lead.permission?.withdrawn_at ?? lead.stopped_at;
  return (
    <section className="card stopped" ref={section} aria-labelledby="stopped">
      <h2 id="stopped" ref={heading} tabIndex={-1}>
        <Icon name="stop" /> Do not call
      </h2>
      <p>
        This person asked us to stop{at && <> on {momentWithZone(at)}</>}. The number and the e-mail address
        are not shown any more.
      </p>
      <DropDrafts lead={lead.id} />
      <Link href={`/leads/${lead.id}/stop-proof`} className="button">
        Show the proof
      </Link>
      {hasNote && (
        <>
          {note.value !== "" && (
            <Notice kind="caution">
              What you typed is not recorded yet. Press what came of it, or empty the field.
            </Notice>
          )}
          <OutcomeForm lead={lead} {...form} />
        </>
      )}
    </section>
  );
}

/** Deletes what was typed of a callback and of an eligibility check, and says so. */
export function DropDrafts({ lead }: { lead: string }) {
  const [hasDropped, setDropped] = useState(false);
  useEffect(() => setDropped(dropDraftsOf(lead, noteDraftOf(lead))), [lead]);
  return (
    hasDropped && (
      <p className="no-print">
        What you had typed of a callback or of the eligibility check is not kept: nobody will call.
      </p>
    )
  );
}
