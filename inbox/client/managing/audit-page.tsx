// The audit log for managers: who opened, called, exported, erased what, and when.
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { RequestOf, ResponseOf } from "../../api.ts";
import { FailureNotice, Loading } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { Pager } from "../page/pager.tsx";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { moment } from "../page/times.ts";
import { useAction, useCall } from "../queries.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { saveFile } from "./save-csv.ts";

export type AuditFilter = NonNullable<RequestOf<"audit">["filter"]>;
type Entry = ResponseOf<"audit">["entries"][number];

export default function AuditPage() {
  const [filter, setFilter] = useState<AuditFilter>({});
  const [starts, setStarts] = useState<(number | null)[]>([null]);
  const { data, error, isPlaceholderData } = useCall(
    "audit",
    { filter, after: starts.at(-1) ?? null },
    { placeholderData: keepPreviousData },
  );
  const exported = useAction("audit/export");
  const save = () => exported.mutate({ filter }, { onSuccess: saveFile });
  return (
    <>
      <div className="page-top">
        <PageHeading title="Audit log">Audit log</PageHeading>
        <button type="button" className="button no-print" disabled={exported.isPending} onClick={save}>
          Export these entries
        </button>
      </div>
      <AuditFilters
        filter={filter}
        actions={data?.actions ?? []}
        onChange={(next) => {
          setFilter(next);
          setStarts([null]);
        }}
      />
      <FailureNotice error={exported.error} />
      <Loading
        error={error}
        isLoaded={data !== undefined && !isPlaceholderData}
        isOtherShown={isPlaceholderData}
      />
      {data && <AuditTable entries={data.entries} />}
      <Pager
        list="the audit log"
        names={["Newer", "Older"]}
        starts={starts}
        next={data?.next ?? null}
        isTurning={isPlaceholderData}
        onTurn={setStarts}
      />
    </>
  );
}

function AuditTable({ entries }: { entries: Entry[] }) {
  const { data } = useCall("members", {});
  const nameOf = (id: string) => data?.members.find((member) => member.id === id)?.name ?? id;
  if (entries.length === 0) return <p className="empty">No entry matches the filters.</p>;
  return (
    <div className="card">
      <ScrollingTable name="Entries">
        <table className="audit">
          <caption className="visually-hidden">Audit log, newest first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Lead</th>
              <th scope="col">More</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.id}>
                <td>{moment(entry.at)}</td>
                <td>{entry.who.name}</td>
                <td>{entry.action}</td>
                <td>{entry.lead && <Link href={`/leads/${entry.lead.id}`}>{entry.lead.reference}</Link>}</td>
                <td>{detailsOf(entry, nameOf)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollingTable>
    </div>
  );
}

/** `nameOf` returns the name of the member with an id, and any other text unchanged, because an entry about a member holds the name. */
const detailsOf = ({ details }: Entry, nameOf: (id: string) => string) =>
  Object.entries(details)
    .map(([name, value]) => {
      const word = wordOf(name, value);
      return `${inWords(name)}: ${name === "member" ? nameOf(word) : word}`;
    })
    .join(", ");

function wordOf(name: string, value: string | number | boolean | null): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value ?? "none");
  // A name or a zone may have an underscore of its own.
  return codes.has(name) ? inWords(text) : text;
}

/** The details whose values are codes. */
const codes = new Set(["outcome", "reason", "by"]);

const inWords = (code: string) => code.replaceAll("_", " ");
