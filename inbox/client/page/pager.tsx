// The buttons below a list that has more rows than a page shows.

interface PagerProps<Start> {
  /** What has pages, such as "the list". */
  list: string;
  /** The names of the buttons that go back to the page before and on to the next one. */
  names: readonly [back: string, on: string];
  /** Where each page begins that was turned to, null for the first; the last is the one on screen. */
  starts: (Start | null)[];
  /** Where the page after it begins; null when there is none. */
  next: Start | null;
  /** Whether another page was asked for, and is not here yet. */
  isTurning: boolean;
  onTurn(starts: (Start | null)[]): void;
}

/** Nothing where one page shows all rows. A turned page is shown, and read, from its top. */
export function Pager<Start>({ list, names, starts, next, isTurning, onTurn }: PagerProps<Start>) {
  if (starts.length === 1 && next === null) return null;
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
