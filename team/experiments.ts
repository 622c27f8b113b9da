// What the experiments with the article have brought, for a manager in the inbox or the operator by command. The results have
// the fields of the inbox's API (inbox/api-campaigns.ts).
import { type CountedExperiment, type ExperimentResult, resultOf } from "../campaigns/experiment-results.ts";
import type { Ask } from "./ask.ts";
import { askToRead } from "./standby.ts";

/** Every experiment, the newest first. */
export async function experiments(ask: Ask, standby?: Ask): Promise<ExperimentResult[]> {
  const read = askToRead(
    ask,
    standby,
    "read experiments",
    {},
    (sql, entry) => sql`team.experiments(${entry})`,
  );
  const counted = (await read) as CountedExperiment[];
  return counted.map(resultOf);
}
