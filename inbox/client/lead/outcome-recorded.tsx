// After an outcome: what was recorded, a few minutes to take it back, and the next lead.
import { useEffect, useRef } from "react";
import type { ResponseOf } from "../../api.ts";
import { useNow } from "../page/clock.ts";
import type { SignedIn } from "../page/frame.tsx";
import { takesTyping, useKeys } from "../page/keys.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { momentThere } from "../page/times.ts";
import { onClocks, outcomeNames, stateName } from "../page/words.ts";
import { useAction } from "../queries.ts";
import { TakeNextButton } from "../queue/take-next.tsx";
import type { Lead } from "./lead-page.tsx";
import { type Recorded, useNoteDraft } from "./outcome-form.tsx";
import { hasLaterOutcome } from "./own-call.ts";

interface Props {
  recorded: Recorded;
  lead: Lead;
  /** When the lead was loaded last. */
  loadedAt: number;
  member: SignedIn;
  onUndone(): void;
  /** Called where the outcome cannot be taken back any more, and the member has another one to record. */
  onAnother(): void;
  /** Called where the member has the lead again, by "Take next lead" or "Take this lead". */
  onAgain(): void;
}

export function OutcomeRecorded(props: Props) {
  const { recorded, lead, member, onAnother, onAgain } = props;
  const now = useNow();
  const { undo, isSettled, send } = useUndo(props);
  const note = useNoteDraft(lead.id);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone. A field elsewhere on the page that is typed in keeps the focus.
  useEffect(() => {
    if (!takesTyping(document.activeElement)) heading.current?.focus();
  }, []);
  useTakenAgain(lead, member, isSettled, () => {
    keepFocus(heading.current?.parentElement);
    onAgain();
  });
  const isOpen = Date.parse(recorded.undo_until) > now.getTime();
  const refused = whyItStays(undo.data, lead, recorded);
  const mayBeUndone = isOpen && !refused;
  const takeBack = () => {
    if (mayBeUndone) send();
  };
  useKeys({ u: takeBack });
  return (
    <section className="card call" aria-labelledby="recorded">
      <h2 id="recorded" ref={heading} tabIndex={-1}>
        Recorded: {outcomeNames[recorded.outcome]}
      </h2>
      {recorded.callback_at && <Callback at={recorded.callback_at} zone={recorded.zone} place={lead.place} />}
      {note.value !== "" && (
        <Notice kind="caution">
          What you typed after the outcome was sent is not in its note.{" "}
          {mayBeUndone
            ? "Undo, and record it again."
            : "It stands in the form for the next outcome of this lead."}
        </Notice>
      )}
      <div className="actions">
        <TakeNextButton shown={{ id: lead.id, onAgain }} />
        {mayBeUndone ? (
          <UndoButton onPress={takeBack} />
        ) : (
          <button type="button" className="button large" onClick={onAnother}>
            Record another outcome
          </button>
        )}
      </div>
      {refused && <Notice kind="trouble">{notTakenBack[refused]}</Notice>}
      <FailureNotice error={undo.error} />
    </section>
  );
}

/**
 * Takes the outcome back. `isSettled`: it is known what became of that, or nobody asked for it. An undo that failed may have reached the server
 * all the same. That it did not is known once the lead was loaded after the failure and still has the outcome.
 */
function useUndo({ recorded, lead, loadedAt, onUndone }: Props) {
  const undo = useAction("undo-outcome");
  const note = useNoteDraft(lead.id);
  const settledAt = useRef(Number.POSITIVE_INFINITY);
  const stands = lead.call_log.some((one) => one.outcome_id === recorded.outcome_id);
  const send = () => {
    settledAt.current = Number.POSITIVE_INFINITY;
    undo.mutate(
      { outcome_id: recorded.outcome_id },
      {
        onSuccess: (answer) => {
          if ("refused" in answer) return;
          // The database deletes the note with the outcome.
          if (recorded.note !== "" && note.value === "") note.set(recorded.note);
          onUndone();
        },
        onSettled: () => {
          settledAt.current = Date.now();
        },
      },
    );
  };
  const isSettled = undo.isIdle || undo.isSuccess || (undo.isError && loadedAt > settledAt.current && stands);
  return { undo, isSettled, send };
}

const UndoButton = ({ onPress }: { onPress(): void }) => (
  <button type="button" className="button large" aria-keyshortcuts="u" onClick={onPress}>
    Undo
    <span className="key" aria-hidden="true">
      u
    </span>
  </button>
);

/** Why an outcome cannot be taken back: the server's answer, or what the lead shows. Undefined: it is not known to stay. */
function whyItStays(
  answer: ResponseOf<"undo-outcome"> | undefined,
  lead: Lead,
  recorded: Recorded,
): keyof typeof notTakenBack | undefined {
  if (answer && "refused" in answer) return answer.refused;
  return hasLaterOutcome(lead, recorded.outcome_id) ? "later_outcome" : undefined;
}

const notTakenBack = {
  later_outcome: "Another outcome was recorded after this one, so it cannot be taken back.",
  too_late: "It is too late to take this outcome back.",
  not_yours: "Only the member who recorded this outcome can take it back.",
};

/**
 * The outcome ended the member's claim on the lead. Calls `onAgain` when the member has a new one. Does nothing until an undo is
 * settled, because that may have given the claim back.
 */
function useTakenAgain(lead: Lead, member: SignedIn, isUndoSettled: boolean, onAgain: () => void): void {
  const isOwn = lead.claim?.member.id === member.id;
  const wasNotOwn = useRef(!isOwn);
  if (!isOwn) wasNotOwn.current = true;
  const isAgain = isOwn && wasNotOwn.current && isUndoSettled;
  useEffect(() => {
    if (isAgain) onAgain();
  }, [isAgain, onAgain]);
}

/** Moves the focus to the page's heading if the focus is in a part that goes. */
function keepFocus(part: Element | null | undefined): void {
  if (part?.contains(document.activeElement)) document.querySelector("h1")?.focus();
}

function Callback({ at, zone, place }: { at: string; zone: string | undefined; place: Lead["place"] }) {
  const now = useNow();
  return (
    <p>
      Callback {momentThere(at, zone, now)} {onClocks(place, zone, `in ${stateName(place)}`, new Date(at))}.
      It comes first in the queue when it is due.
    </p>
  );
}
