// What came of the call: one button and one key each, recorded at once, with a note if one is wanted.
import { useEffect, useRef, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { type Outcome, outcomes } from "../../api-values.ts";
import { announce } from "../page/announcer.tsx";
import { useDraft } from "../page/drafts.ts";
import { useKeys } from "../page/keys.ts";
import { FailureNotice } from "../page/notice.tsx";
import { outcomeNames } from "../page/words.ts";
import type { Action } from "../queries.ts";
import { hasAskedToStop } from "./asked-to-stop.ts";
import { type Callback, CallbackFields, useCallbackDraft } from "./callback-fields.tsx";
import type { Lead } from "./lead-page.tsx";
import { NoteField, useTooLong } from "./note-field.tsx";
import { OutcomeRefused, type RefusedOutcome } from "./outcome-refused.tsx";

/** What was recorded, as the server answered it and as it was sent. */
export type Recorded = Extract<ResponseOf<"outcome">, { outcome_id: string }> & {
  outcome: Outcome;
  note: string;
  /** Null: a review without a call. */
  callId: string | null;
  /** The zone that the callback's time was typed in; undefined without a callback. */
  zone: string | undefined;
};

/** The outcomes that only a call can have. */
const needCall: readonly Outcome[] = ["no_answer", "left_message", "wrong_number"];

/** The name of a lead's note among the drafts. */
export const noteDraftOf = (lead: string) => `note ${lead}`;

/** The note as it is typed. */
export const useNoteDraft = (lead: string) => useDraft(noteDraftOf(lead), "");

interface Props {
  lead: Lead;
  /** Null: a review without a call. */
  callId: string | null;
  /** The parent keeps it, because this form may have left the page when the answer comes or the request fails. */
  record: Action<"outcome">;
  onRecorded(recorded: Recorded): void;
}

export function OutcomeForm({ lead, callId, record, onRecorded }: Props) {
  const note = useNoteDraft(lead.id);
  const callbackDraft = useCallbackDraft(lead.id);
  const [asksTime, setAsksTime] = useAsksTime(lead, callbackDraft.isTyped);
  const [refused, setRefused] = useRefused(callId);
  const tooLong = useTooLong(note.value);
  const heading = useHeading(callId, record.isSuccess);
  const send = (outcome: Outcome, callback?: Callback) => {
    if (record.isPending || tooLong.refuse()) return;
    setRefused(undefined);
    const request = { id: lead.id, call_id: callId, outcome, note: note.value };
    record.mutate(callback ? { ...request, callback } : request, {
      onSuccess: (answer) => {
        if ("refused" in answer) return setRefused(answer);
        note.dropSent(request.note);
        callbackDraft.drop();
        announce("The outcome is recorded.");
        onRecorded({ ...answer, outcome, callId, note: request.note, zone: callback?.zone });
      },
    });
  };
  const cancelCallback = () => {
    callbackDraft.drop();
    setAsksTime("");
    setRefused(undefined);
    // The button that was pressed is gone.
    heading.current?.focus();
  };
  const choose = (outcome: Outcome) => (outcome === "callback" ? setAsksTime("press") : send(outcome));
  return (
    <div className="outcome">
      <h3 ref={heading} tabIndex={-1}>
        {callId ? "What came of it?" : "Review without a call"}
      </h3>
      <OutcomeButtons lead={lead} hasCall={callId !== null} asksTime={asksTime !== ""} onChoose={choose} />
      {asksTime && (
        <CallbackFields
          lead={lead}
          draft={callbackDraft}
          takesFocus={asksTime === "press"}
          refused={refused}
          onSend={(callback) => send("callback", callback)}
          onOtherTime={() => setRefused(undefined)}
          onCancel={cancelCallback}
        />
      )}
      <NoteField value={note.value} onType={note.set} isRefused={tooLong.isRefused} />
      {refused && !asksTime && <OutcomeRefused refused={refused} />}
      <FailureNotice error={record.variables?.call_id === callId ? record.error : null} />
    </div>
  );
}

/** The form's heading. It takes the focus where the press that shows the form takes its button away. */
function useHeading(callId: string | null, hasRecorded: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [hasRecordedBefore] = useState(hasRecorded);
  useEffect(() => {
    const isPressGone = document.activeElement === document.body;
    if (isPressGone && (callId === null || hasRecordedBefore)) heading.current?.focus();
  }, [callId, hasRecordedBefore]);
  return heading;
}

/** Why the form asks for the time of a callback: its button was pressed, or one was typed before the member looked at another page. Empty: it does not. */
function useAsksTime(lead: Lead, isTyped: boolean) {
  return useState<"press" | "what is typed" | "">(isTyped && !hasAskedToStop(lead) ? "what is typed" : "");
}

/** Why the outcome was not recorded. A refusal of one call's outcome is not shown at the form for another call. */
function useRefused(callId: string | null) {
  const [refusal, setRefusal] = useState<{ refused: RefusedOutcome | undefined; callId: string | null }>();
  const setRefused = (refused: RefusedOutcome | undefined) => setRefusal({ refused, callId });
  return [refusal?.callId === callId ? refusal.refused : undefined, setRefused] as const;
}

interface ButtonsProps {
  lead: Lead;
  hasCall: boolean;
  /** Whether the form asks for the time of a callback. */
  asksTime: boolean;
  onChoose(outcome: Outcome): void;
}

function OutcomeButtons({ lead, hasCall, asksTime, onChoose }: ButtonsProps) {
  const offered = outcomes.filter(
    (outcome) =>
      (hasCall || !needCall.includes(outcome)) && !(hasAskedToStop(lead) && outcome === "callback"),
  );
  const keyOf = (outcome: Outcome) => String(outcomes.indexOf(outcome) + 1);
  useKeys(Object.fromEntries(offered.map((outcome) => [keyOf(outcome), () => onChoose(outcome)])));
  return (
    <fieldset className="outcomes" aria-label="Outcome">
      {offered.map((outcome) => (
        <button
          key={outcome}
          type="button"
          className="button outcome-button"
          aria-keyshortcuts={keyOf(outcome)}
          aria-expanded={outcome === "callback" ? asksTime : undefined}
          onClick={() => onChoose(outcome)}
        >
          <span className="key" aria-hidden="true">
            {keyOf(outcome)}
          </span>
          {outcomeNames[outcome]}
        </button>
      ))}
    </fieldset>
  );
}
