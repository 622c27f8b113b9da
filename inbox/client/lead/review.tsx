// The form for an outcome that no call asks for: a review without a call, or something that was typed for the outcome of a call that has
// one by now.
import { type ComponentProps, useState } from "react";
import { Notice } from "../page/notice.tsx";
import { useCallbackDraft } from "./callback-fields.tsx";
import type { Lead } from "./lead-page.tsx";
import { OutcomeForm, useNoteDraft } from "./outcome-form.tsx";

/** Whether the member has typed a note or a callback for an outcome of the lead that is not recorded. */
function useIsTyped(lead: string): boolean {
  const note = useNoteDraft(lead);
  const callback = useCallbackDraft(lead);
  return note.value !== "" || callback.isTyped;
}

/**
 * Why the form is shown: its button was pressed, or something is typed in it, which would otherwise go out of sight. The second is so when
 * the member comes back to the lead, and when they record the outcome of the call in another tab.
 */
export function useReview(lead: Lead, callToRecord: string | undefined) {
  const [shownFor, setShownFor] = useState<"press" | "what is typed">();
  const [undone, setUndone] = useState<string>();
  const isTyped = useIsTyped(lead.id);
  // The lead still has the outcome that was taken back: with the next answer its call asks for one again.
  const isOlderThanUndo = lead.call_log.some(
    ({ outcome_id }) => outcome_id !== null && outcome_id === undone,
  );
  if (isTyped && !shownFor && !callToRecord && !isOlderThanUndo) setShownFor("what is typed");
  return {
    isShown: shownFor !== undefined,
    /** Whether to say that something is not recorded. */
    isLeftOver: shownFor === "what is typed" && isTyped && !callToRecord,
    show: (isShown: boolean) => setShownFor(isShown ? "press" : undefined),
    noteUndo: setUndone,
  };
}

interface Props extends ComponentProps<typeof OutcomeForm> {
  review: ReturnType<typeof useReview>;
  /** Whether the outcome of the member's call is recorded. */
  hasOutcome: boolean;
}

/** The form for the outcome of a call or of a review, or the button that brings the latter. */
export const FormOrButton = ({ review, hasOutcome, ...form }: Props) => (
  <>
    {review.isLeftOver && (
      <Notice kind="caution">
        {hasOutcome
          ? "This call has its outcome already, without what you typed here. Press another outcome to record it, or delete it."
          : "What you typed is not recorded yet. Press what came of it, or delete it."}
      </Notice>
    )}
    {form.callId || review.isShown ? (
      <OutcomeForm {...form} />
    ) : (
      <button type="button" className="button quiet" onClick={() => review.show(true)}>
        Review without a call
      </button>
    )}
  </>
);
