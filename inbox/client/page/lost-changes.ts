// Changes that were not made, or perhaps not, and of which the page that asked for them cannot say so, because the member has left it.
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

/** Changes of which a member must know whether they were made. */
const names: Partial<Record<CallName, string>> = {
  stop: "The stop",
  "stop-number": "The stop of a number",
  outcome: "The outcome",
  "undo-outcome": "The undo",
  "eligibility-check": "The eligibility check",
  release: "“Let it go”",
  "take-back": "Taking the lead back",
  erase: "The erasure",
  "members/invite": "The invitation",
  "pause-state": "The pause",
  "resume-state": "The end of the pause",
};

/** Tells of such a change on every page, until the member has seen it. */
export function reportLostChange(
  name: CallName,
  request: object,
  { mayBeDone }: { mayBeDone: boolean },
): void {
  const lead = "id" in request && typeof request.id === "string" ? request.id : undefined;
  const what = names[name];
  if (what === undefined) return;
  count += 1;
  const says = `${what} ${mayBeDone ? "may not have been" : "was not"} recorded.`;
  lostChanges.set([...lostChanges.get(), { nth: count, says, mayBeDone, lead }]);
  announce(says);
}

export const forgetLostChange = ({ nth }: LostChange): void =>
  lostChanges.set(lostChanges.get().filter((one) => one.nth !== nth));

/** After a sign-out, because another member may sign in. */
export const forgetLostChanges = (): void => lostChanges.set([]);
