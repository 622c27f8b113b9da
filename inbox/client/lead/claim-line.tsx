// Who has the lead, which a screen reader says when another member gets it, and how to take it, let it go, or take it back.
import { type MouseEvent, useEffect, useRef } from "react";
import { announce } from "../page/announcer.tsx";
import { useFocusBeside } from "../page/focus-beside.ts";
import type { SignedIn } from "../page/frame.tsx";
import { Icon } from "../page/icon.tsx";
import { FailureNotice } from "../page/notice.tsx";
import { type Action, failureOfLatest, refreshAfterChange, useAction } from "../queries.ts";
import { ClaimBadge } from "../queue/queue-row.tsx";
import type { Lead } from "./lead-page.tsx";
import { useOwnCall } from "./own-call.ts";

interface Props {
  lead: Lead;
  member: SignedIn;
  isStopped: boolean;
}

export function ClaimLine({ lead, member, isStopped }: Props) {
  const [claim, release, takeBack] = [useAction("claim"), useAction("release"), useAction("take-back")];
  const [words, notePress] = useFocusBeside<HTMLDivElement>();
  const holder = lead.claim?.member;
  const ownCall = useOwnCall(lead, member.id);
  const hasOwnCall = !isStopped && ownCall?.outcome === null;
  const after = { onSettled: () => refreshAfterChange("opened", "queue") };
  const send = (action: typeof claim | typeof release) => (press: MouseEvent) => {
    notePress(press);
    action.mutate({ id: lead.id }, after);
  };
  const sendTakeBack = (press: MouseEvent) => {
    notePress(press);
    if (holder?.id) takeBack.mutate({ id: lead.id, member: holder.id }, after);
  };
  const isHeldByOther = holder !== undefined && holder.id !== member.id;
  useEndOfFailure(claim, holder === undefined);
  useEndOfFailure(release, holder?.id === member.id);
  useEndOfFailure(takeBack, isHeldByOther);
  useAnnouncement(isHeldByOther && (holder.id ?? holder.name), "Another member has this lead now.");
  useAnnouncement(isStopped && "stopped", "This person asked us to stop. The number is not shown any more.");
  if (!holder && (isStopped || lead.stage === "closed")) return null;
  return (
    <div className="claim-line">
      <div className="claim-words" ref={words} tabIndex={-1}>
        {isHeldByOther && <HeldByOther name={holder.name} hasOwnCall={hasOwnCall} />}
        {holder && !isHeldByOther && <ClaimBadge claim={lead.claim} member={member} />}
        {!holder && <span className="quiet">Nobody has it</span>}
      </div>
      {!holder && (
        <button type="button" className="button quiet" onClick={send(claim)}>
          Take this lead
        </button>
      )}
      {holder?.id === member.id && (
        <button type="button" className="button quiet" onClick={send(release)}>
          Let it go
        </button>
      )}
      {isHeldByOther && member.role === "manager" && (
        <button type="button" className="button quiet" onClick={sendTakeBack}>
          Take it back from {holder.name}
        </button>
      )}
      <FailureNotice error={failureOfLatest(claim, release, takeBack)} />
    </div>
  );
}

/** `hasOwnCall`: the member has called the person, and this page asks for the outcome. */
const HeldByOther = ({ name, hasOwnCall }: { name: string; hasOwnCall: boolean }) => (
  <div className="notice caution" role="note" aria-label="Who has it">
    <Icon name="person" />
    <div>
      <strong>{name} has it.</strong>{" "}
      {hasOwnCall
        ? "Record what came of your call below. You cannot call again until it is free: it"
        : "You can read it, but not call. It"}{" "}
      comes free when {name} lets it go, records an outcome, or stops for 20 minutes.
    </div>
  </div>
);

/** Forgets a failure when its button is gone, because the change was made and only its answer was lost, or another member acted. */
function useEndOfFailure(
  { error, reset }: Action<"claim"> | Action<"release"> | Action<"take-back">,
  isOffered: boolean,
): void {
  const isOver = error !== null && !isOffered;
  useEffect(() => {
    if (isOver) reset();
  }, [isOver, reset]);
}

/** Says aloud what has become true of the lead that is on screen: when `state` becomes another one, such as another holder. */
function useAnnouncement(state: string | false, sentence: string): void {
  const before = useRef(state);
  useEffect(() => {
    if (state && state !== before.current) announce(sentence);
    before.current = state;
  }, [state, sentence]);
}
