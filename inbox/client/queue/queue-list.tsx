// The rows of the queue in its three sections, or those of a search as one list.

import { startTransition, useEffect, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import type { SignedIn } from "../page/frame.tsx";
import { inGroups } from "../page/words.ts";
import { QueueRow } from "./queue-row.tsx";

type Row = ResponseOf<"queue">["rows"][number];
type Section = Row["section"];

const headings: Readonly<Record<Section, string>> = {
  callback_due: "Callbacks due",
  callable: "May be called now",
  not_callable: "Not now",
  closed: "Closed",
};

interface Props {
  rows: Row[];
  /** Of the whole queue; undefined when the list is filtered, because they would not match its rows. A search does not show them. */
  counts: Record<Exclude<Section, "closed">, number> | undefined;
  member: SignedIn;
  /** What the rows are: the whole queue, a filtered one, a page after the first, or what a search found. */
  of: keyof typeof emptySentences;
}

/** What is said when there are no rows. */
const emptySentences = {
  queue: ["Nobody is waiting.", "A new lead appears here by itself."],
  filter: ["Nobody who matches the filter is waiting.", "Press “All” to see everybody."],
  "later page": ["Nobody on this page is waiting any more.", "The earlier page may have more people."],
  "filtered search": [
    "Nobody who matches the filter is found.",
    "Press “All” to search among everybody. A phone number, an e-mail address and a reference must be whole.",
  ],
  "later page of a search": ["Nobody is on this page any more.", "The earlier page may have more people."],
  search: ["Nobody is found.", "A phone number, an e-mail address and a reference must be whole."],
} as const;

const isSearch = (of: Props["of"]) =>
  of === "search" || of === "filtered search" || of === "later page of a search";

export function QueueList({ rows: all, counts, member, of }: Props) {
  const rows = useRowsInTwoSteps(all);
  if (rows.length === 0) {
    const [sentence, advice] = emptySentences[of];
    return (
      <div className="empty">
        <p>{sentence}</p>
        <p className="quiet">{advice}</p>
      </div>
    );
  }
  if (isSearch(of)) return <Rows rows={rows} member={member} label="Found" />;
  const sections = [...new Set(rows.map(({ section }) => section))];
  return sections.map((section) => (
    <section key={section} className="queue-section" aria-labelledby={`section-${section}`}>
      <h2 id={`section-${section}`}>
        {headings[section]}
        {counts && section !== "closed" && <span className="count">{inGroups(counts[section])}</span>}
      </h2>
      <Rows rows={rows.filter((row) => row.section === section)} member={member} label={headings[section]} />
    </section>
  ));
}

/** More than fit on most screens. */
const firstStep = 12;

/** Renders the first rows first and the others in a second step: on a slow machine the rows below the screen cost as much as those on it. */
function useRowsInTwoSteps(rows: Row[]): Row[] {
  const [isWhole, setWhole] = useState(false);
  useEffect(() => startTransition(() => setWhole(true)), []);
  return isWhole ? rows : rows.slice(0, firstStep);
}

function Rows({ rows, member, label }: { rows: Row[]; member: SignedIn; label: string }) {
  return (
    <ul className="rows" aria-label={label}>
      {rows.map((row) => (
        <QueueRow key={row.id} row={row} member={member} />
      ))}
    </ul>
  );
}
