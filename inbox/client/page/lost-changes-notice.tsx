// Tells on whatever page is open that a change was not made, or perhaps not (lost-changes.ts).
import { Link } from "wouter";
import { forgetLostChange, lostChanges } from "./lost-changes.ts";
import { Notice } from "./notice.tsx";
import { useSharedValue } from "./shared-value.ts";

export function LostChangesNotice() {
  return useSharedValue(lostChanges).map((change) => (
    <Notice key={change.nth} kind="trouble">
      <strong>{change.says}</strong>{" "}
      {change.mayBeDone
        ? "You had left the page, and no answer came. See whether it was recorded, and do it again if it was not."
        : "You had left the page before the answer came, so it has to be done again."}
      <div className="actions">
        {change.lead && (
          <Link className="button" href={`/leads/${change.lead}`} onClick={() => forgetLostChange(change)}>
            Open the lead
          </Link>
        )}
        <button type="button" className="button quiet" onClick={() => forgetLostChange(change)}>
          I have seen it
        </button>
      </div>
    </Notice>
  ));
}
