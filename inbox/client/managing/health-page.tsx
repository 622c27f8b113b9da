// Whether every lead reaches the team: channels, deliveries that wait or failed, the last backup, overdue leads.
import { type MouseEvent, useEffect, useRef, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { useNow } from "../page/clock.ts";
import { useFocusBeside } from "../page/focus-beside.ts";
import { FailureNotice, Loading, Notice } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { moment, span } from "../page/times.ts";
import { count, inGroups } from "../page/words.ts";
import { refreshAfterChange, useAction, useCall } from "../queries.ts";
import { Figure } from "./figure.tsx";

type Health = ResponseOf<"health">;

export default function HealthPage({ isManager }: { isManager: boolean }) {
  const { data, error } = useCall("health", {}, { refetchInterval: 10_000 });
  return (
    <>
      <PageHeading title="Health">Health of the machine</PageHeading>
      <Loading error={error} isLoaded={data !== undefined} />
      {data && <HealthReport health={data} isManager={isManager} />}
    </>
  );
}

function HealthReport({ health, isManager }: { health: Health; isManager: boolean }) {
  const now = useNow();
  const { stored, unreviewed, overdue, last_backup_at } = health;
  return (
    <>
      <Problems health={health} />
      <dl className="figures">
        <Figure name="Leads stored" value={inGroups(stored)} />
        <Figure name="Not reviewed yet" value={inGroups(unreviewed)} />
        <Figure name="Over 24 hours" value={inGroups(overdue)} kind={overdue > 0 ? "bad" : "plain"} />
        <Figure
          name="Last backup"
          value={last_backup_at ? `${span(now.getTime() - Date.parse(last_backup_at))} ago` : "None known"}
          kind={health.problems.includes("backup") ? "bad" : "plain"}
        />
      </dl>
      <Channels health={health} isManager={isManager} />
      <p className="quiet">
        Schema {health.schema}. As of {moment(health.at)}.
      </p>
    </>
  );
}

const problemSentences: Readonly<Record<Health["problems"][number], string>> = {
  "no channel": "Leads come in, and no channel tells the team. Tell your operator.",
  failed: "A delivery failed. See below.",
  stuck: "A delivery has waited for more than 15 minutes. See below.",
  overdue: "Somebody has waited for more than 24 hours.",
  backup: "No backup is new enough, or the last one failed. Tell your operator.",
};

function Problems({ health: { ok, problems, backup_failure } }: { health: Health }) {
  if (ok) return <Notice kind="done">All is well.</Notice>;
  return (
    <Notice kind="caution">
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            {problemSentences[problem]}
            {problem === "backup" && backup_failure && ` (${backup_failure})`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Channels({ health: { channels, at }, isManager }: { health: Health; isManager: boolean }) {
  const failed = channels.reduce((sum, channel) => sum + channel.failed, 0);
  const isAnyHeldBack = channels.some(({ enabled, pending }) => !enabled && pending > 0);
  return (
    <section className="card" aria-labelledby="channels">
      <h2 id="channels">How the team is told of leads</h2>
      <ScrollingTable name="How the team is told of leads">
        <table className="channels">
          <thead>
            <tr>
              <th scope="col">Channel</th>
              <th scope="col">State</th>
              <th scope="col">Delivered</th>
              <th scope="col">Waiting</th>
              <th scope="col">Failed</th>
              <th scope="col">Trouble now</th>
            </tr>
          </thead>
          <tbody>
            {channels.map((channel) => (
              <tr key={channel.channel}>
                <th scope="row">{channel.channel}</th>
                <td data-label="State">{channel.enabled ? (channel.stuck > 0 ? "Stuck" : "On") : "Off"}</td>
                <td data-label="Delivered">{inGroups(channel.delivered)}</td>
                <td data-label="Waiting">
                  {inGroups(channel.pending)}
                  {channel.oldest_pending && (
                    <span className="quiet">since {moment(channel.oldest_pending)}</span>
                  )}
                </td>
                <td data-label="Failed" className={channel.failed > 0 ? "bad" : undefined}>
                  {inGroups(channel.failed)}
                </td>
                <td data-label="Trouble now">{channel.last_error ?? "None"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollingTable>
      <Retry failed={isManager ? failed : 0} asOf={at} isAnyHeldBack={isAnyHeldBack} />
    </section>
  );
}

interface RetryProps {
  failed: number;
  /** When that number was read. */
  asOf: string;
  /** Whether something waits on a channel that is off. */
  isAnyHeldBack: boolean;
}

function Retry({ failed, asOf, isAnyHeldBack }: RetryProps) {
  const retry = useAction("retry-deliveries");
  /** The time of the numbers that were shown when the last answer came. */
  const [retriedAsOf, setRetriedAsOf] = useState<string>();
  const [answer, notePress] = useFocusBeside<HTMLDivElement>();
  const latest = useRef(asOf);
  latest.current = asOf;
  const send = (press: MouseEvent) => {
    notePress(press);
    const onSuccess = () => {
      setRetriedAsOf(latest.current);
      refreshAfterChange("health");
    };
    retry.mutate({}, { onSuccess });
  };
  // Until the number is read again it is that of before, and a second press would find nothing.
  const isOutOfDate = retriedAsOf === asOf;
  const hasFailedAgain = retriedAsOf !== undefined && !isOutOfDate && failed > 0;
  useEffect(() => {
    if (hasFailedAgain) setRetriedAsOf(undefined);
  }, [hasFailedAgain]);
  return (
    <>
      {failed > 0 && !isOutOfDate && (
        <button type="button" className="button" onClick={send}>
          Try {count(failed, "failed delivery", "failed deliveries")} again
        </button>
      )}
      <div role="status" ref={answer} tabIndex={-1}>
        {retriedAsOf !== undefined && retry.data && failed === 0 && (
          <Notice kind="done">
            {count(retry.data.deliveries, "delivery", "deliveries")} will be sent again.
            {isAnyHeldBack && " What waits on a channel that is off is sent when it is on again."}
          </Notice>
        )}
      </div>
      <FailureNotice error={retry.error} />
    </>
  );
}
