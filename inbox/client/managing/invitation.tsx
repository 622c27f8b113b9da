// Invites a member: a name and a role, and the link that is shown once.
import { type FormEvent, useEffect, useState } from "react";
import type { ResponseOf } from "../../api.ts";
import { CallFailed } from "../call-api.ts";
import { announce } from "../page/announcer.tsx";
import { atMost } from "../page/at-most.ts";
import { useDraft } from "../page/drafts.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { moment } from "../page/times.ts";
import { refreshAfterChange, useAction } from "../queries.ts";

export type Member = ResponseOf<"members">["members"][number];

/** `members` is undefined until the list is loaded. */
export function InviteForm({ members = [] }: { members: readonly Member[] | undefined }) {
  const { value: name, set: setName, dropSent: dropName } = useDraft("invited name", "");
  const {
    value: isManager,
    set: setManager,
    dropSent: dropManager,
  } = useDraft("invited as a manager", false);
  // The last invitation that was made. It stays when a further one fails, because its link is shown nowhere else.
  const [made, setMade] = useState<Omit<OneTimeLinkProps, "member"> & { memberId: string }>();
  const invite = useAction("members/invite");
  const isTaken = invite.error instanceof CallFailed && invite.error.why === "conflict";
  const send = (event: FormEvent) => {
    event.preventDefault();
    const request = { name: name.trim(), role: isManager ? ("manager" as const) : ("member" as const) };
    invite.mutate(request, {
      onSuccess: ({ member_id, ...link }) => {
        setMade({ ...link, name: request.name, memberId: member_id });
        dropName(name);
        // A tick that was made while the answer was on its way stays, because it is meant for the next invitation.
        dropManager(isManager);
        refreshAfterChange("members");
      },
    });
  };
  return (
    <form className="card" aria-labelledby="invite" onSubmit={send}>
      <h2 id="invite">Invite somebody</h2>
      <div className="form-line">
        <label className="field">
          Name
          <input
            type="text"
            required
            {...atMost(100)}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <label className="choice">
          <input type="checkbox" checked={isManager} onChange={({ target }) => setManager(target.checked)} />
          As a manager
        </label>
        <button type="submit" className="button primary">
          Make a link
        </button>
      </div>
      {isTaken ? (
        <NameTaken name={invite.variables?.name ?? ""} members={members} />
      ) : (
        <FailureNotice error={invite.error} />
      )}
      {made && (
        <OneTimeLink key={made.link} {...made} member={members.find(({ id }) => id === made.memberId)} />
      )}
    </form>
  );
}

/** The answer to an earlier invitation may have been lost, and then the name is that of the person who is to be invited. */
function NameTaken({ name, members }: { name: string; members: readonly Member[] }) {
  const invited = members.find(
    (one) => one.joined_at === null && one.name.toLowerCase() === name.toLowerCase(),
  );
  return (
    <Notice kind="trouble">
      {invited
        ? `${invited.name} is in the list already, and has not joined yet. Press New link there.`
        : "This name is taken. Choose another."}
    </Notice>
  );
}

/** Over http only localhost has one. */
const hasClipboard = () => "clipboard" in navigator;

interface OneTimeLinkProps {
  link: string;
  expires_at: string;
  /** Of the member. */
  name: string;
  /** The member as the list has them, or undefined while it does not have them. */
  member: Member | undefined;
}

/**
 * A link that is kept nowhere: the database holds its hash alone. It goes from the page when the list says that it is of no use any more,
 * because it was used, has expired, was replaced by a newer one, or its member was removed.
 */
export function OneTimeLink({ link, expires_at, name, member }: OneTimeLinkProps) {
  const [copied, setCopied] = useState<"done" | "refused">();
  const [wasListed, setWasListed] = useState(false);
  const listed = member?.link_until ? Date.parse(member.link_until) : undefined;
  const own = Date.parse(expires_at);
  if (listed === own && !wasListed) setWasListed(true);
  // Before the list is loaded again it names an older link, or none.
  const isUseless = listed === undefined ? wasListed : listed > own;
  useEffect(() => announce("The link is made. It is shown once."), []);
  const copy = () =>
    navigator.clipboard.writeText(link).then(
      () => setCopied("done"),
      () => setCopied("refused"),
    );
  if (isUseless) return null;
  return (
    <div className="one-time-link">
      <p>
        Give this link to {name}. It is shown this once, works once, and until {moment(expires_at)}.
      </p>
      <code>{link}</code>
      {hasClipboard() && (
        <button type="button" className="button" onClick={() => void copy()}>
          {copied === "done" ? "Copied" : "Copy the link"}
        </button>
      )}
      {copied === "refused" && (
        <Notice kind="trouble">The browser did not allow it. Select the link above and copy it.</Notice>
      )}
    </div>
  );
}
