// The two health answers of the form, hidden until they are opened; the audit log says who looked.
import { useEffect, useRef } from "react";
import { FailureNotice } from "../page/notice.tsx";
import { useAction } from "../queries.ts";

export function HealthAnswers({ id }: { id: string }) {
  const open = useAction("health-answers");
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    if (open.data) heading.current?.focus();
  }, [open.data]);
  const hide = () => {
    open.reset();
    heading.current?.focus();
  };
  return (
    <section className="card" aria-labelledby="health-answers">
      <h2 id="health-answers" ref={heading} tabIndex={-1}>
        Health answers
      </h2>
      {open.data ? (
        <>
          <dl className="facts">
            <div>
              <dt>Medicare</dt>
              <dd>{open.data.has_medicare ? "Yes" : "Not ticked"}</dd>
            </div>
            <div>
              <dt>Diagnosed with diabetes</dt>
              <dd>{open.data.has_diabetes ? "Yes" : "Not ticked"}</dd>
            </div>
          </dl>
          <button type="button" className="button quiet" onClick={hide}>
            Hide
          </button>
        </>
      ) : (
        <>
          <p className="quiet">Hidden. Opening them is written to the audit log.</p>
          <button type="button" className="button" onClick={() => open.mutate({ id })}>
            Show health answers
          </button>
        </>
      )}
      <FailureNotice error={open.error} />
    </section>
  );
}
