// What the form's root tells the form's script: the attributes that the server writes and the script reads
// back, so that React finds exactly the form that the page already shows.
import { type Lead, leadFromForm } from "../lead/lead.ts";
import type { LeadFormProps } from "./lead-form.tsx";

/** The attributes of the form's root. */
export const formAttributes = ({ backend, provider }: Pick<LeadFormProps, "backend" | "provider">) => ({
  "data-backend-url": backend.url,
  "data-backend-key": backend.key,
  "data-provider-name": provider.name,
  "data-provider-phone": provider.phone,
});

/** The counterpart of `formAttributes`: the form's properties as they were when the server rendered it. */
export function asRendered(root: HTMLElement): LeadFormProps {
  const told = (name: string) => root.dataset[name] ?? "";
  const message = root.querySelector(".banner .message")?.textContent;
  return {
    backend: { url: told("backendUrl"), key: told("backendKey") },
    provider: { name: told("providerName"), phone: told("providerPhone") },
    notice: {
      text: root.querySelector(".notice")?.textContent ?? "",
      hash: root.querySelector<HTMLInputElement>("[name=notice]")?.value ?? "",
    },
    refused: message ? { lead: leadAsRendered(root), message } : undefined,
  };
}

/** The values that stand in the page's HTML, not those that the visitor has typed since. */
function leadAsRendered(root: HTMLElement): Lead {
  const inputs = [...root.querySelectorAll("input")];
  const written = inputs.filter((input) => input.type !== "checkbox" || input.defaultChecked);
  const values = new Map(written.map((input) => [input.name, input.defaultValue]));
  return leadFromForm({ get: (name) => values.get(name) ?? null });
}
