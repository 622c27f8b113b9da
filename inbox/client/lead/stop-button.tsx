// The button "They asked us to stop", which ends all calls about the leads that have come with the number so far.
import { useState } from "react";
import { announce } from "../page/announcer.tsx";
import { ConfirmOrCancel, Dialog } from "../page/dialog.tsx";
import { useGoOn } from "../page/go-on.ts";
import { Icon } from "../page/icon.tsx";
import { FailureNotice } from "../page/notice.tsx";
import { refreshAfterChange, useAction } from "../queries.ts";
import type { Lead } from "./lead-page.tsx";

export function StopButton({ lead }: { lead: Lead }) {
  const [isConfirming, setConfirming] = useState(false);
  const goOn = useGoOn();
  const stop = useAction("stop");
  const send = () =>
    stop.mutate(
      { id: lead.id },
      {
        onSuccess: () => {
          announce("Stopped. Nobody may call about the leads that have come so far.");
          refreshAfterChange("opened", "queue");
          goOn(`/leads/${lead.id}/stop-proof`);
        },
      },
    );
  const ask = () => {
    // A dialog that is opened again must not show the failure of an earlier attempt.
    if (stop.error) stop.reset();
    setConfirming(true);
  };
  return (
    <>
      <button type="button" className="button stop-button" onClick={ask}>
        <Icon name="stop" />
        They asked us to stop
      </button>
      {/* The dialog may be closed before the server answers, and a stop that failed must be shown all the same. */}
      {!isConfirming && <FailureNotice error={stop.error} />}
      {isConfirming && (
        <Dialog title="Stop all calls to this person?" onClose={() => setConfirming(false)}>
          <p>
            At once, and for every lead with this number that has come so far. The number disappears from
            every screen, and the other systems are told. It cannot be taken back.
          </p>
          <FailureNotice error={stop.error} />
          <ConfirmOrCancel
            label="Stop all calls"
            isSent={stop.isPending}
            onConfirm={send}
            onClose={() => setConfirming(false)}
          />
        </Dialog>
      )}
    </>
  );
}
