// The lock screen, after idle minutes or "Lock now": nothing of the pages is on the screen or in the document, and what was typed is kept.
import { useLocation } from "wouter";
import { CallFailed, callApi } from "../call-api.ts";
import { hasDrafts } from "../page/drafts.ts";
import { Icon } from "../page/icon.tsx";
import { queries } from "../queries.ts";
import { noteLeaving, noteSignedOut, notifyTabs } from "../session.ts";
import { signInWithPasskey } from "./passkeys.ts";
import { SignInButton, SignInFrame } from "./sign-in-frame.tsx";
import { CompanySignIn } from "./sign-in-page.tsx";

export function LockScreen({ name, onUnlocked }: { name: string | undefined; onUnlocked(): void }) {
  const [path, navigate] = useLocation();
  const enter = () => {
    if (path === "/sign-in") navigate("/", { replace: true });
    notifyTabs();
    onUnlocked();
  };
  const leave = async () => {
    noteLeaving();
    await callApi("sign-out", {}).catch((error) => {
      // The session is over already. After any other failure it may go on.
      if (!(error instanceof CallFailed && error.why === "signed out")) throw error;
    });
  };
  return (
    <SignInFrame
      title="Locked"
      heading={
        <>
          <Icon name="lock" /> Locked
        </>
      }
    >
      <p>
        {name ? `${name}, this` : "This"} screen is locked.{" "}
        {hasDrafts() &&
          "What you typed is there again when you unlock with a passkey. It is lost if you sign out or leave this page."}
      </p>
      <SignInButton label="Unlock with a passkey" run={signInWithPasskey} onDone={enter} />
      <CompanySignIn />
      <SignInButton label="Sign out" kind="quiet" run={leave} onDone={() => noteSignedOut(queries)} />
    </SignInFrame>
  );
}
