// The permission notice: the words that stand above the form's button, which sending the form agrees to. The page shows
// them and states their hash with each lead, and the database keeps them under it: here both are made, once.
import { createHash } from "node:crypto";
import type { Provider } from "./provider.ts";

/** One wording of the notice. */
export interface PermissionNotice {
  /** The language it is in, as the page's `lang` says it. */
  language: string;
  /** The exact words, as the page shows them and the database keeps them. */
  text: string;
  /** SHA-256 of the text in UTF-8, in lower-case hex. */
  hash: string;
}

/** The notice of this provider. A call about a covered item needs the provider's name, the item and the number (42 CFR 424.57(c)(11)). */
export function permissionNotice({ name, phone }: Pick<Provider, "name" | "phone">): PermissionNotice {
  const text =
    `When you press this button, you allow ${name} to call you at the number you gave, about a continuous glucose monitor. ` +
    `You do not have to agree in order to buy anything. To take this back, call ${phone} and say: please stop calling me.`;
  return { language: "en", text, hash: createHash("sha256").update(text).digest("hex") };
}
