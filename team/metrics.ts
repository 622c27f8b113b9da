// The figures that a monitoring program watches, which need no session because no figure is about a person.
import type { ResilientConnection } from "../database/resilient-connection.ts";

/** Names of problems, counts, and times as ISO 8601. Most are those of `leads status` and of the inbox's health page. */
export interface Figures {
  problems: string[];
  stored: number;
  erased: number;
  unreviewed: number;
  overdue: number;
  /** Unreviewed leads that are owed to no channel. */
  untold: number;
  /** Leads that wait longer than ALERT_AFTER_MINUTES while no channel took a message about them. */
  unnotified: number;
  channels: {
    channel: string;
    enabled: boolean;
    delivered: number;
    pending: number;
    oldest_pending: string | null;
    failed: number;
    stuck: number;
  }[];
  last_backup_at: string | null;
  /** When they were counted, by the database's clock. */
  at: string;
}

/** Counts, with the inbox's own login. @throws the database's error. */
export const readFigures = (database: ResilientConnection): Promise<Figures> =>
  database.query(async (sql) => {
    const [row] = await sql<{ figures: Figures }[]>`select team.metrics() as figures`;
    return row?.figures as Figures;
  });
