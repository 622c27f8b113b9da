// Stops a number that a person gives on the phone, because a search by name does not always find the person who calls.
import { type FormEvent, useState } from "react";
import { atMost } from "../page/at-most.ts";
import { useDraft } from "../page/drafts.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { count } from "../page/words.ts";
import { refreshAfterChange, useAction } from "../queries.ts";

export default function StopNumberPage() {
  const phone = useDraft("stop-number", "");
  const [done, setDone] = useState("");
  const stop = useAction("stop-number");
  const refused = stop.data && "refused" in stop.data ? stop.data.refused : undefined;
  const isTypedSince = stop.variables?.phone !== phone.value && phone.value !== "";
  const send = (event: FormEvent) => {
    event.preventDefault();
    setDone("");
    stop.mutate(
      { phone: phone.value },
      {
        onSuccess: (answer) => {
          if ("refused" in answer) return;
          phone.dropSent(phone.value);
          refreshAfterChange("queue");
          setDone(stopped(answer.leads));
        },
      },
    );
  };
  return (
    <>
      <PageHeading title="Stop a number">Stop a number</PageHeading>
      <p className="lead-in">
        Somebody is on the phone and asks us not to call. Type their number: every lead with it stops at once,
        and the other systems are told.
      </p>
      <form className="card narrow" onSubmit={send}>
        <label className="field">
          Phone number
          <input
            type="tel"
            required
            autoComplete="off"
            {...atMost(100)}
            value={phone.value}
            aria-describedby="stop-number-said"
            onChange={({ target }) => {
              phone.set(target.value);
              setDone("");
            }}
          />
        </label>
        <div id="stop-number-said" role="status">
          {refused && !isTypedSince && <Notice kind="caution">{refusals[refused]}</Notice>}
          {done && <Notice kind={done === stoppedNobody ? "caution" : "done"}>{done}</Notice>}
          {(done || refused) && isTypedSince && <Notice kind="caution">{typedSince}</Notice>}
        </div>
        <FailureNotice error={stop.error} />
        <button type="submit" className="button danger">
          Stop all calls
        </button>
      </form>
    </>
  );
}

const stopped = (leads: number): string =>
  leads > 0 ? `Stopped. It ended ${count(leads, "permission")}.` : stoppedNobody;

const refusals = {
  "no number": "There is no phone number in this. Type all its digits.",
  "too many numbers": "These are more than five numbers, and none is stopped. Type five at most.",
};

const stoppedNobody =
  "Stopped, but no lead so far has this number with a permission. Ask for all its digits, with the area code.";
const typedSince = "The number above was typed meanwhile, and is not stopped yet.";
