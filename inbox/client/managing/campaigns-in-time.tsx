// When readers come: loads and leads by day, and by weekday and hour as a table with shaded cells.
import { useState } from "react";
import type { Campaigns } from "../../api-campaigns.ts";
import { Chips } from "../page/chips.tsx";
import { HoursTable, nameOfWeekday } from "./report-pictures.tsx";
import { ReportSection } from "./report-section.tsx";

const countedKinds = [
  ["views", "Loads"],
  ["stored", "Leads"],
] as const;

const daysOfUtc =
  "Loads older than eight days are kept by the day of UTC. Where those days end and the days of your own time begin, one day may have more or fewer than 24 hours of loads.";
const allLeads = "Leads are all that were stored, those of bots too.";
const eightDays =
  "Loads are those of the last eight days, because older ones are kept by the day alone. Leads are those of the whole period.";

export function CampaignsInTime({ days, hours }: Pick<Campaigns, "days" | "hours">) {
  const [what, setWhat] = useState<(typeof countedKinds)[number][0]>("views");
  const name = countedKinds.find(([kind]) => kind === what)?.[1] ?? "";
  return (
    <>
      <ReportSection
        title="By day"
        file="campaign-days"
        columns={["Day", "Loads", "Pressed the button", "Leads"]}
        lines={days.map(({ day, views, pressed, stored }) => [day, views, pressed, stored])}
        notes={[daysOfUtc, allLeads]}
      />
      <ReportSection
        title="By hour and weekday"
        file="campaign-hours"
        columns={["Weekday", "Hour", "Loads", "Leads"]}
        lines={hours.map(({ weekday, hour, views, stored }) => [nameOfWeekday(weekday), hour, views, stored])}
        notes={[eightDays, allLeads]}
        isFolded
      >
        <Chips
          label="What is counted"
          options={countedKinds}
          isChosen={(kind) => kind === what}
          onChoose={setWhat}
        />
        <HoursTable hours={hours} what={what} name={name} />
      </ReportSection>
    </>
  );
}
