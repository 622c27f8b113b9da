// Erases a lead for good, which only a manager may do.
import { useState } from "react";
import { announce } from "../page/announcer.tsx";
import { ConfirmOrCancel, Dialog } from "../page/dialog.tsx";
import { dropDraftsOf } from "../page/drafts.ts";
import { useGoOn } from "../page/go-on.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { type Action, refreshAfterChange, useAction } from "../queries.ts";
import type { Lead } from "./lead-page.tsx";

export function LeadManagement({ lead }: { lead: Lead }) {
  const [isConfirming, setConfirming] = useState(false);
  const erase = useAction("erase");
  const ask = () => {
    // A dialog that is opened again must not show what came of an earlier attempt.
    if (!erase.isPending) erase.reset();
    setConfirming(true);
  };
  return (
    <section className="card" aria-labelledby="managing">
      <h2 id="managing">For managers</h2>
      <button type="button" className="button quiet" onClick={ask}>
        Erase this lead
      </button>
      {/* The question may be closed before its answer is here, and an erasure that failed or was refused must not go unsaid. */}
      {!isConfirming && <FailureNotice error={erase.error} />}
      {!isConfirming && erase.data && "refused" in erase.data && (
        <Notice kind="trouble">Nothing is erased: the reference of this lead was not typed.</Notice>
      )}
      {isConfirming && <Erasure lead={lead} erase={erase} onClose={() => setConfirming(false)} />}
    </section>
  );
}

/** The question, and the reference that has to be typed anew each time that it is asked. */
function Erasure({ lead, erase, onClose }: { lead: Lead; erase: Action<"erase">; onClose(): void }) {
  const [typed, setTyped] = useState("");
  const goOn = useGoOn();
  // The refusal disappears when the member changes the reference, because it was of the reference before.
  const isRefused = erase.data && "refused" in erase.data && erase.variables?.reference === typed;
  const send = () =>
    erase.mutate(
      { id: lead.id, reference: typed },
      {
        onSuccess: (answer) => {
          if (!("done" in answer)) return;
          announce("Erased.");
          dropDraftsOf(lead.id);
          refreshAfterChange("queue");
          goOn("/");
        },
      },
    );
  return (
    <Dialog title="Erase this lead for good?" onClose={onClose}>
      <p>
        Everything kept about it goes: the person, the permission, calls and notes. It cannot be taken back. A
        person who only wants no calls is better stopped than erased.
      </p>
      <label className="field">
        Type the reference {lead.reference} to confirm
        <input
          type="text"
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
      {isRefused && <Notice kind="trouble">This is not the reference of this lead.</Notice>}
      <FailureNotice error={erase.error} />
      <ConfirmOrCancel label="Erase" isSent={erase.isPending} onConfirm={send} onClose={onClose} />
    </Dialog>
  );
}
