// Everything this program may ever say in its log, as one closed list. No event has a place for what a
// visitor typed: facts are counts, times, ids, codes and our own names, never a message from elsewhere,
// because PostgreSQL and mail servers quote values in theirs.

/** A fact about an event: short, ours, and never personal. */
type Fact = string | number | boolean | undefined;

const events = {
  listening: { level: "info", says: "Open this address in a browser." },
  stopping: { level: "info", says: "Stopping: requests under way are answered first." },
  stopped: { level: "info", says: "Stopped." },
  "setting-missing": {
    level: "warn",
    says: "A setting has no value yet; a placeholder is shown to readers.",
  },
  "address-missing": {
    level: "warn",
    says: "The pages give an address on this machine as their own. Set SITE_URL before others read them.",
  },
  "database-starting": { level: "info", says: "Starting the embedded PostgreSQL." },
  "database-starting-elsewhere": {
    level: "warn",
    says: "Only root may enter DATA_DIR, and PostgreSQL never runs as root: the data is kept in this folder.",
  },
  "database-started": { level: "info", says: "The embedded PostgreSQL answers." },
  "database-ready": { level: "info", says: "The database is ready." },
  "database-unreachable": { level: "error", says: "The database does not answer. Trying again." },
  "database-not-starting": {
    level: "error",
    says: "The embedded PostgreSQL does not start, and says why at the end of its log. Trying again.",
  },
  "database-exited": { level: "error", says: "The embedded PostgreSQL exited. Starting it again." },
  "database-orphan-stopped": { level: "warn", says: "Stopped a PostgreSQL that an earlier run left behind." },
  migrated: { level: "info", says: "Applied a migration." },
  "insert-refused": { level: "warn", says: "A lead was refused." },
  "insert-failed": {
    level: "error",
    says: "A lead could not be stored; the visitor was asked to try again.",
  },
  delivered: { level: "info", says: "The team has been told." },
  "delivery-postponed": {
    level: "warn",
    says: "A channel did not take a delivery. It is tried again later.",
  },
  "delivery-failed": {
    level: "error",
    says: "A delivery has failed for good. When the channel is mended: npm run leads -- retry --failed",
  },
  "mailbox-rejected": { level: "error", says: "A mailbox in NOTIFY_EMAIL refused a mail that others took." },
  "no-channel": {
    level: "warn",
    says: "No channel is set up: leads are stored, and nobody will be told. Set WEBHOOK_URL or NOTIFY_EMAIL.",
  },
  "delivery-elsewhere": {
    level: "info",
    says: "This process tells nobody of leads. One beside it does: npm run deliver",
  },
  delivering: { level: "info", says: "Telling the team of leads." },
  reconciled: { level: "info", says: "Leads and what became of their deliveries, counted." },
  "leads-overdue": { level: "warn", says: "Leads have waited 20 hours without a review." },
  "leads-erased": { level: "info", says: "Erased leads that had reached the age of RETENTION_DAYS." },
  "circumstances-forgotten": {
    level: "info",
    says: "Emptied address, browser and page of permissions older than PERMISSION_DAYS.",
  },
  "request-failed": { level: "error", says: "A request failed inside this program." },
} as const satisfies Record<string, { level: "info" | "warn" | "error"; says: string }>;

export type EventName = keyof typeof events;
export type Log = (event: EventName, facts?: Record<string, Fact>) => void;

/** Makes a log that writes one line an event: time, level, name, sentence, facts as key=value. */
export function makeLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  return (event, facts = {}) => {
    const { level, says } = events[event];
    const told = Object.entries(facts).filter(([, value]) => value !== undefined);
    const tail = told.map(([key, value]) => ` ${key}=${oneLine(value as Fact)}`).join("");
    write(`${now().toISOString()} ${level} ${event}: ${says}${tail}\n`);
  };
}

/** What may be told of a thrown thing: its code or its class, never its message. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : typeof error;
}

const oneLine = (value: Fact) => {
  const text = String(value).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?");
  return text.includes(" ") ? JSON.stringify(text) : text;
};
