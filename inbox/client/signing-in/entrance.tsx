// The frame of the pages before a member is in: one card, one thing to do.
import { type ReactNode, useEffect, useState } from "react";
import { Icon } from "../page/icon.tsx";
import { Notice } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { signInSentence } from "./passkeys.ts";

interface Props {
  title: string;
  heading: ReactNode;
  children: ReactNode;
}

export function Entrance({ title, heading, children }: Props) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <p className="brand">
          <Icon name="queue" /> Leads
        </p>
        <PageHeading title={title}>{heading}</PageHeading>
        {children}
      </div>
    </main>
  );
}

interface ActProps {
  label: string;
  kind?: "primary" | "plain";
  act(): Promise<void>;
  onDone(): void;
}

/** A button that asks the browser for something, and says what went wrong. */
export function EntranceButton({ label, kind = "primary", act, onDone }: ActProps) {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  // A page that has gone back in the history may be mid-act no more.
  useEffect(() => () => setBusy(false), []);
  const press = async () => {
    setBusy(true);
    setTrouble("");
    try {
      await act();
      onDone();
    } catch (error) {
      setTrouble(signInSentence(error));
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" className={`button large ${kind}`} disabled={isBusy} onClick={press}>
        {kind === "primary" && <Icon name="key" />}
        {label}
      </button>
      {trouble && <Notice kind="trouble">{trouble}</Notice>}
    </>
  );
}
