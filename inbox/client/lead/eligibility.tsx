// The eligibility check: what L33822 asks, as a list to go through on the phone, and what the answers mean. No field of it takes a
// Medicare number.
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { useDraft } from "../page/drafts.ts";
import { takesTyping } from "../page/keys.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { moment } from "../page/times.ts";
import { refreshAfterChange, useAction } from "../queries.ts";
import { EligibilityFields } from "./eligibility-fields.tsx";
import { noAnswers, reasonNames, resultNames } from "./eligibility-questions.ts";
import type { Lead } from "./lead-page.tsx";

type Check = ResponseOf<"eligibility-check">;

export function Eligibility({ lead }: { lead: Lead }) {
  const [checked, setChecked] = useState<Check>();
  const result = laterOf(checked, lead.checks[0]);
  const check = useAction("eligibility-check");
  // Until the answer is here. A check that failed may have reached the server, and its answers come with the lead.
  const isSent = useRef(false);
  const draft = useDraft(`eligibility ${lead.id}`, result?.answers ?? noAnswers, () => isSent.current);
  const answers = draft.value;
  const send = (event: FormEvent) => {
    event.preventDefault();
    isSent.current = true;
    check.mutate(
      { id: lead.id, answers },
      {
        onSuccess: (answer) => {
          isSent.current = false;
          setChecked(answer);
          draft.dropSent(answers);
          refreshAfterChange("opened");
        },
      },
    );
  };
  return (
    <section className="card" aria-labelledby="eligibility">
      <h2 id="eligibility">Eligibility</h2>
      {result && <EligibilityResult check={result} takesFocus={result.id === checked?.id} />}
      <details>
        <summary>{result ? "Ask again" : "Go through the questions"}</summary>
        <form onSubmit={send}>
          <EligibilityFields lead={lead.id} answers={answers} onAnswer={draft.set} />
          <FailureNotice error={check.error} />
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

function EligibilityResult({ check, takesFocus }: { check: Check; takesFocus: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new check takes the focus again.
  useEffect(() => {
    if (takesFocus && !takesTyping(document.activeElement)) heading.current?.focus();
  }, [takesFocus, check.id]);
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
        Checked by {check.member.name}, {moment(check.at)}
      </p>
    </Notice>
  );
}
