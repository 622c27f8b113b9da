// Chooses what a member sees: the sign-in page, the lock screen, or the page of the address.
import { useCallback, useEffect } from "react";
import { Route, Switch } from "wouter";
import { Frame } from "./page/frame.tsx";
import { FirstLoad } from "./page/notice.tsx";
import { Pages } from "./pages.tsx";
import { isTemporary, queries, useCall } from "./queries.ts";
import { followTabs, noteMember, useSessionState } from "./session.ts";
import { JoinPage } from "./signing-in/join-page.tsx";
import { LockScreen } from "./signing-in/lock-screen.tsx";
import { SignInPage } from "./signing-in/sign-in-page.tsx";

export function App() {
  return (
    <Switch>
      <Route path="/join" component={JoinPage} />
      <Route component={MembersPages} />
    </Switch>
  );
}

/**
 * Only the first answer is asked for until it is here. A later one is asked for again anyway, and a retry would stand still in a hidden page,
 * where everything that asks for the member would wait for it: a lock would not be seen.
 */
const isFirst = (_: number, error: Error) =>
  isTemporary(error) && queries.getQueryData(["me", {}]) === undefined;

function MembersPages() {
  const state = useSessionState();
  // The server ends and locks sessions by its own clock, so it is asked again and again.
  const {
    data: member,
    dataUpdatedAt,
    failureReason,
    refetch,
  } = useCall("me", {}, { refetchInterval: 20_000, staleTime: 1_000, retry: isFirst });
  const id = member?.id;
  // Each answer, not each change of the member: a session that was locked or over may have begun again in another tab.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said.
  useEffect(() => {
    if (id) noteMember(id);
  }, [id, dataUpdatedAt]);
  const askAnew = useCallback(async () => {
    // A request under way may be from before a member signed in, and React Query would wait for its answer.
    await queries.cancelQueries({ queryKey: ["me"] });
    // `throwOnError`, because a request that fails still hands out the data of whoever was signed in before.
    return refetch({ throwOnError: true }).then(
      ({ data }) => data,
      () => undefined,
    );
  }, [refetch]);
  useEffect(() => followTabs(() => void askAnew()), [askAnew]);
  // Noted at once, and not with the next render.
  const enter = () => void askAnew().then((answer) => answer && noteMember(answer.id));
  if (state === "signed out") return <SignInPage onSignedIn={enter} />;
  if (state === "locked") return <LockScreen name={member?.name} onUnlocked={enter} />;
  if (!member) return <FirstLoad failure={failureReason} />;
  return (
    <Frame member={member}>
      <Pages member={member} />
    </Frame>
  );
}
