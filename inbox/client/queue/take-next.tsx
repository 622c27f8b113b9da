// "Take next lead": claims the first person who may be called, and opens the page of that lead.
import { announce } from "../page/announcer.tsx";
import { useGoOn } from "../page/go-on.ts";
import { Icon } from "../page/icon.tsx";
import { useKeys } from "../page/keys.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { useAction } from "../queries.ts";

/** Two members never get the same lead: the database decides. */
export function TakeNextButton() {
  const goOn = useGoOn();
  const take = useAction("take-next");
  const press = () => {
    take.mutate(
      {},
      {
        onSuccess: ({ id }) => {
          // A member who has gone elsewhere is given this lead again by the next press.
          if (id) goOn(`/leads/${id}`);
          else announce("Nobody may be called right now.");
        },
      },
    );
  };
  useKeys({ n: press });
  return (
    <div className="take-next">
      <button type="button" className="button primary large" aria-keyshortcuts="n" onClick={press}>
        <Icon name="phone" />
        Take next lead
        <span className="key" aria-hidden="true">
          n
        </span>
      </button>
      {take.data?.id === null && <Notice>Nobody may be called right now.</Notice>}
      <FailureNotice error={take.error} />
    </div>
  );
}
