// Whether a person asked us to stop.
import type { Lead } from "./lead-page.tsx";

/** Whether they withdrew the permission of this lead, or their number was put on the stop list after this lead came. */
export const hasAskedToStop = ({ withdrawn, stopped_at }: Lead): boolean => withdrawn || stopped_at !== null;
