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
        "Pages sent are those that left the server, whoever asked: apps fetch pages before a tap, and bots read them.",
        "Without scripts only the look and the lead are counted.",
      ]}
    />
  );
}
