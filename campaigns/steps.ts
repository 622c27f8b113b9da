// The steps of a page load that are counted, and the kinds of device, as private.page_counts lists them.

/**
 * The steps that a browser reports, each at most once a page load. A browser without scripts reports some of them, by an
 * image on the page and by the post of the form. A reload of the page and a return to the page do not count as views.
 */
export const browserSteps = [
  "view",
  "reload",
  "return",
  "half_read",
  "form_seen",
  "began",
  "pressed",
] as const;

export type BrowserStep = (typeof browserSteps)[number];

/** All steps. The server itself counts two: a document that it served, and one that a browser fetched in case its reader opens the page. */
export type Step = BrowserStep | "served" | "prefetched";

/** "no-script" is a browser that runs no script, whichever device it is on. */
export type Device = "phone" | "tablet" | "computer" | "no-script" | "bot" | "unknown";
