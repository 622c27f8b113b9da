// The words for a campaign, for money and for shares.
import type { Campaigns } from "../../api-campaigns.ts";
import { count, inGroups } from "../page/words.ts";

export type CampaignLine = Campaigns["campaigns"][number];

type Words = Pick<CampaignLine, "source" | "medium" | "campaign">;

/**
 * "Facebook, spring". A word may be missing, because the words come from the ads' addresses. The medium ("paid") is added where several
 * campaigns have the same name, or where there is no other word.
 */
export function campaignNameAmong(campaigns: readonly Words[], { source, medium, campaign }: Words): string {
  const withoutMedium = (one: Words) => fullCampaignName({ ...one, medium: "" });
  const name = withoutMedium({ source, medium, campaign });
  const isOnly = campaigns.filter((one) => withoutMedium(one) === name).length < 2;
  return fullCampaignName({ source, campaign, medium: isOnly && (source || campaign) ? "" : medium });
}

/** "Facebook, spring, paid". */
export function fullCampaignName({ source, medium, campaign }: Words): string {
  const name = [source, campaign, medium].filter(Boolean).join(", ");
  return name ? name.charAt(0).toUpperCase() + name.slice(1) : "Without campaign words";
}

/** "Facebook, spring: 1,204 loads, 31 leads, 12 qualify, $41.00 a lead". */
export function campaignSentence(campaigns: readonly Words[], line: CampaignLine): string {
  const { views, stored, qualified } = line;
  const cents = costPer(line, stored);
  return [
    `${campaignNameAmong(campaigns, line)}: ${count(views, "load")}`,
    count(stored, "lead"),
    `${inGroups(qualified)} ${qualified === 1 ? "qualifies" : "qualify"}`,
    ...(cents === null ? [] : [`${money(cents)} a lead`]),
  ].join(", ");
}

/** The cost divided by `many`, in cents; null when either is zero. */
export const costPer = ({ cost_cents }: Pick<CampaignLine, "cost_cents">, many: number): number | null =>
  cost_cents > 0 && many > 0 ? cost_cents / many : null;

/** US dollars: "$41.00", "$1,204.50". */
export const money = (cents: number): string =>
  (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });

/** A share in percent, without the sign: "2.57". */
export const percent = (share: number): string => (100 * share).toFixed(2);

/** "2.57 (1.82 to 3.63)"; empty where there are no page loads. */
export function rateInWords({ stored, views, rate }: CampaignLine): string {
  if (!rate) return "";
  return `${percent(Math.min(1, stored / views))} (${percent(rate.low)} to ${percent(rate.high)})`;
}
