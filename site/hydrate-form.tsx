// The one file of script that the page may fetch: React takes over the form that is already there and working.
import { hydrateRoot } from "react-dom/client";
import { asRendered } from "./form-attributes.ts";
import { LeadForm } from "./lead-form.tsx";

/** Makes the form in `root` answer without a page load. What was typed, ticked and focused stays. */
export function hydrateForm(root: HTMLElement): void {
  hydrateRoot(root, <LeadForm {...asRendered(root)} />);
}
