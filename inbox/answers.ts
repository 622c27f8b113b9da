// How each call of the inbox's API (inbox/api.ts) is answered: most by one function of team/, with the session of the request. The database
// decides what the session's member may see and do.
import type * as v from "valibot";
import { languageCodes, textsIn } from "../content/languages.ts";
import type { Ask } from "../team/ask.ts";
import { readCostsCsv, recordCostsAs, requireRightToCosts } from "../team/campaign-costs.ts";
import { campaignReport } from "../team/campaign-report.ts";
import { experiments } from "../team/experiments.ts";
import * as managing from "../team/managing.ts";
import * as sessions from "../team/sessions.ts";
import * as work from "../team/working-leads.ts";
import type { CallName, calls } from "./api.ts";
import { addressOf } from "./downloads.ts";
import type { Passkeys } from "./passkeys.ts";

export interface AnswerDependencies {
  inboxUrl: string;
  passkeys: Passkeys;
  /** The company's identity provider, where members can sign in with it. */
  companyIssuer: string | undefined;
  /** As the scripts for a call say them. */
  provider: { name: string; phone: string; calls_from: string };
}

/** The function that answers each call. What it returns is then held to the schema of the call's response. */
type Answers = {
  [Name in CallName]: (
    ask: Ask,
    request: v.InferOutput<(typeof calls)[Name]["request"]>,
    /** Where there is a standby: for what reads much. */
    standby?: Ask,
  ) => Promise<unknown>;
};

export function makeAnswers(dependencies: AnswerDependencies): Answers {
  return { ...aboutTheMember(dependencies), ...aboutLeads, ...aboutTheTeam(dependencies), ...aboutCampaigns };
}

const done = { done: true } as const;
const thenDone = async (act: Promise<unknown>) => {
  await act;
  return done;
};
const doneOr = async (refused: string, act: Promise<boolean>) => ((await act) ? done : { refused });

const aboutTheMember = ({ passkeys, companyIssuer, provider }: AnswerDependencies) =>
  ({
    me: async (ask) => ({ ...(await sessions.me(ask)), provider }),
    "call-scripts": async () => callScripts,
    "keep-alive": (ask, { lead }) => thenDone(sessions.keepAlive(ask, lead)),
    lock: (ask) => thenDone(sessions.lockSession(ask)),
    "sign-out": (ask) => thenDone(sessions.signOut(ask)),
    passkeys: (ask) => sessions.passkeys(ask),
    "passkeys/options": async (ask) => ({
      options: await passkeys.creationOptions(await sessions.challengeToAddPasskey(ask)),
    }),
    "passkeys/add": async (ask, { credential, label = "" }) => {
      const { challenge, passkey } = await passkeys.checkNew(credential);
      return thenDone(sessions.addPasskey(ask, challenge, passkey, label));
    },
    "passkeys/remove": (ask, { id }) => doneOr("last one", sessions.removePasskey(ask, id, companyIssuer)),
  }) satisfies Partial<Answers>;

const aboutLeads = {
  queue: (ask, { filter, ...page }) => work.queue(ask, filter, page),
  search: (ask, { text, filter, ...page }) => work.search(ask, text, filter, page),
  rows: (ask, { ids }) => work.rows(ask, ids),
  "newest-lead": (ask) => work.newestLead(ask),
  "take-next": (ask) => work.takeNext(ask),
  claim: (ask, { id }) => work.claim(ask, id),
  release: (ask, { id }) => thenDone(work.release(ask, id)),
  open: (ask, { id }) => work.openLead(ask, id),
  opened: (ask, { entry }) => work.openedLead(ask, entry),
  "health-answers": (ask, { id }) => work.openHealthAnswers(ask, id),
  call: (ask, { id, asked_for_this_time = false }) => work.startCall(ask, id, asked_for_this_time),
  outcome: (ask, recorded) => work.recordOutcome(ask, recorded),
  "undo-outcome": async (ask, { outcome_id }) => {
    const refused = await work.undoOutcome(ask, outcome_id);
    return refused ? { refused } : done;
  },
  "eligibility-check": (ask, { id, answers }) => work.recordEligibility(ask, id, answers),
  stop: (ask, { id }) => work.stopLead(ask, id),
  "stop-number": (ask, { phone }) => work.stopNumber(ask, phone),
  "stop-proof": (ask, { id }) => work.stopProof(ask, id),
} satisfies Partial<Answers>;

const aboutTheTeam = ({ inboxUrl, companyIssuer }: AnswerDependencies) =>
  ({
    members: async (ask) => ({ members: await managing.members(ask, companyIssuer) }),
    "members/invite": async (ask, { name, role }) =>
      linkIn(inboxUrl, await managing.inviteMember(ask, name, role)),
    "members/recover": async (ask, { id }) => linkIn(inboxUrl, await managing.recoverMember(ask, id)),
    "members/remove": (ask, { id }) => doneOr("yourself", managing.removeMember(ask, id)),
    "take-back": (ask, { id, member }) => thenDone(managing.takeBack(ask, id, member)),
    export: async (ask, period) => ({
      name: `leads-${period.since}-${period.until}.csv`,
      address: addressOf("leads", await managing.recordExport(ask, period)),
    }),
    erase: (ask, { id, reference }) => doneOr("another reference", managing.eraseLead(ask, id, reference)),
    reports: (ask, period, standby) => managing.reports(ask, period, standby),
    audit: (ask, { filter = {}, after }) => managing.auditLog(ask, filter, after ?? null, 100),
    "audit/export": async (ask, { filter = {} }) => ({
      name: "audit-log.csv",
      address: addressOf("audit-log", await managing.recordAuditExport(ask, filter)),
    }),
    "paused-states": (ask) => managing.pausedStates(ask),
    "pause-state": (ask, { state, reason }) => thenDone(managing.pauseState(ask, state, reason)),
    "resume-state": (ask, { state }) => thenDone(managing.resumeState(ask, state)),
    health: async (ask) => {
      const health = await managing.health(ask);
      return { ...health, ok: health.problems.length === 0 };
    },
    alert: (ask) => managing.alert(ask),
    "retry-deliveries": async (ask) => ({ deliveries: await managing.retryFailedDeliveries(ask) }),
  }) satisfies Partial<Answers>;

const aboutCampaigns = {
  campaigns: (ask, period, standby) => campaignReport(ask, period, standby),
  "campaigns/costs": async (ask, { csv }) => {
    const read = readCostsCsv(csv);
    if (!("problems" in read)) {
      const result = await recordCostsAs(ask, read.costs);
      return "problem" in result ? { problems: [result.problem] } : result;
    }
    await requireRightToCosts(ask);
    const shown = read.problems.slice(0, 20).map(({ line, problem }) => `Line ${line}: ${problem}`);
    const others = read.problems.length - shown.length;
    return { problems: [...shown, ...(others > 0 ? [`And ${others} more.`] : [])] };
  },
  experiments: async (ask, _, standby) => ({ experiments: await experiments(ask, standby) }),
} satisfies Partial<Answers>;

const linkIn = (inboxUrl: string, invitation: managing.Invitation) => ({
  link: managing.linkOf(inboxUrl, invitation),
  expires_at: invitation.expires_at,
  member_id: invitation.member_id,
});

const callScripts = Object.fromEntries(languageCodes.map((code) => [code, textsIn(code).callScripts]));
