// Who has the lead, and how to take it, let it go, or take it back.
import type { SignedIn } from "../page/frame.tsx";
import { FailureNotice } from "../page/notice.tsx";
import { refresh, useAction } from "../queries.ts";
import { ClaimBadge } from "../queue/queue-row.tsx";
import type { Lead } from "./lead-page.tsx";

interface Props {
  lead: Lead;
  member: SignedIn;
  isStopped: boolean;
}

export function ClaimLine({ lead, member, isStopped }: Props) {
  const [claim, release, takeBack] = [useAction("claim"), useAction("release"), useAction("take-back")];
  const holder = lead.claim?.member;
  const thenReload = { onSettled: () => refresh("rows", "queue") };
  const id = lead.id;
  if (!holder && (isStopped || lead.stage === "closed")) return null;
  return (
    <div className="claim-line">
      {holder ? (
        <ClaimBadge claim={lead.claim} member={member} />
      ) : (
        <span className="quiet">Nobody has it</span>
      )}
      {!holder && (
        <button type="button" className="button quiet" onClick={() => claim.mutate({ id }, thenReload)}>
          Take this lead
        </button>
      )}
      {holder?.id === member.id && (
        <button type="button" className="button quiet" onClick={() => release.mutate({ id }, thenReload)}>
          Let it go
        </button>
      )}
      {holder && holder.id !== member.id && member.role === "manager" && (
        <button type="button" className="button quiet" onClick={() => takeBack.mutate({ id }, thenReload)}>
          Take it back from {holder.name}
        </button>
      )}
      <FailureNotice error={claim.error ?? release.error ?? takeBack.error} />
    </div>
  );
}
