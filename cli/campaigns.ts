// `leads campaigns`: what the ads brought, from the page load to the outcome, and what it cost; `costs add` records costs.
import {
  beginOfReport,
  type CampaignRow,
  campaignRows,
  leadsErasedBefore,
  type ReportedRow,
} from "../team/campaigns.ts";
import { addCosts } from "./campaign-costs.ts";
import { tableOf } from "./campaigns-table.ts";
import { type AddCommand, typed } from "./command.ts";
import { jsonArray } from "./json.ts";
import { readSince, sinceHelp } from "./times.ts";

export const campaigns: AddCommand = (program, run) => {
  const command = program
    .command("campaigns")
    .summary("what the ads brought and cost: page loads, leads, outcomes (see docs/campaigns.md)")
    .description(
      "What the ads brought, by campaign. Counts are page loads, not people: nobody is recognised. Days are those of this machine's time zone (TZ), and of UTC for page loads older than eight days. Costs are in US dollars.",
    )
    .option("--since <time>", `only ${sinceHelp}`, (text) => readSince(text, new Date()))
    .option("--json", "print a JSON array, one row for each campaign, variant and kind of device")
    .addHelpText("after", `\nExample:\n  ${typed("campaigns --since 7d")}`)
    .action(({ since, json }: { since?: Date; json?: true }) =>
      run(async ({ sql, out, now }) => {
        const begin = since && (await beginOfReport(sql, since, now));
        const rows = await campaignRows(sql, begin, now);
        if (!json) {
          await out(tableOf(rows, begin, await leadsErasedBefore(sql, begin, now)));
          return 0;
        }
        const array = jsonArray(out);
        await array.add(rows.map(rowForPrograms));
        await array.end();
        return 0;
      }),
    );
  addCosts(command.command("costs").description("What campaigns cost."), run);
};

const keys = [
  "source",
  "medium",
  "campaign",
  "variant",
  "device",
  "served",
  "views",
  "half_read",
  "form_seen",
  "began",
  "pressed",
  "stored",
  "reviewed",
  "outcomes",
  "cost",
] as (keyof CampaignRow)[];

const rowForPrograms = (row: ReportedRow) => Object.fromEntries(keys.map((key) => [key, row[key]]));
