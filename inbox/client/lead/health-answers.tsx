// The two health answers of the form, hidden until they are opened; the audit log says who looked.
import { FailureNotice } from "../page/notice.tsx";
import { useAction } from "../queries.ts";

export function HealthAnswers({ id }: { id: string }) {
  const open = useAction("health-answers");
  return (
    <section className="card" aria-labelledby="health-answers">
      <h2 id="health-answers">Health answers</h2>
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
          <button type="button" className="button quiet" onClick={() => open.reset()}>
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
