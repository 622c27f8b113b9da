// The script of the form: React takes over the form that is already there and working.
import { useEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { asRendered } from "./form-attributes.ts";
import { LeadForm, type LeadFormProps } from "./lead-form.tsx";

/** Makes the form in `root` answer without a page load. What was typed, ticked and focused stays. */
export function hydrateForm(root: HTMLElement): void {
  hydrateRoot(root, <ReadyForm root={root} {...asRendered(root)} />);
}

/** Marks the root with `data-ready` once the form's script handles the form, for tests and for monitoring. */
function ReadyForm({ root, ...props }: LeadFormProps & { root: HTMLElement }) {
  useEffect(() => {
    root.dataset.ready = "";
  }, [root]);
  return <LeadForm {...props} />;
}
