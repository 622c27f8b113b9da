// The funnel: how many page loads came how far, from the first look to a lead that likely qualifies, and how many were lost at each step.
import { useState } from "react";
import type { Campaigns } from "../../api-campaigns.ts";
import { type CampaignLine, fullCampaignName } from "./campaign-words.ts";
import { BarsPicture } from "./report-pictures.tsx";
import { ReportSection } from "./report-section.tsx";

const steps = [
  ["views", "Saw the page"],
  ["half_read", "Read half of it"],
  ["form_seen", "Saw the form"],
  ["began", "Began to fill it in"],
  ["pressed", "Pressed the button"],
  ["stored", "Lead stored"],
  ["reviewed", "Reviewed"],
  ["qualified", "Likely qualifies"],
] as const;

type Step = (typeof steps)[number][0];

export function CampaignFunnel({ campaigns }: Pick<Campaigns, "campaigns">) {
  const [chosen, setChosen] = useState("");
  const keyOf = (line: CampaignLine) => JSON.stringify([line.source, line.medium, line.campaign]);
  const one = campaigns.find((line) => keyOf(line) === chosen);
  const shown = one ? [one] : campaigns;
  const sum = (step: Step) => shown.reduce((all, line) => all + line[step], 0);
  const counts = steps.map(([step, name]) => [name, sum(step)] as const);
  const lines = counts.map(([name, here], nth) => {
    const before = counts[nth - 1]?.[1] ?? 0;
    return [
      name,
      here,
      share(here, counts[0]?.[1] ?? 0),
      Math.max(0, before - here),
      share(before - here, before),
    ];
  });
  return (
    <ReportSection
      title="From a look to a lead"
      file="funnel"
      columns={["Step", "Count", "Of the loads", "Lost here", "Lost here, %"]}
      lines={campaigns.length === 0 ? [] : lines}
      notes={[
        one ? `Of one campaign alone: ${fullCampaignName(one)}.` : "Of all campaigns.",
        "In the last two steps, leads that still wait for a review or an outcome count as lost.",
      ]}
    >
      <label className="field no-print">
        Campaign
        <select value={one ? chosen : ""} onChange={({ target }) => setChosen(target.value)}>
          <option value="">All campaigns</option>
          {campaigns.map((line) => (
            <option key={keyOf(line)} value={keyOf(line)}>
              {fullCampaignName(line)}
            </option>
          ))}
        </select>
      </label>
      <BarsPicture parts={counts} />
    </ReportSection>
  );
}

/**
 * A share in percent: "0%" only for none, and "100%" only for all or more. It is empty where the whole is 0, and for a loss below 0: more
 * loads came to this step than to the one before (a reader may see the form first).
 */
function share(part: number, whole: number): string {
  if (whole <= 0 || part < 0) return "";
  if (part === 0 || part >= whole) return part === 0 ? "0%" : `${Math.round((100 * part) / whole)}%`;
  if (part / whole < 0.0005) return "under 0.1%";
  return part / whole < 0.1
    ? `${((100 * part) / whole).toFixed(1)}%`
    : `${Math.min(Math.round((100 * part) / whole), 99)}%`;
}
