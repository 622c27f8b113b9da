// What a colleague and a manager do meanwhile in bench/inbox-walk.ts, through the API.
import { noAnswers } from "../inbox/client/lead/eligibility-questions.ts";
import type { TestMember } from "../spec/support/inbox.ts";
import type { Random } from "./inbox-walk-random.ts";

/** How often each is done. */
const weights = {
  open: 1,
  claim: 2,
  release: 2,
  call: 2,
  outcome: 3,
  "take back": 2,
  "eligibility check": 1.5,
  stop: 1,
  erase: 0.4,
  pause: 0.7,
  resume: 1,
};

/** Does something with a lead, or pauses or resumes a state, and returns what. */
export async function actMeanwhile(
  { dana, lee, maria, random }: Record<"dana" | "lee" | "maria", TestMember> & { random: Random },
  id: string,
): Promise<keyof typeof weights> {
  const acts = {
    open: () => lee.call("open", { id }),
    claim: () => lee.call("claim", { id }),
    release: () => lee.call("release", { id }),
    call: () => callAndPerhapsRecord(lee, random, id),
    outcome: () =>
      lee.call("outcome", { id, call_id: null, outcome: random.of(["likely_qualifies", "not_interested"]) }),
    "take back": () => maria.call("take-back", { id, member: random.of([dana, lee]).id }),
    "eligibility check": () =>
      lee.call("eligibility-check", { id, answers: { ...noAnswers, prescriber: "Dr. Lee" } }),
    stop: () => lee.call("stop", { id }),
    erase: () => maria.call("erase", { id, reference: id.slice(-8) }),
    pause: () => maria.call("pause-state", { state: "VT", reason: "A hurricane" }),
    resume: () => maria.call("resume-state", { state: "VT" }),
  };
  const act = random.weighed(weights);
  await acts[act]();
  return act;
}

async function callAndPerhapsRecord(lee: TestMember, random: Random, id: string): Promise<void> {
  const { body } = await lee.call("call", { id });
  if (body && "call_id" in body && random.chance(0.5))
    await lee.call("outcome", {
      id,
      call_id: body.call_id,
      outcome: random.of(["no_answer", "likely_qualifies"]),
    });
}
