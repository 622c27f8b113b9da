// The call: asks the server whether it may be made, shows the number, and asks for the outcome right after.
import { type RefObject, useEffect, useRef, useState } from "react";
import { announce } from "../page/announcer.tsx";
import { noteDialling } from "../page/drafts.ts";
import type { SignedIn } from "../page/frame.tsx";
import { Icon } from "../page/icon.tsx";
import { takesTyping, useKeys } from "../page/keys.ts";
import { FailureNotice } from "../page/notice.tsx";
import { phoneInGroups } from "../page/words.ts";
import { type Action, refreshAfterChange, useAction } from "../queries.ts";
import { CallRefused, useEndOfRefusal } from "./call-refused.tsx";
import { CallScripts } from "./call-scripts.tsx";
import { CallingHours } from "./calling-hours.tsx";
import type { Lead } from "./lead-page.tsx";
import type { Recorded } from "./outcome-form.tsx";
import { OutcomeRecorded } from "./outcome-recorded.tsx";
import { recordedLately, useLeadAtThisMoment, useOwnCall } from "./own-call.ts";
import { FormOrButton, useReview } from "./review.tsx";
import { Stopped } from "./stopped.tsx";

interface Props {
  lead: Lead;
  /** When it was loaded last. */
  loadedAt: number;
  member: SignedIn;
  isStopped: boolean;
}

export const CallPanel = ({ lead, ...others }: Props) => (
  <CallAndOutcome lead={useLeadAtThisMoment(lead)} {...others} />
);

function CallAndOutcome({ lead, loadedAt, member, isStopped }: Props) {
  const [recorded, setRecorded] = useState(() => (isStopped ? undefined : recordedLately(lead, member.id)));
  const [call, record] = [useAction("call"), useAction("outcome")];
  const refusal = useRefusal(call);
  const underWay = lead.under_way ?? undefined;
  const ownCall = useOwnCall(lead, member.id);
  const callToRecord = useCallToRecord(ownCall, record);
  const review = useReview(lead, callToRecord);
  const isHeldByOther = lead.claim !== null && lead.claim.member.id !== member.id;
  useEndOfRefusal(call.isPending ? undefined : refusal, { lead, loadedAt, isHeldByOther }, call.reset);
  const isBusy = call.isPending || record.isPending;
  const start = (asked_for_this_time = false) => {
    if (isStopped || underWay?.phone || (underWay && isHeldByOther) || recorded || isBusy) return;
    call.mutate(
      { id: lead.id, asked_for_this_time },
      { onSuccess: () => refreshAfterChange("opened", "queue") },
    );
  };
  useKeys({ c: () => start() });
  const showRecorded = (outcome: Recorded | undefined, isReviewingNext = false) => {
    setRecorded(outcome);
    review.show(isReviewingNext);
    call.reset();
    refreshAfterChange("opened", "queue");
  };
  const onUndone = () => {
    review.noteUndo(recorded?.outcome_id);
    showRecorded(undefined, recorded?.callId === null);
    announce("The outcome is taken back.");
  };
  const onAnother = () => showRecorded(undefined, true);
  const onAgain = () => showRecorded(undefined);
  const shared = { lead, callId: callToRecord ?? null, record, onRecorded: showRecorded };
  if (isStopped)
    return <Stopped key={recorded?.outcome_id} {...shared} isRecorded={recorded !== undefined} />;
  const onChange = { onUndone, onAnother, onAgain };
  if (recorded)
    return (
      <OutcomeRecorded recorded={recorded} lead={lead} loadedAt={loadedAt} member={member} {...onChange} />
    );
  const before = { lead, member, refusal, call, isHeldByOther, isBusy };
  return (
    <section className="card call" aria-labelledby="call">
      <h2 id="call" className="visually-hidden">
        Call
      </h2>
      <CallOrNumber {...before} onCall={start} />
      <FormOrButton review={review} hasOutcome={Boolean(ownCall?.outcome)} {...shared} />
    </section>
  );
}

type Refusal = Parameters<typeof CallRefused>[0]["refusal"];

/**
 * Why the call was refused. It stays while the member asks again because the person asked for this time, and where that request gets no
 * answer.
 */
function useRefusal({ data, variables, isPending, error }: Action<"call">): Refusal | undefined {
  const last = useRef<Refusal>(undefined);
  if (data) last.current = "refused" in data ? data : undefined;
  const isAskedAgain = variables?.asked_for_this_time === true && (isPending || error !== null);
  return data || isAskedAgain ? last.current : undefined;
}

/**
 * The call whose outcome the form asks for: the member's own that has none. It stays while an outcome that was sent has no answer yet, or
 * its answer was lost, so that the member can send the outcome again.
 */
function useCallToRecord(call: ReturnType<typeof useOwnCall>, record: Action<"outcome">): string | undefined {
  const unanswered = useRef<string | null>(undefined);
  if (record.isPending || record.error) unanswered.current = record.variables?.call_id;
  if (record.data && !("refused" in record.data && record.data.refused === "call_has_outcome"))
    unanswered.current = undefined;
  return call && (!call.outcome || call.id === unanswered.current) ? call.id : undefined;
}

interface BeforeProps {
  lead: Lead;
  refusal: Refusal | undefined;
  call: Action<"call">;
  isHeldByOther: boolean;
  isBusy: boolean;
  onCall(askedForThisTime: boolean): void;
}

/** The number while the member's call may go on, or nothing during the call while another member has the lead; else the button. */
function CallOrNumber({ member, ...before }: BeforeProps & { member: SignedIn }) {
  const { lead, call, isHeldByOther } = before;
  const shownFor = useRef(0);
  if (lead.under_way && isHeldByOther) return null;
  if (!lead.under_way?.phone) return <BeforeCall {...before} />;
  return <NumberAndScripts lead={lead} member={member} call={call} shownFor={shownFor} {...lead.under_way} />;
}

/** The button, and whether a call is lawful or why it was refused. */
const BeforeCall = ({ lead, refusal, call, isHeldByOther, isBusy, onCall }: BeforeProps) => (
  <>
    <CallButton isMain={!isHeldByOther} isBusy={isBusy} onCall={() => onCall(false)} />
    {refusal ? (
      <CallRefused lead={lead} refusal={refusal} onAsked={() => onCall(true)} />
    ) : (
      <CallingHours lead={lead} />
    )}
    <FailureNotice error={call.error} />
  </>
);

/**
 * The number and what to say. Not shown while another member has the lead. The member's own call can be under way then: its outcome was
 * taken back, or the claim ended while the call went on.
 */
const NumberAndScripts = ({ lead, member, ...number }: NumberProps & { lead: Lead; member: SignedIn }) => (
  <>
    <NumberLink {...number} />
    <CallScripts lead={lead} member={member} />
  </>
);

interface ButtonProps {
  /** Whether a call is what to do next. While another member has the lead it is not, and a press is refused in a sentence. */
  isMain: boolean;
  isBusy: boolean;
  onCall(): void;
}

function CallButton({ isMain, isBusy, onCall }: ButtonProps) {
  return (
    <button
      type="button"
      className={`button large ${isMain ? "primary" : ""}`}
      aria-keyshortcuts="c"
      aria-disabled={isBusy}
      onClick={onCall}
    >
      <Icon name="phone" />
      Call
      <span className="key" aria-hidden="true">
        c
      </span>
    </button>
  );
}

interface NumberProps {
  /** Null where it may not be called any more, and is not shown. */
  phone: string | null;
  /** The link that dials; empty for what is no number. */
  tel: string | null;
  /** The request for it; idle if none was made since the page opened or the last outcome. */
  call: Action<"call">;
  /** When the call whose number was shown last was asked for. */
  shownFor: RefObject<number>;
}

/**
 * The number as a link that dials. It takes the focus when it was asked for, so that Enter is the next key, unless the member types. It
 * does not take the focus when it comes back by itself or after any other press, because a key that is pressed or still held would then
 * dial.
 */
function NumberLink({ phone, tel, call, shownFor }: NumberProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const isForCall = !call.isIdle && !(call.data && "refused" in call.data);
  const [takesFocus] = useState(isForCall && call.submittedAt !== shownFor.current);
  useEffect(() => {
    if (takesFocus && !takesTyping(document.activeElement)) link.current?.focus();
    announce(tel ? "You may call. The number is shown." : notDialled);
  }, [takesFocus, tel]);
  useEffect(() => {
    shownFor.current = call.submittedAt;
  }, [shownFor, call.submittedAt]);
  return (
    <p className="number">
      <a ref={link} href={tel || undefined} tabIndex={tel ? undefined : -1} onClick={noteDialling}>
        <Icon name="phone" />
        {phoneInGroups(phone ?? "")}
      </a>
      {!tel && <span className="quiet">{notDialled}</span>}
    </p>
  );
}

const notDialled = "This is no phone number. The person may be reached by e-mail.";
