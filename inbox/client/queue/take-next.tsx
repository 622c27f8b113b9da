// "Take next lead": claims the first person who may be called, and opens the page of that lead.
import { useRef } from "react";
import { announce } from "../page/announcer.tsx";
import { useGoOn } from "../page/go-on.ts";
import { Icon } from "../page/icon.tsx";
import { takesTyping, useKeys } from "../page/keys.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { timeOfDay } from "../page/times.ts";
import { useAction } from "../queries.ts";

interface Props {
  /** The lead that is on screen. When the server gives the same one again, `onAgain` shows it as a lead to call, and this button disappears. */
  shown?: { id: string; onAgain(): void };
}

/** Two members never get the same lead: the database decides. */
export function TakeNextButton({ shown }: Props) {
  const goOn = useGoOn();
  const take = useAction("take-next");
  const button = useRef<HTMLButtonElement>(null);
  const press = () => {
    const pressedAt = Date.now();
    take.mutate(
      {},
      {
        onSuccess: ({ id }) => {
          if (!id) announce(nobodyAt(pressedAt));
          else if (id === shown?.id) {
            // Gone already: the member is elsewhere, or the claim's event came first and the page shows the lead as one to call.
            if (!button.current) return;
            // The button that was pressed disappears, and the keyboard's focus with it.
            if (!takesTyping(document.activeElement)) document.querySelector("h1")?.focus();
            shown.onAgain();
          }
          // A member who has gone elsewhere is given this lead again by a press within ten minutes.
          else goOn(`/leads/${id}`);
        },
      },
    );
  };
  useKeys({ n: press });
  return (
    <div className="take-next">
      <button
        ref={button}
        type="button"
        className="button primary large"
        aria-keyshortcuts="n"
        onClick={press}
      >
        <Icon name="phone" />
        Take next lead
        <span className="key" aria-hidden="true">
          n
        </span>
      </button>
      {take.data?.id === null && <Notice>{nobodyAt(take.submittedAt)}</Notice>}
      <FailureNotice error={take.error} />
    </div>
  );
}

/** With its time, because it stays on screen. It says "free", because other members may have the leads that may be called. */
const nobodyAt = (at: number) => `Nobody was free to be called at ${timeOfDay(at)}.`;
