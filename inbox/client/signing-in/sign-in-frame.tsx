// The frame of the pages without an open session (sign-in, invitation, lock screen): one card.
import { type ReactNode, useState } from "react";
import { Icon } from "../page/icon.tsx";
import { Notice } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { signInSentence } from "./passkeys.ts";

interface Props {
  title: string;
  heading: ReactNode;
  children: ReactNode;
}

export function SignInFrame({ title, heading, children }: Props) {
  return (
    <main className="sign-in-frame">
      <div className="sign-in-card">
        <p className="brand">
          <Icon name="queue" /> Leads
        </p>
        <PageHeading title={title}>{heading}</PageHeading>
        {children}
      </div>
    </main>
  );
}

interface ButtonProps {
  label: string;
  kind?: "primary" | "plain" | "quiet";
  run(): Promise<void>;
  onDone(): void;
}

/** A button that joins, signs in, unlocks or signs out, and says what went wrong. */
export function SignInButton({ label, kind = "primary", run, onDone }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    setTrouble("");
    try {
      await run();
      onDone();
    } catch (error) {
      setTrouble(signInSentence(error));
    }
    setBusy(false);
  };
  return (
    <>
      {/* Not `disabled`, which would take the focus away. */}
      <button type="button" className={`button large ${kind}`} aria-disabled={isBusy} onClick={press}>
        {kind === "primary" && <Icon name="key" />}
        {label}
      </button>
      {trouble && <Notice kind="trouble">{trouble}</Notice>}
    </>
  );
}
