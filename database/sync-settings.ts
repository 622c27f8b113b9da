// Syncs to the database what its functions must know of the operator's settings: the wordings of the permission notice, the origins whose
// pages may send leads, how long things are kept, when leads that wait are an alert, and the experiments.
import type { Sql } from "./connect.ts";

export interface SyncedSettings {
  /** The wording of each language that the pages show. Earlier ones stay in the database, because they are evidence. */
  notices: readonly { language: string; text: string }[];
  /** Whether permissions keep the visitor's network address. */
  keepAddress: boolean;
  /** The origin of the provider's own pages, when it is known. */
  siteOrigin?: string | undefined;
  /** The origins whose pages may send leads, the site's own among them; "*" or undefined for any. */
  allowedOrigins?: "*" | readonly string[] | undefined;
  /** Days after which a permission loses its circumstances. */
  permissionDays?: number | undefined;
  /** Days after which a lead is erased; undefined keeps it. */
  retentionDays?: number | undefined;
  /** Minutes after which a lead that no channel took is an alert; undefined means never. */
  alertAfterMinutes?: number | undefined;
  /** The experiments that content/experiments.ts lists. Earlier ones stay in the database, because leads remember their variants. */
  experiments?: readonly SyncedExperiment[] | undefined;
}

/** An experiment as the content lists it. Days are YYYY-MM-DD. */
export interface SyncedExperiment {
  variant: string;
  language: string;
  startedOn: string;
  endedOn?: string;
  plan: { rate: number; lift: number };
}

/** Writes what has changed. Needs the owner's connection. */
export async function syncSettings(sql: Sql, settings: SyncedSettings): Promise<void> {
  for (const { language, text } of settings.notices) {
    await sql`
      insert into private.notices (hash, language, text)
      values (encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${language}, ${text})
      on conflict do nothing`;
  }
  for (const experiment of settings.experiments ?? []) await syncExperiment(sql, experiment);
  const { keepAddress, siteOrigin = null, permissionDays = null, retentionDays = null } = settings;
  const { alertAfterMinutes = null, allowedOrigins = "*" } = settings;
  const allowed = allowedOrigins === "*" ? null : [...allowedOrigins];
  await sql`
    update private.settings s
    set keep_address = ${keepAddress}, site_origin = ${siteOrigin}, allowed_origins = ${allowed},
      permission_days = ${permissionDays}, retention_days = ${retentionDays},
      alert_after_minutes = ${alertAfterMinutes}
    -- Written only when it changes: every process does this when it starts, and each insert reads this row.
    where (s.keep_address, s.site_origin, s.allowed_origins, s.permission_days, s.retention_days, s.alert_after_minutes)
      is distinct from (
        ${keepAddress}::boolean, ${siteOrigin}::text, ${allowed}::text[], ${permissionDays}::integer, ${retentionDays}::integer,
        ${alertAfterMinutes}::integer
      )`;
}

async function syncExperiment(sql: Sql, experiment: SyncedExperiment): Promise<void> {
  const { variant, language, startedOn, endedOn = null, plan } = experiment;
  await sql`
    insert into private.experiments as e (variant, language, started_on, ended_on, planned_rate, planned_lift)
    values (${variant}, ${language}, ${startedOn}::text::date, ${endedOn}::text::date, ${plan.rate}, ${plan.lift})
    on conflict (variant) do update
    set (language, started_on, ended_on, planned_rate, planned_lift)
      = (excluded.language, excluded.started_on, excluded.ended_on, excluded.planned_rate, excluded.planned_lift)
    where (e.language, e.started_on, e.ended_on, e.planned_rate, e.planned_lift)
      is distinct from (excluded.language, excluded.started_on, excluded.ended_on, excluded.planned_rate, excluded.planned_lift)`;
}
