// The rows of the queue in its three groups, or those of a search as one list.
import { startTransition, useEffect, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import type { SignedIn } from "../page/frame.tsx";
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
  counts: Record<Exclude<Section, "closed">, number> | undefined;
  member: SignedIn;
  isSearch: boolean;
}

export function QueueList({ rows: all, counts, member, isSearch }: Props) {
  const rows = useRowsInTwoSteps(all);
  if (rows.length === 0) {
    return (
      <div className="empty">
        <p>{isSearch ? "Nobody is found." : "Nobody is waiting."}</p>
        <p className="quiet">
          {isSearch
            ? "A phone number, an e-mail address and a reference must be whole."
            : "A new lead appears here by itself."}
        </p>
      </div>
    );
  }
  if (isSearch) return <Rows rows={rows} member={member} label="Found" />;
  const sections = [...new Set(rows.map(({ section }) => section))];
  return sections.map((section) => (
    <section key={section} className="queue-section" aria-labelledby={`section-${section}`}>
      <h2 id={`section-${section}`}>
        {headings[section]}
        {counts && section !== "closed" && (
          <span className="count">{counts[section].toLocaleString("en-US")}</span>
        )}
      </h2>
      <Rows rows={rows.filter((row) => row.section === section)} member={member} label={headings[section]} />
    </section>
  ));
}

/** More than fit on most screens. */
const firstStep = 12;

/** The rows that are seen at once come first, because a slow machine takes as long for those that are not. */
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
