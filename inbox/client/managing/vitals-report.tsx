// The web vitals of real page loads: in which bucket each load was, and how many were good.

import type { Campaigns } from "../../api-campaigns.ts";
import { count } from "../page/words.ts";
import { BarsPicture } from "./report-pictures.tsx";
import { ReportSection } from "./report-section.tsx";

type VitalCounts = Campaigns["vitals"][number];

/** "Good" is as web.dev/articles/vitals has it. */
const vitalNames = {
  lcp: { name: "Largest picture or text painted", good: 2_500, unit: "s" },
  inp: { name: "Slowest answer to a tap or key", good: 200, unit: "ms" },
  cls: { name: "Layout shift", good: 0.1, unit: "" },
} as const;

export function VitalsReport({ vitals }: Pick<Campaigns, "vitals">) {
  return vitals.map((one) => <VitalReport key={one.vital} vital={one} />);
}

function VitalReport({ vital: { vital, bounds, counts } }: { vital: VitalCounts }) {
  const { name, good, unit } = vitalNames[vital];
  const all = counts.reduce((sum, n) => sum + n, 0);
  const goodOnes = counts.slice(0, bounds.indexOf(good) + 1).reduce((sum, n) => sum + n, 0);
  const inWords = (bound: number) => (unit === "s" ? `${bound / 1_000} s` : `${bound} ${unit}`.trim());
  const parts = counts.map((n, bucket) => {
    const bound = bounds[bucket];
    return [
      bound === undefined ? `more than ${inWords(bounds.at(-1) ?? 0)}` : `up to ${inWords(bound)}`,
      n,
    ] as const;
  });
  return (
    <ReportSection
      title={name}
      file={`vital-${vital}`}
      columns={["Bucket", "Loads"]}
      lines={all === 0 ? [] : parts}
      isFolded
    >
      <p>
        {percentOf(goodOnes, all)}% of {count(all, "load")} {all === 1 ? "was" : "were"} good: {inWords(good)}{" "}
        or less.
      </p>
      <BarsPicture parts={parts} />
    </ReportSection>
  );
}

/** Rounded, but 100 only for all and 0 only for none, so that rounding hides no single load. */
function percentOf(part: number, all: number): number {
  if (part === 0 || part === all) return part === 0 ? 0 : 100;
  return Math.min(Math.max(Math.round((100 * part) / all), 1), 99);
}
