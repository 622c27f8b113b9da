// Which page stands at which address. Pages that are seldom opened, or by managers alone, are loaded when they are asked for.
import { memo, Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import { AccountPage } from "./account-page.tsx";
import { LeadPage } from "./lead/lead-page.tsx";
import type { SignedIn } from "./page/frame.tsx";
import { lazyPage } from "./page/lazy-page.tsx";
import { PageHeading } from "./page/page-heading.tsx";
import { QueuePage } from "./queue/queue-page.tsx";
import { SignInFailure } from "./signing-in/sign-in-page.tsx";

const StopProofPage = lazyPage(() => import("./lead/stop-proof-page.tsx"));
const StopNumberPage = lazyPage(() => import("./lead/stop-number-page.tsx"));
const HealthPage = lazyPage(() => import("./managing/health-page.tsx"));
const ReportsPage = lazyPage(() => import("./managing/reports-page.tsx"));
const CampaignsPage = lazyPage(() => import("./managing/campaigns-page.tsx"));
const AuditPage = lazyPage(() => import("./managing/audit-page.tsx"));
const TeamPage = lazyPage(() => import("./managing/team-page.tsx"));

/** Rendered anew when the member has changed, and not each time that the server was asked who is signed in. */
export const Pages = memo(function Pages({ member }: { member: SignedIn }) {
  const isManager = member.role === "manager";
  return (
    <Suspense fallback={<p className="loading">Loading…</p>}>
      <Switch>
        <Route path="/">
          <QueuePage member={member} />
        </Route>
        {/* A member who is signed in already and opens /sign-in sees the queue. A company sign-in that failed leads here, too. */}
        <Route path="/sign-in">
          <SignInFailure />
          <QueuePage member={member} />
        </Route>
        <Route path="/leads/:id">{({ id }) => <LeadPage key={id} id={id} member={member} />}</Route>
        <Route path="/leads/:id/stop-proof">{({ id }) => <StopProofPage id={id} />}</Route>
        <Route path="/stop">
          <StopNumberPage />
        </Route>
        <Route path="/health">
          <HealthPage isManager={isManager} />
        </Route>
        <Route path="/account">
          <AccountPage member={member} />
        </Route>
        {isManager && <Route path="/reports" component={ReportsPage} />}
        {isManager && <Route path="/campaigns" component={CampaignsPage} />}
        {isManager && <Route path="/audit-log" component={AuditPage} />}
        {isManager && (
          <Route path="/team">
            <TeamPage member={member} />
          </Route>
        )}
        <Route>
          <PageHeading title="No such page">There is no such page</PageHeading>
          <p>
            <Link href="/">Back to the leads</Link>
          </p>
        </Route>
      </Switch>
    </Suspense>
  );
});
