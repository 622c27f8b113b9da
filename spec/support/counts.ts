// Counts of page loads, for the chapters about them: reads, adds and deletes counts, and holds `User-Agent` headers to count.
import type { Sql } from "../../database/connect.ts";

/** A campaign's sums by kind of device and step, such as `{ "phone view": 1, "phone half_read": 1 }`. */
export async function countsOf(owner: Sql, campaign: string): Promise<Record<string, number>> {
  const rows = await owner<{ name: string; n: number }[]>`
    select device || ' ' || step as name, sum(n)::int as n
    from private.page_counts where campaign = ${campaign} group by 1 order by 1`;
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** A count as the web process adds it. */
export const aCount = (more: Record<string, unknown> = {}) => ({
  source: "facebook",
  medium: "paid",
  campaign: "spring",
  variant: "",
  device: "phone",
  step: "view",
  n: 1,
  ...more,
});

/** Deletes all counts, costs and names of campaigns, for the next test. */
export const removeCounts = (owner: Sql) =>
  owner.begin((tx) => [
    tx`delete from private.page_counts`,
    tx`delete from private.vital_counts`,
    tx`delete from private.campaign_names`,
    tx`delete from private.campaign_costs`,
  ]);

/** Adds counts as the web process does, with its login. */
export const addCounts = (intake: Sql, pages: object[], vitals: object[] = []) =>
  intake`select private.add_counts(${JSON.stringify(pages)}::text::json, ${JSON.stringify(vitals)}::text::json)`;

/** The `User-Agent` headers of readers' own browsers, of the browsers inside Facebook and Instagram, and of bots. */
export const browsers = {
  phone:
    "Mozilla/5.0 (Linux; Android 14; SM-S918U) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  tablet:
    "Mozilla/5.0 (Linux; Android 13; SM-X700) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  computer:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  facebookOnIphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22B83 [FBAN/FBIOS;FBAV/490.0.0.52.108;FBBV/658190352;FBDV/iPhone16,1;FBMD/iPhone;FBSN/iOS;FBSV/18.1;FBSS/3;FBCR/;FBID/phone;FBLC/en_US;FBOP/80]",
  facebookOnAndroid:
    "Mozilla/5.0 (Linux; Android 14; SM-S918U Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.107 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/490.0.0.63.82;]",
  instagramOnIphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22B83 Instagram 358.0.0.28.81 (iPhone16,1; iOS 18_1; en_US; en; scale=3.00; 1179x2556; 658190352; IABMV/1)",
  instagramOnAndroid:
    "Mozilla/5.0 (Linux; Android 14; SM-A546U Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.107 Mobile Safari/537.36 Instagram 358.0.0.51.97 Android (34/14; 420dpi; 1080x2125; samsung; SM-A546U; a54x; s5e8835; en_US; 658190352; IABMV/1)",
  googlebot: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  facebooksPreview: "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
};
