// Where a wide table scrolls by itself, so that the page never does. A keyboard can get in and scroll it.
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
