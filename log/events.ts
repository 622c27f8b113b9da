// The closed list of events that may be logged, each with its level and its sentence.
import { programCommand, typed } from "./installation.ts";

export const events = {
  listening: { level: "info", sentence: "Open this address in a browser." },
  "inbox-listening": { level: "info", sentence: "Open this address in a browser for the team's inbox." },
  "inbox-not-listening": {
    level: "error",
    sentence:
      "The inbox is not served, because nothing can listen at its INBOX_HOST and INBOX_PORT. Correct them, or set INBOX=off. (EADDRINUSE: another program has the port, or PORT is the same.)",
  },
  "inbox-without-passkeys": {
    level: "warn",
    sentence:
      "Browsers offer no passkeys at this INBOX_URL: it needs https with a name in place of numbers, or the name localhost.",
  },
  "company-sign-in-failed": {
    level: "error",
    sentence:
      "The company's sign-in failed. See what the code says, the three OIDC settings, and whether the sign-in server at OIDC_ISSUER answers. Of several failures one after the other the first is logged.",
  },
  "inbox-elsewhere": {
    level: "info",
    sentence: `This process holds no login of the inbox, so it does not serve the inbox. Run the inbox beside it: ${programCommand("inbox")}`,
  },
  stopping: { level: "info", sentence: "Stopping: requests under way are answered first." },
  stopped: { level: "info", sentence: "Stopped." },
  "setting-missing": {
    level: "warn",
    sentence: "A setting has no value yet; readers are shown a placeholder, or what another setting says.",
  },
  "source-review-due": {
    level: "warn",
    sentence:
      "A source of the article's claims was last read more than 90 days ago. Read it, and set its day in content/claims.ts.",
  },
  "translation-not-reviewed": {
    level: "warn",
    sentence:
      "The pages of a language are shown, and nobody answers for them yet. Have a translator and counsel read them, then set this setting.",
  },
  "share-card-not-drawn": {
    level: "warn",
    sentence: "The share card cannot be drawn, so a link to the page that somebody shares shows no picture.",
  },
  "address-missing": {
    level: "warn",
    sentence: "The pages give an address on this machine as their own. Set SITE_URL before others read them.",
  },
  "database-starting": { level: "info", sentence: "Starting the embedded PostgreSQL." },
  "database-starting-elsewhere": {
    level: "warn",
    sentence:
      "PostgreSQL never runs as root, and its user cannot use DATA_DIR, or could not when the data was made: the data is kept in this folder.",
  },
  "database-started": { level: "info", sentence: "The embedded PostgreSQL answers." },
  "database-ready": { level: "info", sentence: "The database is ready." },
  "database-unreachable": { level: "error", sentence: "The database does not answer. Trying again." },
  "job-stopped": {
    level: "warn",
    sentence:
      "A scheduled job failed in the database, and is tried again. 57014, QueryTimeout: it took too long. 53100: the disk is full. XX001, XX002: data is damaged.",
  },
  "standby-avoided": {
    level: "warn",
    sentence:
      "The standby does not answer, or is seconds behind: for 30 seconds reports and downloads read the primary.",
  },
  "database-not-starting": {
    level: "error",
    sentence:
      "The embedded PostgreSQL does not start. The code says why; without one PostgreSQL says it at the end of its log. Trying again.",
  },
  "database-exited": { level: "error", sentence: "The embedded PostgreSQL exited. Starting it again." },
  "database-orphan-stopped": {
    level: "warn",
    sentence: "Stopped a PostgreSQL that an earlier run left behind.",
  },
  migrated: { level: "info", sentence: "Applied a migration." },
  "rate-limited": {
    level: "warn",
    sentence:
      "Visitors were asked to wait, because too many forms came from their address. Counted once a minute.",
  },
  "proxy-not-trusted": {
    level: "warn",
    sentence:
      "Requests name their sender in X-Forwarded-For, and come from an address that TRUST_PROXY does not name. If that is your proxy, all visitors share one limit: name it there.",
  },
  "counts-lost": {
    level: "warn",
    sentence: "Some counts of page loads could not be added, and are lost. No lead is.",
  },
  "insert-refused": { level: "warn", sentence: "A lead was refused." },
  "insert-failed": {
    level: "error",
    sentence: "A lead could not be stored; the visitor was asked to try again.",
  },
  "channel-down": {
    level: "error",
    sentence: "A channel takes nothing any more: what is owed to it waits, and is tried again.",
  },
  "channel-up": { level: "info", sentence: "The channel takes deliveries again; what waited is sent now." },
  delivered: { level: "info", sentence: "The team has been told." },
  "delivery-postponed": {
    level: "warn",
    sentence: "A channel did not take a delivery. It is tried again later.",
  },
  "delivery-failed": {
    level: "error",
    sentence: `A delivery has failed. When the channel works again: ${typed("retry --failed")}`,
  },
  "mailbox-rejected": {
    level: "error",
    sentence: "Mailboxes in NOTIFY_EMAIL refused a mail that others took.",
  },
  "no-channel": {
    level: "warn",
    sentence:
      "No channel is set up: leads are stored, but the team is not told. Set one up (see .env.example).",
  },
  "delivery-elsewhere": {
    level: "info",
    sentence: `This process delivers no leads. Run the delivery beside it: ${programCommand("deliver")}`,
  },
  delivering: { level: "info", sentence: "Telling the team of leads." },
  reconciled: { level: "info", sentence: "Leads and what became of their deliveries, counted." },
  "leads-overdue": {
    level: "warn",
    sentence: "Leads have waited 20 hours without a review, and each channel is to remind the team of them.",
  },
  "leads-unnotified": {
    level: "error",
    sentence: `Leads wait, and the team has not been notified: no channel is set up, or none takes a message. See: ${typed("status")}`,
  },
  "leads-unnotified-ended": {
    level: "info",
    sentence: "No lead waits any more of which the team has not been notified.",
  },
  "alert-not-sent": {
    level: "error",
    sentence: "The receiver at ALERT_URL did not take the alert. It is sent again in a minute.",
  },
  "leads-erased": { level: "info", sentence: "Erased leads that had reached the age of RETENTION_DAYS." },
  "permissions-emptied": {
    level: "info",
    sentence: "Emptied address, browser, page and campaign words of permissions older than PERMISSION_DAYS.",
  },
  "retention-planned": {
    level: "warn",
    sentence:
      "Tomorrow these will have reached the age of RETENTION_DAYS or PERMISSION_DAYS, and will be erased or emptied.",
  },
  "retention-refused": {
    level: "error",
    sentence:
      "Nothing was erased or emptied, because by the clock even the newest lead is too old, and the server ran on too few days since it came to prove that. Check the server's clock, RETENTION_DAYS and PERMISSION_DAYS. If they are right, this ends by itself.",
  },
  "backed-up": {
    level: "info",
    sentence: "Made a backup of everything, and verified it. It is in BACKUP_DIR.",
  },
  "backups-elsewhere": {
    level: "warn",
    sentence: `This process makes no backups, although BACKUP_DIR is set: that needs the owner's login in DATABASE_URL. Where that is set, run each day: ${typed("backup <file>")}`,
  },
  "old-backups-kept": { level: "warn", sentence: "Older backups could not be removed from BACKUP_DIR." },
  "backup-failed": {
    level: "error",
    sentence: `No backup could be made. It is tried again in an hour. What is the matter: ${typed("status")}`,
  },
  bug: {
    level: "error",
    sentence: "This program has a bug: an exception that it did not expect. Please report this line.",
  },
} as const satisfies Record<string, { level: "info" | "warn" | "error"; sentence: string }>;
