// The permission notice: the words that stand next to the button, which pressing it agrees to. The page shows
// them and the database keeps them with each lead, so they live here once, and the version changes with them.
// Deno reads this file too: it imports nothing that runs.
import type { Provider } from "./provider.ts";

/** Changes with every change of the wording below, in the same commit. */
export const permissionVersion = "2026-11-21";

/** The exact words. A call about a covered item needs the provider's name, the item and the number (42 CFR 424.57(c)(11)). */
export const permissionNotice = ({ name, phone }: Pick<Provider, "name" | "phone">): string =>
  `When you press this button, you allow ${name} to call you at the number you gave, about a continuous glucose monitor. ` +
  `You do not have to agree in order to buy anything. To take this back, call ${phone} and say: please stop calling me.`;
