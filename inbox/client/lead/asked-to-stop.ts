// Whether a person asked us to stop.
import type { Lead } from "./lead-page.tsx";

/** Whether they withdrew the permission of this lead, or their number is on the stop list. */
export const hasAskedToStop = ({ withdrawn, stopped_at }: Lead): boolean => withdrawn || stopped_at !== null;
