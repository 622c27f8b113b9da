// The page of one lead: on the left the person and the work; on the right the permission, the health answers and the person's other leads.
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { ResponseOf } from "../../api.ts";
import { CallFailed } from "../call-api.ts";
import { useLeadOnScreen } from "../page/activity.ts";
import { takeBackAnnouncements } from "../page/announcer.tsx";
import { dropDraftsOf } from "../page/drafts.ts";
import type { SignedIn } from "../page/frame.tsx";
import { Icon } from "../page/icon.tsx";
import { Loading } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { refresh, useCall } from "../queries.ts";
import { hasAskedToStop } from "./asked-to-stop.ts";
import { CallHistory } from "./call-history.tsx";
import { CallPanel } from "./call-panel.tsx";
import { useCallScripts } from "./call-scripts.tsx";
import { ClaimLine } from "./claim-line.tsx";
import { Eligibility } from "./eligibility.tsx";
import { HealthAnswers } from "./health-answers.tsx";
import { LeadManagement } from "./lead-management.tsx";
import { LeadPerson } from "./lead-person.tsx";
import { OtherLeads } from "./other-leads.tsx";
import { PermissionPanel } from "./permission-panel.tsx";
import { StopButton } from "./stop-button.tsx";

export type Lead = ResponseOf<"open">;

/** `id` is the lead's id or, from a link in a message, its reference. */
export function LeadPage({ id, member }: { id: string; member: SignedIn }) {
  const { lead, loadedAt, error } = useLead(id);
  useLeadOnScreen(lead?.id);
  useCallScripts();
  if (!lead) return <LeadNotShown id={id} error={error} />;
  const isStopped = hasAskedToStop(lead);
  return (
    <>
      <BackLink />
      <Loading error={error} isLoaded />
      <div className="lead">
        <div className="lead-main">
          <LeadPerson lead={lead} isStopped={isStopped} />
          <ClaimLine lead={lead} member={member} isStopped={isStopped} />
          <CallPanel lead={lead} loadedAt={loadedAt} member={member} isStopped={isStopped} />
          {!isStopped && <StopButton lead={lead} />}
          {!isStopped && <Eligibility lead={lead} />}
          <CallHistory lead={lead} />
        </div>
        <div className="lead-side">
          <PermissionPanel lead={lead} />
          <HealthAnswers id={lead.id} />
          <OtherLeads others={lead.others} />
          {member.role === "manager" && <LeadManagement lead={lead} />}
        </div>
      </div>
    </>
  );
}

/** Milliseconds between two loads: when a claim or the calling hours end by the clock, no event says so. */
const loadInterval = 30_000;

/**
 * Opens the lead once, which makes an entry in the audit log. Later loads name that entry and make none, because a timer and events cause
 * them, also while the member is away.
 */
function useLead(id: string) {
  const once = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false } as const;
  const opened = useCall("open", { id }, once);
  const live = useCall(
    "opened",
    { entry: opened.data?.entry ?? 0 },
    { enabled: opened.data !== undefined, staleTime: 0, gcTime: 0, refetchInterval: loadInterval },
  );
  const isOfOtherSession = live.error instanceof CallFailed && live.error.why === "forbidden";
  useReopening(isOfOtherSession, live);
  const error = (isOfOtherSession ? null : live.error) ?? opened.error;
  const lead = isNotOneLead(error) ? undefined : (live.data ?? opened.data);
  return { lead, loadedAt: live.dataUpdatedAt, error };
}

/** Opens the lead once more when the opening is not of this session, because its member has signed in anew in another tab. */
function useReopening(isOfOtherSession: boolean, { errorUpdatedAt }: { errorUpdatedAt: number }): void {
  useEffect(() => {
    // At each failed load, because the opening may fail, too.
    if (isOfOtherSession && errorUpdatedAt > 0) refresh("open");
  }, [isOfOtherSession, errorUpdatedAt]);
}

/** "not accepted": what the link names is too short or too long for an id or a reference, or has a sign that neither has. */
const isNotOneLead = (error: Error | null): error is CallFailed =>
  error instanceof CallFailed && ["not found", "not accepted", "conflict"].includes(error.why);

const BackLink = () => (
  <Link href="/" className="back-link">
    <Icon name="back" /> Queue
  </Link>
);

function LeadNotShown({ id, error }: { id: string; error: Error | null }) {
  const [hasDropped, setDropped] = useState(false);
  const isNotFound = isNotOneLead(error) && error.why === "not found";
  useEffect(() => {
    if (!isNotFound) return;
    setDropped(dropDraftsOf(id));
    // Otherwise a screen reader could still read an announcement that the lead may be called.
    takeBackAnnouncements();
  }, [isNotFound, id]);
  if (!isNotOneLead(error)) return <Loading error={error} isLoaded={false} />;
  const isOfSeveral = error.why === "conflict";
  return (
    <>
      <BackLink />
      <PageHeading title="Lead">
        {isOfSeveral ? "Several leads have this reference" : "There is no such lead"}
      </PageHeading>
      <p>
        {isOfSeveral
          ? `Search for ${id} and open the one that is meant.`
          : "It was erased, or the link is not complete."}
        {hasDropped && " What you had typed about it is not kept."}
      </p>
    </>
  );
}
