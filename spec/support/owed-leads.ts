// Leads whose deliveries are owed, delivered or failed, for the chapters about the status and about sending again.
import { aLead, type TestDatabase } from "./database.ts";

export const makeOwedLeads = ({ owner }: TestDatabase) => ({
  /** Sets these channels up, and no other. */
  async channelsOn(...names: string[]): Promise<void> {
    await owner`update private.channels set enabled = name = any (${names})`;
  },

  /** Stores a lead that came some hours ago and returns its id. */
  async store(name: string, hours = 0): Promise<string> {
    await owner`insert into leads ${owner(aLead({ name }))}`;
    const [lead] = await owner<{ id: string }[]>`
      update leads set created_at = now() - make_interval(hours => ${hours}) where name = ${name} returning id`;
    await owner`update private.deliveries set created_at = now() - make_interval(hours => ${hours}) where lead_id = ${lead?.id as string}`;
    return lead?.id as string;
  },

  settle: (id: string, channel: string, how: "delivered_at" | "failed_at") => owner`
    update private.deliveries
    set ${owner(how)} = now(), attempts = 3, last_error = ${how === "failed_at" ? "410" : null}
    where lead_id = ${id} and channel = ${channel}`,
});
