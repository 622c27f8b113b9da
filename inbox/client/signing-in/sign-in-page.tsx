// The sign-in page: one button, and the company's own sign-in where there is one. It shows no personal data.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { CallFailed, callSignIn } from "../call-api.ts";
import { Notice } from "../page/notice.tsx";
import { notifyTabs } from "../session.ts";
import { isSignInError, signInSentence, signInWithPasskey } from "./passkeys.ts";
import { SignInButton, SignInFrame } from "./sign-in-frame.tsx";

export function SignInPage({ onSignedIn }: { onSignedIn(): void }) {
  const [path, navigate] = useLocation();
  const enter = () => {
    if (path === "/sign-in") navigate("/", { replace: true });
    notifyTabs();
    onSignedIn();
  };
  return (
    <SignInFrame title="Sign in" heading="Sign in">
      <SignInButton label="Sign in with a passkey" run={signInWithPasskey} onDone={enter} />
      <CompanySignIn />
      {/* A company sign-in that fails leads to this page, also one that began at a link. So this text names the link. */}
      <p className="quiet">
        New here, or a new device? Open the link that a manager gave you, or ask for one.
      </p>
    </SignInFrame>
  );
}

/** Why the company sign-in that led to this page failed, where it did. */
export function SignInFailure() {
  const [failure] = useState(() => errorInAddress());
  return failure && <Notice kind="trouble">{failure}</Notice>;
}

/** The button that leads to the company's identity provider, when one is set up, and why the last such sign-in failed. */
export function CompanySignIn({ token }: { token?: string }) {
  const { data } = useQuery({
    queryKey: ["sign-in/methods"],
    queryFn: () => callSignIn("sign-in/methods", {}),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const leave = async () => {
    location.assign((await callSignIn("oidc/start", token ? { token } : {})).address);
  };
  return (
    <>
      <SignInFailure />
      {data?.oidc && (
        <SignInButton label="Sign in with your company account" kind="plain" run={leave} onDone={() => {}} />
      )}
    </>
  );
}

/** The company's sign-in comes back with `#<error>` when it went wrong. */
function errorInAddress(): string {
  const { hash } = location;
  // The error leaves the address, because a reload would show it again.
  if (hash && location.pathname === "/sign-in") history.replaceState(history.state, "", "/sign-in");
  const word = hash.slice(1).replaceAll("-", " ").replace("sign in", "sign-in");
  return isSignInError(word) ? signInSentence(new CallFailed("refused", word)) : "";
}
