// What the page passes to the form's script: attributes that the server writes on the form's root and the script reads back, so
// that React renders exactly the form that the page already shows.
import type { FormTexts } from "../content/language.ts";
import { type Lead, leadFromForm } from "../lead/lead.ts";
import type { LeadFormProps } from "./lead-form.tsx";

/** The texts of the form that its script needs, and the sentences for refusals in the language of the page. */
export type ScriptTexts = Omit<FormTexts, "heading" | "opening" | "usualNeeds" | "helping" | "stars"> & {
  /** The page's own sentence for each sentence that the backend sends. Empty where the page shows them as they are sent. */
  refusals: Readonly<Record<string, string>>;
};

/** The attributes of the form's root. */
export const formAttributes = ({ backend, phone, texts, thankYouPath }: LeadFormProps) => ({
  "data-backend-url": backend.url,
  "data-backend-key": backend.key,
  "data-phone": phone,
  "data-thank-you": thankYouPath,
  "data-texts": JSON.stringify(texts),
});

/** The texts that `formAttributes` wrote. */
export const textsOf = (root: HTMLElement): ScriptTexts => JSON.parse(root.dataset.texts ?? "{}");

/** The counterpart of `formAttributes`: the form's properties as they were when the server rendered it. */
export function asRendered(root: HTMLElement): LeadFormProps {
  const { backendUrl: url = "", backendKey: key = "", phone = "", thankYou = "" } = root.dataset;
  const hidden = (name: string) => root.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? "";
  const message = root.querySelector(".banner .message")?.textContent;
  const invalid = root.querySelector<HTMLInputElement>("[aria-invalid]")?.name as keyof Lead | undefined;
  return {
    backend: { url, key },
    phone,
    language: hidden("language"),
    thankYouPath: thankYou,
    texts: textsOf(root),
    counting: root.dataset.count !== undefined,
    notice: { text: root.querySelector(".notice")?.textContent ?? "", hash: hidden("notice") },
    variant: hidden("variant") || undefined,
    refused: message
      ? {
          lead: leadAsRendered(root),
          message,
          field: invalid,
          campaign: hidden("campaign"),
          isWithoutScript: hidden("script") !== "",
        }
      : undefined,
  };
}

/** The values that stand in the page's HTML, not those that the visitor has typed since. */
function leadAsRendered(root: HTMLElement): Lead {
  const inputs = [...root.querySelectorAll("input")];
  const written = inputs.filter((input) => input.type !== "checkbox" || input.defaultChecked);
  const values = new Map(written.map((input) => [input.name, input.defaultValue]));
  return leadFromForm({ get: (name) => values.get(name) ?? null });
}
