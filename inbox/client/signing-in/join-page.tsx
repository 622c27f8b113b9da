// Where an invitation's link leads: it says who is invited, and lets them join.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { CallFailed, callSignIn } from "../call-api.ts";
import { FirstLoad, Notice } from "../page/notice.tsx";
import { notifyTabs } from "../session.ts";
import { joinWithPasskey, signInSentence } from "./passkeys.ts";
import { SignInButton, SignInFrame } from "./sign-in-frame.tsx";
import { CompanySignIn } from "./sign-in-page.tsx";

export function JoinPage() {
  // What follows the # is sent to no server by itself.
  const [token, setToken] = useState(() => location.hash.slice(1));
  // A newer link that is opened in the same tab loads no page, because its address differs only after the #.
  useEffect(() => {
    const readToken = () => setToken(location.hash.slice(1));
    addEventListener("hashchange", readToken);
    return () => removeEventListener("hashchange", readToken);
  }, []);
  return <Invitation key={token} token={token} />;
}

function Invitation({ token }: { token: string }) {
  const [, navigate] = useLocation();
  const { data, error, failureReason, refetch } = useQuery({
    queryKey: ["join/open", token],
    queryFn: () => callSignIn("join/open", { token }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // If only the answer was lost, the link is used up and the new passkey lets them in. Asking again about the link shows that.
  const join = () =>
    joinWithPasskey(token).catch((failure) => {
      void refetch();
      throw failure;
    });
  const enter = () => {
    notifyTabs();
    navigate("/", { replace: true });
  };
  // A mistake of the server says nothing about the link, so a link that has opened stays open.
  const isMistake = error instanceof CallFailed && error.why === "bug";
  if (error && isMistake && !data) {
    return (
      <SignInFrame title="Invitation" heading="The link cannot be checked now">
        <Notice kind="trouble">{signInSentence(error)}</Notice>
        <button type="button" className="button primary" onClick={() => refetch()}>
          Try again
        </button>
      </SignInFrame>
    );
  }
  if (error && !isMistake) {
    return (
      <SignInFrame title="Invitation" heading="This link does not open">
        <Notice kind="trouble">{whyNotOpened(error)}</Notice>
        <p>
          Have you joined before? <a href="/">Sign in</a>
        </p>
      </SignInFrame>
    );
  }
  if (!data) return <FirstLoad failure={failureReason} />;
  return (
    <SignInFrame title="Invitation" heading={`Welcome, ${data.name}`}>
      <p>
        A passkey lets you in with the PIN, fingerprint or face check of this device. There is no password to
        remember, and nothing to type.
      </p>
      <SignInButton label="Create a passkey" run={join} onDone={enter} />
      <CompanySignIn token={token} />
    </SignInFrame>
  );
}

/** A link that lost or gained characters may not have the form of a link. The server does not accept such a call: nobody was invited by it. */
const whyNotOpened = (error: Error): string =>
  signInSentence(
    error instanceof CallFailed && error.why === "not accepted"
      ? new CallFailed("refused", "invitation unknown")
      : error,
  );
