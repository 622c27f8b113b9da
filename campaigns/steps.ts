// The steps of a page load that are counted, and the kinds of device, as private.page_counts lists them.

/** Steps that a browser tells of, or the server for a browser without scripts, each at most once a page load. A reload or a return to the page is no view. */
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

/** With those that the server sees: a document served, and one that a browser fetched in case its reader wants it. */
export type Step = BrowserStep | "served" | "prefetched";

/** "no-script" is a browser that runs no script, whichever device it is on. */
export type Device = "phone" | "tablet" | "computer" | "no-script" | "bot" | "unknown";
