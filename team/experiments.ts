// What the experiments with the article have brought, for a manager in the inbox or the operator by command. The answers are those of
// the inbox's API (inbox/api-campaigns.ts).
import { type CountedExperiment, type ExperimentResult, resultOf } from "../campaigns/experiment-results.ts";
import type { Ask } from "./ask.ts";

/** Every experiment, the newest first. */
export async function experiments(ask: Ask): Promise<ExperimentResult[]> {
  const counted = (await ask((sql) => sql`team.experiments()`)) as CountedExperiment[];
  return counted.map(resultOf);
}
