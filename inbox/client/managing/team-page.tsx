// The team, for managers: who is in it, invitations, and the states to which calls are paused.
import { type MouseEvent, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { Dialog } from "../page/dialog.tsx";
import { useFocusBeside } from "../page/focus-beside.ts";
import type { SignedIn } from "../page/frame.tsx";
import { FailureNotice, Loading } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { moment } from "../page/times.ts";
import { failureOfLatest, refreshAfterChange, useAction, useCall } from "../queries.ts";
import { InviteForm, type Member, OneTimeLink } from "./invitation.tsx";
import { PausedStates } from "./paused-states.tsx";

export default function TeamPage({ member }: { member: SignedIn }) {
  const { data, error } = useCall("members", {}, { refetchInterval: 10_000 });
  const [heading, notePress] = useFocusBeside<HTMLHeadingElement>();
  return (
    <>
      <PageHeading title="Team">Team</PageHeading>
      <section className="card" aria-labelledby="members">
        <h2 id="members" ref={heading} tabIndex={-1}>
          Members
        </h2>
        <Loading error={error} isLoaded={data !== undefined} />
        {data && (
          <ul className="plain-list members">
            {data.members
              .filter(({ removed_at }) => removed_at === null)
              .map((one) => (
                <MemberLine key={one.id} member={one} isSelf={one.id === member.id} onPress={notePress} />
              ))}
          </ul>
        )}
      </section>
      <InviteForm members={data?.members} />
      <PausedStates />
    </>
  );
}

interface LineProps {
  member: Member;
  isSelf: boolean;
  /** Told of the press that may take the whole line away. */
  onPress(press: MouseEvent): void;
}

function MemberLine({ member, isSelf, onPress }: LineProps) {
  const [confirming, setConfirming] = useState<"recover" | "remove">();
  const recover = useAction("members/recover");
  // It stays when a further one fails, because its link is shown nowhere else.
  const [made, setMade] = useState<ResponseOf<"members/recover">>();
  const remove = useAction("members/remove");
  const act = () => {
    const then = {
      onSuccess: (answer: ResponseOf<"members/recover" | "members/remove">) => {
        if ("link" in answer) setMade(answer);
        refreshAfterChange("members");
      },
      // Closes this question, and not another one that the member has opened since.
      onSettled: () => setConfirming((open) => (open === confirming ? undefined : open)),
    };
    if (confirming === "recover") recover.mutate({ id: member.id }, then);
    else remove.mutate({ id: member.id }, then);
  };
  const askToRemove = (press: MouseEvent) => {
    onPress(press);
    setConfirming("remove");
  };
  return (
    <li>
      <span>
        <strong>{member.name}</strong>
        <span className="quiet">{aboutMember(member)}</span>
      </span>
      {!isSelf && (
        <span className="actions">
          <button type="button" className="button quiet" onClick={() => setConfirming("recover")}>
            New link<span className="visually-hidden"> for {member.name}</span>
          </button>
          <button type="button" className="button quiet" onClick={askToRemove}>
            Remove<span className="visually-hidden"> {member.name}</span>
          </button>
        </span>
      )}
      {made && <OneTimeLink key={made.link} {...made} name={member.name} member={member} />}
      <FailureNotice error={failureOfLatest(recover, remove)} />
      {confirming && (
        <Confirm what={confirming} name={member.name} onYes={act} onNo={() => setConfirming(undefined)} />
      )}
    </li>
  );
}

function aboutMember(member: Member): string {
  const { role, joined_at, link_until, last_seen_at, passkeys, oidc, claims } = member;
  const ways = [
    passkeys > 0 && `${passkeys} ${passkeys === 1 ? "passkey" : "passkeys"}`,
    oidc && "company account",
  ];
  const wayIn = link_until ? `has a link until ${moment(link_until)}` : "cannot sign in: needs a new link";
  return [
    role === "manager" ? "Manager" : "Member",
    ways.filter(Boolean).join(" and ") || (joined_at ? wayIn : `invited, not here yet, ${wayIn}`),
    last_seen_at && `last here ${moment(last_seen_at)}`,
    claims > 0 && `has ${claims} ${claims === 1 ? "lead" : "leads"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

interface ConfirmProps {
  what: "recover" | "remove";
  name: string;
  onYes(): void;
  onNo(): void;
}

function Confirm({ what, name, onYes, onNo }: ConfirmProps) {
  const isRemoval = what === "remove";
  return (
    <Dialog title={isRemoval ? `Remove ${name}?` : `A new link for ${name}?`} onClose={onNo}>
      <p>
        {isRemoval
          ? "They are signed out at once, on every device, and their leads go back to the queue. What they did stays in the audit log."
          : "Their passkeys, company accounts and sessions end at once. The link lets them in once, within 24 hours."}
      </p>
      <div className="actions">
        <button type="button" className={`button ${isRemoval ? "danger" : "primary"}`} onClick={onYes}>
          {isRemoval ? "Remove" : "Make a new link"}
        </button>
        <button type="button" className="button" onClick={onNo}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
