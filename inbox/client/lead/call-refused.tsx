// Why a call may not be made now, when it may, and the one reason that allows it outside the hours.
import { useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { useNow } from "../page/clock.ts";
import { Notice } from "../page/notice.tsx";
import { refusalSentence } from "../page/refusal.ts";

interface Props {
  refusal: Extract<ResponseOf<"call">, { refused: string }>;
  /** The member says that the person asked for this time, which is recorded with the call. */
  onAsked(): void;
}

export function CallRefused({ refusal, onAsked }: Props) {
  const now = useNow();
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Notice kind="trouble">{refusalSentence(refusal, now)}</Notice>
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
