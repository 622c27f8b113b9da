// When readers come: loads and leads by day, and by weekday and hour as a table with shaded cells.
import { useState } from "react";
import type { Campaigns } from "../../api-campaigns.ts";
import { Chips } from "../page/chips.tsx";
import { HoursTable, nameOfWeekday } from "./report-pictures.tsx";
import { ReportSection } from "./report-section.tsx";

const kinds = [
  ["views", "Loads"],
  ["stored", "Leads"],
] as const;

export function CampaignsInTime({ days, hours }: Pick<Campaigns, "days" | "hours">) {
  const [what, setWhat] = useState<(typeof kinds)[number][0]>("views");
  const name = kinds.find(([kind]) => kind === what)?.[1] ?? "";
  return (
    <>
      <ReportSection
        title="By day"
        file="campaign-days"
        columns={["Day", "Loads", "Pressed the button", "Leads"]}
        lines={days.map(({ day, views, pressed, stored }) => [day, views, pressed, stored])}
      >
        <p className="quiet">Leads by day and by hour are all that were stored, those of bots too.</p>
      </ReportSection>
      <ReportSection
        title="By hour and weekday"
        file="campaign-hours"
        columns={["Weekday", "Hour", "Loads", "Leads"]}
        lines={hours.map(({ weekday, hour, views, stored }) => [nameOfWeekday(weekday), hour, views, stored])}
        isFolded
      >
        <Chips label="Of" options={kinds} isChosen={(kind) => kind === what} onChoose={setWhat} />
        <HoursTable hours={hours} what={what} name={name} />
        <p className="quiet">
          Loads are kept by the hour for eight days; older ones count in the days alone.
        </p>
      </ReportSection>
    </>
  );
}
