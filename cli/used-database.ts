// What a database holds already that `leads restore` or `leads move` would replace, as their refusals say it.
import type { UsedDatabase } from "../team/held-rows.ts";
import { counted } from "./command.ts";

/** Such as "2 leads, counts of page loads and work of the team". */
export const heldBy = ({ held: { leads, others } }: UsedDatabase): string =>
  new Intl.ListFormat("en-GB").format([...(leads > 0 ? [counted(leads, "lead")] : []), ...others]);
