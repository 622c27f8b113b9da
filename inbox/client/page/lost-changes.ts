// Changes that failed, or may have failed, after the member had left the page that would have said so.
import type { CallName } from "../../api.ts";
import { announce } from "./announcer.tsx";
import { makeSharedValue } from "./shared-value.ts";

export interface LostChange {
  nth: number;
  /** What became of it, in a sentence: "The stop was not recorded." */
  says: string;
  /** Whether it may have been made, because no answer came. */
  mayBeDone: boolean;
  /** The lead that it was about, if it was about one. */
  lead: string | undefined;
}

export const lostChanges = makeSharedValue<readonly LostChange[]>(() => []);
let count = 0;

type Names = Partial<Record<CallName, string>>;

/** Changes to a lead of which a member must know whether they were made. The `id` in their requests is the lead's. */
const changesToLead: Names = {
  stop: "The stop",
  outcome: "The outcome",
  "eligibility-check": "The eligibility check",
  release: "“Let it go”",
  "take-back": "Taking the lead back",
  erase: "The erasure",
};

/** Other such changes. An `id` in their requests is not a lead's. */
const otherChanges: Names = {
  "stop-number": "The stop of a number",
  "undo-outcome": "The undo",
  "members/invite": "The invitation",
  "members/recover": "The new link for a member",
  "members/remove": "The removal of a member",
  "passkeys/remove": "The removal of a passkey",
  "pause-state": "The pause",
  "resume-state": "The end of the pause",
};

/** Tells of such a change on every page, until the member has seen it. */
export function reportLostChange(
  name: CallName,
  request: object,
  { mayBeDone }: { mayBeDone: boolean },
): void {
  const ofLead = changesToLead[name];
  const what = ofLead ?? otherChanges[name];
  if (what === undefined) return;
  const lead = ofLead && "id" in request && typeof request.id === "string" ? request.id : undefined;
  count += 1;
  const says = `${what} ${mayBeDone ? "may not have been" : "was not"} recorded.`;
  lostChanges.set([...lostChanges.get(), { nth: count, says, mayBeDone, lead }]);
  announce(says);
}

export const forgetLostChange = ({ nth }: LostChange): void =>
  lostChanges.set(lostChanges.get().filter((one) => one.nth !== nth));

/** After a sign-out, because another member may sign in. */
export const forgetLostChanges = (): void => lostChanges.set([]);
