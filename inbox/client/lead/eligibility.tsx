// The eligibility check: what Medicare's rule L33822 asks, as a list to go through on the phone, and what the answers mean. It has no
// field for a Medicare number.
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { useDraft } from "../page/drafts.ts";
import { takesTyping } from "../page/keys.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { momentWithZone } from "../page/times.ts";
import { refreshAfterChange, useAction } from "../queries.ts";
import { EligibilityFields } from "./eligibility-fields.tsx";
import { noAnswers, reasonNames, resultNames } from "./eligibility-questions.ts";
import type { Lead } from "./lead-page.tsx";

type Check = ResponseOf<"eligibility-check">;

export function Eligibility({ lead }: { lead: Lead }) {
  const [own, setOwn] = useState<{ check: Check; nth: number }>();
  const result = laterOf(own?.check, lead.checks[0]);
  const checkEligibility = useAction("eligibility-check");
  // True until the answer is here, also after a failure: a check that failed may have reached the server, and its answers come with the lead.
  const mayBeOnServer = useRef(false);
  const draft = useDraft(`eligibility ${lead.id}`, result?.answers ?? noAnswers, () => mayBeOnServer.current);
  const answers = draft.value;
  const send = (event: FormEvent) => {
    event.preventDefault();
    mayBeOnServer.current = true;
    checkEligibility.mutate(
      { id: lead.id, answers },
      {
        onSuccess: (answer) => {
          mayBeOnServer.current = false;
          setOwn((before) => ({ check: answer, nth: (before?.nth ?? 0) + 1 }));
          draft.dropSent(answers);
          refreshAfterChange("opened");
        },
      },
    );
  };
  return (
    <section className="card" aria-labelledby="eligibility">
      <h2 id="eligibility">Eligibility</h2>
      {result && <EligibilityResult check={result} ownNth={result.id === own?.check.id ? own.nth : 0} />}
      <details>
        <summary>{result ? "Ask again" : "Go through the questions"}</summary>
        <form onSubmit={send}>
          <EligibilityFields lead={lead.id} answers={answers} onAnswer={draft.set} />
          <FailureNotice error={checkEligibility.error} />
          <button type="submit" className="button primary">
            See what it means
          </button>
        </form>
      </details>
      <p className="quiet">
        Source: Medicare LCD L33822 and article A52464. Only Medicare approves. Never ask for a Medicare
        number.
      </p>
    </section>
  );
}

/** The member's own check is here before the lead is loaded again, and a colleague's may be later than it. */
function laterOf(own: Check | undefined, loaded: Check | undefined): Check | undefined {
  if (!own || !loaded) return own ?? loaded;
  return Date.parse(own.at) > Date.parse(loaded.at) ? own : loaded;
}

/**
 * What a check found. Where it is the member's own, the heading takes the focus with each press (`ownNth`, from 1), also when the server knows
 * the same answers already and returns the check of before.
 */
function EligibilityResult({ check, ownNth }: { check: Check; ownNth: number }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (ownNth > 0 && !takesTyping(document.activeElement)) heading.current?.focus();
  }, [ownNth]);
  return (
    <Notice kind={check.result === "likely" ? "done" : check.result === "needs_visit" ? "caution" : "plain"}>
      <h3 ref={heading} tabIndex={-1}>
        {resultNames[check.result]}
      </h3>
      {check.reasons.length > 0 && (
        <ul>
          {check.reasons.map((reason) => (
            <li key={reason}>{reasonNames[reason] ?? reason}</li>
          ))}
        </ul>
      )}
      <p className="quiet">
        Checked by {check.member.name}, {momentWithZone(check.at)}
      </p>
    </Notice>
  );
}
