// The buttons below a list that has more rows than a page shows.

interface PagerProps<Start> {
  /** What has pages, such as "the list". */
  list: string;
  /** The names of the buttons that go back to the page before and on to the next one. */
  names: readonly [back: string, on: string];
  /** The start of each page from the first (null) to the one on screen, or to the one that is being loaded. */
  starts: (Start | null)[];
  /** The start of the page after the one on screen; null when that is the last page. */
  next: Start | null;
  /** Whether another page was asked for, and is not here yet. */
  isTurning: boolean;
  onTurn(starts: (Start | null)[]): void;
}

/** Renders nothing where one page shows all rows. A turn moves the focus and the view to the top, because a page is read from there. */
export function Pager<Start>({ list, names, starts, next, isTurning, onTurn }: PagerProps<Start>) {
  if (starts.length === 1 && next === null && !isTurning) return null;
  const turn = (to: (Start | null)[]) => {
    onTurn(to);
    document.querySelector("h1")?.focus();
    scrollTo(0, 0);
  };
  const [back, on] = names;
  return (
    <nav className="pager no-print" aria-label={`Pages of ${list}`}>
      <button
        type="button"
        className="button"
        disabled={starts.length === 1}
        onClick={() => turn(starts.slice(0, -1))}
      >
        {back}
      </button>
      <span>
        Page {starts.length}
        {isTurning && " is being loaded…"}
      </span>
      <button
        type="button"
        className="button"
        disabled={next === null}
        onClick={() => {
          // While another page is on its way, `next` is still that of the page before.
          if (!isTurning) turn([...starts, next]);
        }}
      >
        {on}
      </button>
    </nav>
  );
}
