// What surrounds every page of a member: the navigation, the state of the connection, and the announcements to a screen reader.
import { type MouseEvent, type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ResponseOf } from "../../api.ts";
import { useActivity } from "./activity.ts";
import { AlertBanner } from "./alert-banner.tsx";
import { Announcer } from "./announcer.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { useFocusBeside } from "./focus-beside.ts";
import { useKeys } from "./keys.ts";
import { LostChangesNotice } from "./lost-changes-notice.tsx";
import { Navigation } from "./navigation.tsx";
import { PageFailure } from "./page-failure.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { useLiveEvents } from "./use-live-events.ts";

export type SignedIn = ResponseOf<"me">;

export function Frame({ member, children }: { member: SignedIn; children: ReactNode }) {
  const [path, navigate] = useLocation();
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  useActivity(member.idle_minutes);
  useLiveEvents();
  useKeys({ "?": () => setShowsShortcuts(true), q: () => navigate("/") });
  return (
    <div className="frame">
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <Navigation member={member} onShowShortcuts={() => setShowsShortcuts(true)} />
      <main id="main" tabIndex={-1}>
        <ConnectionBanner />
        <LostChangesNotice />
        <AlertBanner isManager={member.role === "manager"} />
        {member.passkeys === 1 && <SecondPasskey key={member.id} member={member.id} />}
        <PageFailure path={path}>{children}</PageFailure>
      </main>
      <Announcer />
      {showsShortcuts && <ShortcutsDialog onClose={() => setShowsShortcuts(false)} />}
    </div>
  );
}

/** The member who has put it off in this tab, where another one may sign in later. */
let putOffBy: string | undefined;

/** One lost device must not keep a member out. */
function SecondPasskey({ member }: { member: string }) {
  const [isShown, setShown] = useState(putOffBy !== member);
  const [path] = useLocation();
  const [, notePress] = useFocusBeside();
  if (!isShown || path !== "/") return null;
  const putOff = (press: MouseEvent) => {
    notePress(press);
    putOffBy = member;
    setShown(false);
  };
  return (
    <aside className="suggestion" aria-label="Suggestion">
      <p>
        You have one passkey. <Link href="/account">Add a second one</Link>, for the day this device is lost.
      </p>
      <button type="button" className="button quiet" onClick={putOff}>
        Later
      </button>
    </aside>
  );
}
