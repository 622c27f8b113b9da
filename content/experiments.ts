// The experiments of this site, the running one and those that ended: docs/experiments.md says how to write one. An ended one stays
// here, because leads remember its variant and the reports name it.
import type { Experiment } from "./experiment.ts";

/** While the list is empty, no experiment runs and the pages show the original. */
export const experiments: readonly Experiment[] = [];
