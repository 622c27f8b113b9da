// On which kind of device the pages were seen, and what the server sent that no reader saw: to bots, and pages fetched ahead.
import type { Campaigns } from "../../api-campaigns.ts";
import { ReportSection } from "./report-section.tsx";

const names: Record<string, string> = {
  phone: "Phone",
  tablet: "Tablet",
  computer: "Computer",
  "no-script": "A browser without scripts",
  bot: "Known bot",
  unknown: "Unknown",
};

export function DevicesReport({ devices }: Pick<Campaigns, "devices">) {
  return (
    <ReportSection
      title="By device"
      file="campaign-devices"
      columns={["Device", "Loads", "Reloads", "Returns", "Leads", "Pages sent", "Sent ahead"]}
      lines={devices.map(({ device, views, reloaded, returned, stored, served, prefetched }) => [
        names[device] ?? device,
        ...[views, reloaded, returned, stored, served, prefetched],
      ])}
      notes={[
        "Pages sent are those that left the server, whoever asked, but for those “sent ahead”, which a browser said that it fetches before a tap. Apps fetch pages without saying so, and bots read them.",
        "Of a browser without scripts the look, the press of the button and the lead are counted. How far it was read is not known.",
      ]}
    />
  );
}
