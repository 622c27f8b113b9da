// Makes each insert of a measurement write as much as a visitor's does, and checks it: a permission with the notice that the page showed,
// and a delivery to each of two channels. With DELIVERY=off nothing is sent to the channels.
import type { Sql } from "../database/connect.ts";
import { syncChannels } from "../delivery/outbox.ts";

/** The hash of a notice, as the page sends it with a lead. */
export const notice = "a".repeat(64);

/** Enables two channels: each lead that is stored from now on has a delivery to both. */
export const enableTwoChannels = (owner: Sql): Promise<void> => syncChannels(owner, ["webhook", "email"]);

/** @throws when a stored lead lacks its notice or a delivery, because the figures would then be those of a smaller insert. */
export async function requireWholeLeads(owner: Sql): Promise<void> {
  const [stored] = await owner<{ leads: number; notices: number; deliveries: number }[]>`
    select count(*)::integer as leads, count(p.notice_hash)::integer as notices,
      (select count(*) from private.deliveries)::integer as deliveries
    from public.leads l left join private.permissions p on p.lead_id = l.id`;
  const { leads = 0, notices = 0, deliveries = 0 } = stored ?? {};
  if (leads > 0 && notices === leads && deliveries === 2 * leads) return;
  throw new Error(`${leads} leads were stored with ${notices} notices and ${deliveries} deliveries`);
}
