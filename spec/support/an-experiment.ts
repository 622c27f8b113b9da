// An experiment as a provider would write it, with the differences that a test wants.
import type { Approved, Experiment } from "../../content/experiment.ts";

export const approved = <Shown>(
  shows: Shown,
  differences: Partial<Approved<Shown>> = {},
): Approved<Shown> => ({
  shows,
  substantiation: "The sensor shows a number at any time.",
  source: "niddk",
  approvedBy: "Ann Lee, compliance",
  approvedOn: "2026-11-01",
  ...differences,
});

export const anExperiment = (differences: Partial<Experiment> = {}): Experiment => ({
  variant: "fewer-finger-sticks",
  language: "en",
  changes: { headline: approved("Fewer Finger-Sticks for Seniors") },
  startedOn: "2026-11-10",
  plan: { rate: 0.02, lift: 0.3 },
  ...differences,
});
