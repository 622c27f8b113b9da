// The two health answers of the form, hidden until they are opened; the audit log says who looked.
import { Fragment, type MouseEvent } from "react";
import { useFocusBeside } from "../page/focus-beside.ts";
import { FailureNotice } from "../page/notice.tsx";
import { useAction } from "../queries.ts";

export function HealthAnswers({ id }: { id: string }) {
  const open = useAction("health-answers");
  const [heading, notePress] = useFocusBeside<HTMLHeadingElement>();
  const show = (press: MouseEvent) => {
    notePress(press);
    open.mutate({ id });
  };
  const hide = (press: MouseEvent) => {
    notePress(press);
    open.reset();
  };
  return (
    <section className="card" aria-labelledby="health-answers">
      <h2 id="health-answers" ref={heading} tabIndex={-1}>
        Health answers
      </h2>
      {/* With keys, because React would otherwise make one button of the other, and the focus would stay on it. */}
      {open.data ? (
        <Fragment key="shown">
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
        </Fragment>
      ) : (
        <Fragment key="hidden">
          <p className="quiet">Hidden. Opening them is written to the audit log.</p>
          <button type="button" className="button" onClick={show}>
            Show health answers
          </button>
        </Fragment>
      )}
      <FailureNotice error={open.error} />
    </section>
  );
}
