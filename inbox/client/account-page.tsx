// The member's own page: passkeys; the sound, notifications and shortcuts in this browser; and locking and signing out.
import { useState } from "react";
import type { ResponseOf } from "../api.ts";
import { CallFailed } from "./call-api.ts";
import { ConfirmOrCancel, Dialog } from "./page/dialog.tsx";
import { useFocusBeside } from "./page/focus-beside.ts";
import type { SignedIn } from "./page/frame.tsx";
import { FailureNotice, Loading, Notice } from "./page/notice.tsx";
import { allowNotifications, chime, maySendNotifications } from "./page/notifications.ts";
import { PageHeading } from "./page/page-heading.tsx";
import { prefer, usePreferences } from "./page/preferences.ts";
import { moment } from "./page/times.ts";
import { failureOfLatest, queries, refreshAfterChange, useAction, useCall } from "./queries.ts";
import { noteFailure, noteLeaving, noteSignedOut, notifyTabs } from "./session.ts";
import { addPasskey, signInSentence } from "./signing-in/passkeys.ts";

export function AccountPage({ member }: { member: SignedIn }) {
  return (
    <>
      <PageHeading title="Your account">{member.name}</PageHeading>
      <p className="quiet">
        {member.role === "manager" ? "Manager" : "Member"}, signed in until {moment(member.ends_at)}
      </p>
      <Passkeys />
      <BrowserPreferences />
      <LockAndSignOut />
    </>
  );
}

type Passkey = ResponseOf<"passkeys">["passkeys"][number];

const nameOf = ({ label, created_at }: Passkey) => `${label || "Passkey"}, made ${moment(created_at)}`;

function Passkeys() {
  const { data, error } = useCall("passkeys", {});
  const [removing, setRemoving] = useState<Passkey>();
  const [trouble, setTrouble] = useState("");
  const [isAdding, setAdding] = useState(false);
  const [heading, notePress] = useFocusBeside<HTMLHeadingElement>();
  const reload = () => refreshAfterChange("passkeys", "me");
  const add = async () => {
    if (isAdding) return;
    setAdding(true);
    setTrouble("");
    await addPasskey().catch((failure) => setTrouble(signInSentence(failure)));
    setAdding(false);
    // Also after a failure, because the server may have added the passkey although its answer was lost.
    reload();
  };
  // A late answer about another passkey leaves this question open.
  const closeRemoval = () => setRemoving((open) => (open === removing ? undefined : open));
  return (
    <section className="card" aria-labelledby="passkeys">
      <h2 id="passkeys" ref={heading} tabIndex={-1}>
        Passkeys
      </h2>
      <p>A second passkey, on your phone or a security key, lets you in on the day this device is lost.</p>
      <Loading error={error} isLoaded={data !== undefined} />
      {data && (
        <ul className="plain-list">
          {data.passkeys.map((passkey) => (
            <li key={passkey.id}>
              <span>
                <strong>{passkey.label || "Passkey"}</strong>
                <span className="quiet">
                  made {moment(passkey.created_at)}
                  {passkey.last_used_at && `, last used ${moment(passkey.last_used_at)}`}
                </span>
              </span>
              <button
                type="button"
                className="button quiet"
                onClick={(press) => {
                  notePress(press);
                  setRemoving(passkey);
                }}
              >
                Remove<span className="visually-hidden"> {nameOf(passkey)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <button type="button" className="button" aria-disabled={isAdding} onClick={() => void add()}>
        Add a passkey
      </button>
      {trouble && <Notice kind="trouble">{trouble}</Notice>}
      {removing && <PasskeyRemoval passkey={removing} onRemoved={reload} onClose={closeRemoval} />}
    </section>
  );
}

interface RemovalProps {
  passkey: Passkey;
  onRemoved(): void;
  onClose(): void;
}

/** Asks first: a passkey that is removed by mistake lets nobody in any more. */
function PasskeyRemoval({ passkey, onRemoved, onClose }: RemovalProps) {
  const remove = useAction("passkeys/remove");
  const isLast = remove.data !== undefined && "refused" in remove.data;
  const send = () =>
    remove.mutate(
      { id: passkey.id },
      {
        onSuccess: (answer) => {
          if (!("refused" in answer)) onClose();
        },
        // Also after a failure, because the server may have removed the passkey although its answer was lost.
        onSettled: onRemoved,
      },
    );
  return (
    <Dialog title="Remove this passkey?" onClose={onClose}>
      <p>{nameOf(passkey)}. It will not let you in any more.</p>
      {isLast && <Notice kind="trouble">This is your last passkey. Add another one first.</Notice>}
      <FailureNotice error={remove.error} />
      <ConfirmOrCancel label="Remove" isSent={remove.isPending} onConfirm={send} onClose={onClose} />
    </Dialog>
  );
}

function BrowserPreferences() {
  const { usesShortcuts, sound, notifications } = usePreferences();
  const [isRefused, setRefused] = useState(false);
  const isNotified = notifications && maySendNotifications();
  const toggleNotifications = async () => {
    const isTurningOn = !isNotified;
    const isAllowed = isTurningOn && (await allowNotifications());
    prefer({ notifications: isAllowed });
    setRefused(isTurningOn && !isAllowed);
  };
  const toggleSound = () => {
    prefer({ sound: !sound });
    if (!sound) void chime();
  };
  return (
    <section className="card" aria-labelledby="noticed">
      <h2 id="noticed">In this browser</h2>
      <label className="choice">
        <input type="checkbox" checked={sound} onChange={toggleSound} />A sound when a lead comes
      </label>
      <label className="choice">
        <input type="checkbox" checked={isNotified} onChange={() => void toggleNotifications()} />A desktop
        notification when a lead comes. It says no name.
      </label>
      <p className="quiet">While the inbox is locked it makes neither.</p>
      {isRefused && (
        <Notice kind="trouble">
          This browser does not let the inbox show notifications. Where it can show them, you allow them in
          its settings for this address.
        </Notice>
      )}
      <label className="choice">
        <input
          type="checkbox"
          checked={usesShortcuts}
          onChange={() => prefer({ usesShortcuts: !usesShortcuts })}
        />
        <span>
          Keyboard shortcuts (press <kbd>?</kbd> for the list)
        </span>
      </label>
    </section>
  );
}

function LockAndSignOut() {
  const [lock, signOut] = [useAction("lock"), useAction("sign-out")];
  const onLocked = () => {
    notifyTabs();
    noteFailure(new CallFailed("locked"), queries);
  };
  return (
    <section className="card" aria-labelledby="leaving">
      <h2 id="leaving">Going away</h2>
      <div className="actions">
        <button type="button" className="button" onClick={() => lock.mutate({}, { onSuccess: onLocked })}>
          Lock now
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            noteLeaving();
            signOut.mutate({}, { onSuccess: () => noteSignedOut(queries) });
          }}
        >
          Sign out
        </button>
      </div>
      <FailureNotice error={failureOfLatest(lock, signOut)} />
    </section>
  );
}
