// The counting script, fetched once the page is painted and loaded. It reports which steps this page load reached, each once, and how
// quick the page was. It keeps that in variables only. It reads no cookie, storage or id, and of the address only the ad's three words.
import { bucketOf, type Vital } from "../campaigns/vital-buckets.ts";

const root = document.getElementById("lead-form") as HTMLElement;
// The address holds an ad network's click id as well, which no count may have.
const words = location.search.match(/[?&]utm_(source|medium|campaign)=[^?&]{0,200}/g) ?? [];

type Navigation = PerformanceNavigationTiming & { activationStart?: number };
// Before iOS 15.1 iPhones give no entry, so each page load is a view there.
const [{ type, activationStart = 0 } = {}] = performance.getEntriesByType(
  "navigation",
) as Partial<Navigation>[];
const kind = { reload: "reload", back_forward: "return" }[type as string] ?? "view";

const reached: Record<string, number> = {};
let unsent: string[] = [];
const vitals: Partial<Record<Vital, number>> = {};
let isMeasured = false;

function report(step: string): void {
  // Steps of the same moment share a beacon.
  if (!reached[step] && (reached[step] = unsent.push(step)) === 1) setTimeout(send);
}

function send(): void {
  let fields = unsent[0] ? `&steps=${unsent.join(".")}` : "";
  unsent = [];
  if (document.hidden && !isMeasured) {
    isMeasured = true;
    for (const vital in vitals)
      fields += `&${vital}=${bucketOf(vital as Vital, vitals[vital as Vital] as number)}`;
  }
  // Not sendBeacon, which would send the referrer, with the click id in it, and whatever cookies other pages of this site have set.
  if (fields)
    fetch(root.dataset.beacon as string, {
      method: "POST",
      body: [fields.slice(1), ...words].join(""),
      keepalive: true,
      credentials: "omit",
      referrerPolicy: "no-referrer",
    }).catch(() => {});
}

// A page that opens in a hidden tab counts only once it is shown.
if (!document.hidden) report(kind);
document.addEventListener("visibilitychange", () => (document.hidden ? send() : report(kind)));
addEventListener("pageshow", ({ persisted }) => persisted && report("return"));
root.addEventListener("input", () => report("began"));
root.addEventListener(
  "click",
  ({ target }) => (target as HTMLButtonElement).type === "submit" && report("pressed"),
);

// Not after a reload or a return, when the browser itself scrolls to where the reader was.
if (kind === "view") {
  new IntersectionObserver(([entry]) => entry?.isIntersecting && report("form_seen")).observe(root);
  // A reader who followed a link to the form or a field has not read the half above it. An ad's link may
  // have a fragment that names no element; then the page begins at its top, and the step counts.
  addEventListener("scroll", () => {
    const { top, height } = (root.closest("article") as HTMLElement).getBoundingClientRect();
    if (!document.querySelector(":target") && top + height / 2 < innerHeight) report("half_read");
  });
}

type Entry = PerformanceEntry & { hadRecentInput?: boolean; value: number; interactionId?: number };
const observe = (type: string, see: (entry: Entry) => void) =>
  new PerformanceObserver((list) => (list.getEntries() as Entry[]).forEach(see)).observe({
    type,
    buffered: true,
    // The minimum, in milliseconds; by default an observer gets slow interactions only.
    durationThreshold: 16,
  } as PerformanceObserverInit);

observe("largest-contentful-paint", ({ startTime }) => {
  vitals.lcp = startTime - activationStart;
});
// Adds up all layout shifts of the page load. The sum is never less than CLS, which counts the worst five seconds only.
if ("LayoutShift" in self) vitals.cls = 0;
observe("layout-shift", ({ hadRecentInput, value }) => {
  if (!hadRecentInput) vitals.cls = (vitals.cls as number) + value;
});
observe("event", ({ interactionId, duration }) => {
  if (interactionId) vitals.inp = Math.max(vitals.inp ?? 0, duration);
});
