// On which kind of device the pages were seen, and how many pages the server sent: to anybody, bots too, and to browsers that fetch ahead.
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
        views,
        reloaded,
        returned,
        stored,
        served,
        prefetched,
      ])}
      notes={[
        "“Pages sent” counts how often the server sent the article, also to bots, and to apps that fetch it without saying so.",
        "“Sent ahead” counts the pages that a browser fetched before a tap, and said so. “Pages sent” leaves them out.",
        "Of a browser without scripts, loads, presses of the button and leads are counted, but not how far the page was read. Pages sent to it are counted under its real device, such as phone.",
      ]}
    />
  );
}
