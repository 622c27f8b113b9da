// Lets a wide table scroll in its own box, so that the page never scrolls sideways. The box takes the keyboard's focus.
import type { ReactNode } from "react";

export function ScrollingTable({ name, children }: { name: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by a keyboard (WCAG 2.1.1).
    <div role="group" className="table-scroll" aria-label={name} tabIndex={0}>
      {children}
    </div>
  );
}
