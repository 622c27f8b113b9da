// Puts the delivery together: channels from the settings, then a worker that stays, or one round of everything due for
// places where nothing stays, such as hosted functions. Whoever calls joins it to a database and a log.
import type { Sql } from "../database/connect.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { type SyncedSettings, syncSettings } from "../database/sync-settings.ts";
import type { Log } from "../log/log.ts";
import type { Channel } from "./channels/channel.ts";
import { type EmailSettings, makeEmail } from "./channels/email.ts";
import { makeWebhook, type WebhookSettings } from "./channels/webhook.ts";
import { makeLane } from "./dispatcher.ts";
import { enableChannels } from "./outbox.ts";
import { makeChores } from "./scheduled-jobs.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface DeliveryParts {
  /** Connections of its own, as the owner: what is sent must never wait for what comes in, nor the other way round. */
  database: ResilientConnection;
  settings: Omit<SyncedSettings, "notices"> & {
    webhook: WebhookSettings | undefined;
    email: EmailSettings | undefined;
  };
  /** The permission notice of each language that the pages show. */
  notices: SyncedSettings["notices"];
  log: Log;
}

/** Starts a worker that delivers until it is stopped. The database may be away; the worker begins when it is there. */
export function startDelivery(parts: DeliveryParts): Worker {
  const { database, log } = parts;
  const channels = makeChannels(parts);
  if (channels.length === 0) log("no-channel");
  else log("delivering", { channels: channels.map((channel) => channel.name).join("+") });
  const chores = makeChores(database, log);
  return startWorker({ database, channels, log, chores, prepare: () => setUp(parts) });
}

/**
 * Delivers what is due now, and returns when nothing more is or the time is over. What a channel did not take waits
 * for the next round. @throws when the database is away.
 */
export async function deliverDue(parts: DeliveryParts, { seconds }: { seconds: number }): Promise<void> {
  const { database, log } = parts;
  const channels = makeChannels(parts);
  await setUp(parts);
  const lanes = channels.map((channel) => makeLane(channel, { database, log }));
  const stop = setTimeout(
    () => {
      for (const lane of lanes) lane.stop();
    },
    0.8 * seconds * 1000,
  );
  const breakOff = setTimeout(() => {
    for (const lane of lanes) lane.abandon();
  }, seconds * 1000);
  for (const lane of lanes) lane.run();
  await Promise.all(lanes.map((lane) => lane.quiet()));
  clearTimeout(stop);
  clearTimeout(breakOff);
}

function makeChannels({ settings: { webhook, email }, log }: DeliveryParts): Channel[] {
  const onRejected = (count: number) => log("mailbox-rejected", { count });
  return [...(webhook ? [makeWebhook(webhook)] : []), ...(email ? [makeEmail(email, { onRejected })] : [])];
}

const setUp = ({ database, settings, notices }: DeliveryParts): Promise<void> =>
  database.query((sql) => announce(sql, settings, notices));

/** Tells the database what an insert needs to know: the wording that is agreed to, and the channels a lead is owed to. */
export async function announce(
  sql: Sql,
  settings: DeliveryParts["settings"],
  notices: DeliveryParts["notices"],
): Promise<void> {
  await syncSettings(sql, { ...settings, notices });
  await enableChannels(sql, [
    ...(settings.webhook ? (["webhook"] as const) : []),
    ...(settings.email ? (["email"] as const) : []),
  ]);
}
