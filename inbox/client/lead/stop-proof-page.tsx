// The proof that a request to stop was honoured, to read and to print.
import { useMemo } from "react";
import { Link } from "wouter";
import type { ResponseOf } from "../../api.ts";
import { serverNow } from "../page/clock.ts";
import { Icon } from "../page/icon.tsx";
import { Loading, Notice } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { momentWithZone } from "../page/times.ts";
import { refreshAfterChange, useCall } from "../queries.ts";
import { useNoteDraft } from "./outcome-form.tsx";
import { DropDrafts } from "./stopped.tsx";

type Proof = ResponseOf<"stop-proof">;

export default function StopProofPage({ id }: { id: string }) {
  // Read anew at each visit, and not again while it is on the screen, because it is printed with the time at which it was read.
  const options = { refetchOnWindowFocus: false, gcTime: 0 };
  const { data, error, dataUpdatedAt } = useCall("stop-proof", { id }, options);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of each answer, on the server's clock.
  const readAt = useMemo(serverNow, [dataUpdatedAt]);
  const note = useNoteDraft(id);
  return (
    <>
      <Link href={`/leads/${id}`} className="back-link">
        <Icon name="back" /> Lead
      </Link>
      <PageHeading title="Proof of a stop">Proof of a stop</PageHeading>
      {note.value !== "" && (
        <div className="no-print">
          <Notice kind="caution">
            What you typed in the call is not recorded yet.{" "}
            <Link href={`/leads/${id}`}>Record what came of it</Link>
          </Notice>
        </div>
      )}
      <Loading error={error} isLoaded={data !== undefined} />
      {data && <DropDrafts lead={id} />}
      {data && <ProofDocument proof={data} readAt={readAt} />}
    </>
  );
}

function ProofDocument({ proof, readAt }: { proof: Proof; readAt: Date }) {
  const isEverybodyTold = proof.leads.every(({ channels }) => channels.every(({ told_at }) => told_at));
  return (
    <article className="card proof">
      <p>
        On <strong>{momentWithZone(proof.stopped_at)}</strong> a person asked us to stop calling.{" "}
        <strong>{proof.stopped_by.id === null ? "The operator" : proof.stopped_by.name}</strong> recorded it,
        and it took effect at the same moment. The table has each lead with the same number whose permission
        has ended, by this stop or another.
      </p>
      <ScrollingTable name="Each lead, and who was told">
        <table>
          <caption>Each lead, and who was told</caption>
          <thead>
            <tr>
              <th scope="col">Reference</th>
              <th scope="col">Permission ended</th>
              <th scope="col">Told</th>
            </tr>
          </thead>
          <tbody>
            {proof.leads.map((lead) => (
              <tr key={lead.id}>
                <th scope="row">{lead.reference}</th>
                <td>{momentWithZone(lead.withdrawn_at)}</td>
                <td>{lead.channels.map(notificationOf).join("; ") || "No other system was to be told"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollingTable>
      <p className="quiet">Read on {momentWithZone(readAt.toISOString())}.</p>
      <div className="actions no-print">
        {!isEverybodyTold && (
          <button type="button" className="button" onClick={() => refreshAfterChange("stop-proof")}>
            See who has been told since
          </button>
        )}
        <button type="button" className="button" onClick={() => print()}>
          Print the proof
        </button>
      </div>
    </article>
  );
}

function notificationOf({ channel, told_at, failed }: Proof["leads"][number]["channels"][number]): string {
  if (told_at) return `${channel} on ${momentWithZone(told_at)}`;
  return failed ? `${channel}: could not be told` : `${channel}: not told yet`;
}
