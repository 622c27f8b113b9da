// The permission notice: the words that stand next to the button, which pressing it agrees to. The page shows
// them and the database keeps them with each lead, under the hash of the text, so they live here once.
// Deno reads this file too: it imports nothing that runs.
import type { Provider } from "./provider.ts";

/** The exact words. A call about a covered item needs the provider's name, the item and the number (42 CFR 424.57(c)(11)). */
export const permissionNotice = ({ name, phone }: Pick<Provider, "name" | "phone">): string =>
  `When you press this button, you allow ${name} to call you at the number you gave, about a continuous glucose monitor. ` +
  `You do not have to agree in order to buy anything. To take this back, call ${phone} and say: please stop calling me.`;
