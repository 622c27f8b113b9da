// Why a call may not be made now, when it may, and the one reason that allows it outside the hours.
import { useEffect, useRef, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { serverNow, useNow } from "../page/clock.ts";
import { Notice } from "../page/notice.tsx";
import { refusalSentence } from "../page/refusal.ts";
import type { Lead } from "./lead-page.tsx";

type Refusal = Extract<ResponseOf<"call">, { refused: string }>;

interface Props {
  lead: Lead;
  refusal: Refusal;
  /** The member says that the person asked for this time, which is recorded with the call. */
  onAsked(): void;
}

export function CallRefused({ lead, refusal, onAsked }: Props) {
  const now = useNow();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Notice kind="trouble">
        {lead.permission || refusal.refused !== "withdrawn"
          ? refusalSentence(refusal, now)
          : "No permission is recorded. Do not call."}
      </Notice>
      {refusal.may_be_asked_for && (
        <div className="asked">
          <label className="choice">
            <input type="checkbox" checked={isAsked} onChange={({ target }) => setAsked(target.checked)} />
            The person asked for this time
          </label>
          {isAsked && (
            <button type="button" className="button" onClick={onAsked}>
              Call now, and record that reason
            </button>
          )}
        </div>
      )}
    </>
  );
}

/** Calls `forget` when the lead was loaded again after the refusal (`loadedAt` has changed) and the reason of the refusal is gone. */
export function useEndOfRefusal(
  refusal: Refusal | undefined,
  { lead, loadedAt, isHeldByOther }: { lead: Lead; loadedAt: number; isHeldByOther: boolean },
  forget: () => void,
): void {
  const refused = useRef({ refusal, loadedAt });
  if (refused.current.refusal !== refusal) refused.current = { refusal, loadedAt };
  const isOver =
    refusal !== undefined &&
    loadedAt !== refused.current.loadedAt &&
    !isReasonOf(refusal, lead, isHeldByOther);
  useEffect(() => {
    if (isOver) forget();
  }, [isOver, forget]);
}

function isReasonOf({ refused, next_at }: Refusal, lead: Lead, isHeldByOther: boolean): boolean {
  const { place, next_attempt_at, asked_for_now } = lead;
  if (refused === "withdrawn" || refused === "stopped") return true;
  if (refused === "claimed") return isHeldByOther;
  if (refused === "number_claimed") return next_at !== null && Date.parse(next_at) > serverNow().getTime();
  if (refused === "attempts") return next_attempt_at !== null;
  return !place.callable && !asked_for_now && place.reason === refused;
}
