// The alert about unnotified leads, which wait while no channel has taken a message about them. It is sent when it begins, every four
// hours while it lasts, and when it is over, to the log and to ALERT_URL, because the channels are what has failed.
import type { Sql } from "../database/connect.ts";
import { typed } from "../log/installation.ts";
import type { Log } from "../log/log.ts";
import { postJson } from "./channels/post-json.ts";

export interface AlertSettings {
  /** ALERT_URL. */
  url: string | undefined;
}

/** "began" also each time it is sent again while it lasts. */
type AlertKind = "began" | "ended";

interface Alert {
  what: AlertKind;
  /** How many leads wait. */
  leads: number;
  /** For how long the oldest has. */
  minutes: number | null;
}

const receiver = "the alert's server";
/** Milliseconds for its answer. */
const timeout = 10_000;

/** What the database says: `what` is to be logged, and `to_send` is to be sent. */
interface Found extends Omit<Alert, "what"> {
  what: AlertKind | null;
  to_send: AlertKind | null;
}

/**
 * Makes the check, which is to run each minute. The database keeps an alert that could not be sent, so that it is sent with the
 * next check, whichever process makes that.
 */
export function makeAlertCheck({ url }: AlertSettings, log: Log): (sql: Sql) => Promise<void> {
  return async (sql) => {
    const [found] = await sql<Found[]>`select * from private.check_alert()`;
    if (!found) return;
    const { what, to_send, ...waiting } = found;
    if (what) logAlert({ what, ...waiting }, log);
    if (!to_send) return;
    const reason = url ? await send(url, { what: to_send, ...waiting }) : undefined;
    if (reason) log("alert-not-sent", { reason });
    await sql`select private.record_alert(${to_send}, ${reason === undefined})`;
  };
}

function logAlert({ what, leads, minutes }: Alert, log: Log): void {
  if (what === "began") log("leads-unnotified", { leads, minutes: minutes ?? undefined });
  else log("leads-unnotified-ended");
}

/** Posts the alert, and returns why that failed, or undefined. */
async function send(url: string, alert: Alert): Promise<string | undefined> {
  const outcome = await postJson(
    { url, body: JSON.stringify(messageOf(alert)), receiver, subject: `${receiver} `, timeout },
    new AbortController().signal,
  );
  return outcome.kind === "delivered" ? undefined : outcome.reason;
}

/** "40 minutes", "5 hours", "3 days". */
function durationInWords(minutes: number): string {
  if (minutes < 120) return minutes === 1 ? "1 minute" : `${minutes} minutes`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} hours`;
  return `${Math.floor(minutes / (24 * 60))} days`;
}

/** `text` is what a chat's incoming webhook shows. No word of it is about a person. */
export function messageOf({ what, leads, minutes }: Alert) {
  const subject = leads === 1 ? "1 lead waits" : `${leads} leads wait`;
  const text =
    what === "began"
      ? `${subject}, the oldest for ${durationInWords(minutes ?? 0)}, and the team has not been notified: no channel has taken a message about them. Look into the inbox, and at: ${typed("status")}`
      : "No lead waits any more of which the team has not been notified.";
  return { type: `leads-unnotified.${what}`, text, leads, oldest_minutes: minutes };
}
