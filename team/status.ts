// How things stand: does every accepted lead reach the team, and is it reviewed in time?
import type { Sql } from "../database/connect.ts";
import { type ChannelCount, countDeliveries, countLeads, type LeadCount } from "../delivery/counts.ts";

/** Every accepted lead is stored or was erased; every stored one is owed to each channel. */
export interface Status extends Omit<LeadCount, "lastDay" | "untold" | "toldNobody"> {
  /** False when a delivery failed or is stuck. */
  ok: boolean;
  accepted: number;
  /** Leads that came while no channel was set up. */
  owedToNoChannel: number;
  channels: ChannelCount[];
}

/** Counts leads and deliveries. */
export async function readStatus(sql: Sql): Promise<Status> {
  const { stored, erased, unreviewed, overdue, toldNobody } = await countLeads(sql);
  const channels = [...(await countDeliveries(sql))];
  const ok = channels.every(({ failed, stuck }) => failed === 0 && stuck === 0);
  return {
    ok,
    accepted: stored + erased,
    stored,
    erased,
    unreviewed,
    overdue,
    owedToNoChannel: toldNobody,
    channels,
  };
}
