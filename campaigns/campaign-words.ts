// The words of an ad's link that name its campaign: utm_source, utm_medium and utm_campaign, as they stand in the address. The
// database cleans them (private.clean_campaign_word), because it cleans those of leads too. No other parameter is read.

export interface CampaignWords {
  source: string;
  medium: string;
  campaign: string;
}

export const noCampaign: CampaignWords = { source: "", medium: "", campaign: "" };

/** Characters of a word that are read. private.utm_of cuts the words of a lead at the same length. */
const maxLength = 200;

/**
 * The words in a query, which is what follows the ? of an address. Of a word that is there twice, the last counts. A further ? divides
 * parameters as & does, because links are often put together so. The same holds in private.utm_of.
 */
export function campaignWordsOf(query: string): CampaignWords {
  if (!query.includes("utm_")) return noCampaign;
  const words = { ...noCampaign };
  const [parameters = ""] = query.split("#", 1);
  for (const parameter of parameters.split(/[?&]/)) {
    const equals = parameter.indexOf("=");
    const name = wordNames.get(parameter.slice(0, equals));
    if (equals > 0 && name) words[name] = parameter.slice(equals + 1, equals + 1 + maxLength);
  }
  return words;
}

/** Reads them from a whole address, such as a Referer. */
export function campaignWordsOfAddress(address: string | null | undefined): CampaignWords {
  const start = address?.indexOf("?") ?? -1;
  return start < 0 ? noCampaign : campaignWordsOf(address?.slice(start + 1) ?? "");
}

const wordNames = new Map<string, keyof CampaignWords>([
  ["utm_source", "source"],
  ["utm_medium", "medium"],
  ["utm_campaign", "campaign"],
]);
