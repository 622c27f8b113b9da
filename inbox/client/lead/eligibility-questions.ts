// The questions of the eligibility check, and the words for its results. The rules are those of LCD L33822 and article A52464, read
// on 2026-11-21; the database decides (private.eligibility). The result is never "approved": only Medicare approves.
import type { RequestOf, ResponseOf } from "../../api.ts";

export type Answers = RequestOf<"eligibility-check">["answers"];
export type Result = ResponseOf<"eligibility-check">["result"];

export const noAnswers: Answers = {
  diabetes: "unknown",
  insulin: "unknown",
  recurrent_lows: "unknown",
  low_with_help: "unknown",
  visit_on: null,
  visit_planned: "unknown",
  trained: "unknown",
  plan: "unknown",
  prescriber: "",
};

export type YesNoName =
  | "diabetes"
  | "insulin"
  | "recurrent_lows"
  | "low_with_help"
  | "visit_planned"
  | "trained";

/** The questions before the one about the last visit. `afterVisit` has those after it; the prescriber and the plan are asked last. */
export const beforeVisit: readonly (readonly [YesNoName, string])[] = [
  ["diabetes", "Has a doctor told you that you have diabetes?"],
  ["insulin", "Do you use insulin of any kind?"],
  ["recurrent_lows", "Lows under 54 again and again, though the treatment was changed more than once?"],
  ["low_with_help", "A low so bad that another person had to help?"],
];
export const afterVisit: readonly (readonly [YesNoName, string])[] = [
  ["visit_planned", "If none lately: is one planned?"],
  ["trained", "Can you, or somebody with you, be shown how to use the device?"],
];

export const plans: readonly (readonly [Answers["plan"], string])[] = [
  ["part_b", "Medicare Part B"],
  ["advantage", "Medicare Advantage"],
  ["none", "Neither"],
  ["unknown", "Not known"],
];

export const resultNames: Readonly<Record<Result, string>> = {
  likely: "Likely",
  needs_visit: "Needs a visit first",
  not_now: "Not now",
};

export const reasonNames: Readonly<Record<string, string>> = {
  "no diabetes": "No diagnosis of diabetes.",
  "diabetes not known": "Whether there is a diagnosis of diabetes is not known.",
  "no insulin and no problematic lows": "No insulin, and no lows of the kind that count.",
  "insulin and lows not known": "Whether there is insulin, or lows of the kind that count, is not known.",
  "no Part B": "No Medicare Part B or Advantage plan.",
  "plan not known": "The plan is not known.",
  "visit is planned": "A visit within the last 6 months is needed; one is planned.",
  "visit is in the future":
    "The day of the last visit has not come yet. Correct it, or say below it that a visit is planned.",
  "no visit within 6 months": "A visit about diabetes within the last 6 months is needed first.",
  "Advantage plan has its own rules": "The Advantage plan has its own rules: it decides.",
  "somebody has to be trained": "Somebody has to be shown how to use the device.",
  "training not known": "Ask who can be shown how to use the device.",
  "prescriber not known": "Ask who would prescribe it.",
};

export const yesNoAnswers: readonly (readonly [Answers["diabetes"], string])[] = [
  ["yes", "Yes"],
  ["no", "No"],
  ["unknown", "Not known"],
];
