// What a database holds that a restoration or a move would replace, so that neither is made over it by mistake.
import type { TransactionSql } from "postgres";
import { type Table, tables } from "./backup-file.ts";

/** What every database has: an id, and what each start of the server writes anew. */
const inEvery: readonly Table[] = [
  "private.database_ids",
  "private.notices",
  "private.settings",
  "private.channels",
  "private.experiments",
];

/** What visitors' leads fill before anybody works on them. */
const ofLeads: readonly Table[] = [
  "public.leads",
  "private.permissions",
  "private.deliveries",
  "private.lead_work",
];

/** What a server and its operator leave before the team works: a doctor's test lead, for one, leaves a receipt. */
const kindsBeforeWork = {
  "counts of page loads": ["private.page_counts", "private.vital_counts", "private.campaign_names"],
  "receipts of erased leads": ["private.erasures"],
  "entries of the audit log": ["private.audit_log"],
} as const satisfies Record<string, readonly Table[]>;

/** All other tables. */
const ofTheTeam = tables.filter(
  (table) => ![...inEvery, ...ofLeads, ...Object.values(kindsBeforeWork).flat()].includes(table),
);

const kinds = { ...kindsBeforeWork, "work of the team": ofTheTeam };

/** What a database may hold beside leads, in words for a message. */
export type HeldKind = keyof typeof kinds;

export interface HeldRows {
  leads: number;
  others: HeldKind[];
}

/** A database that is in use, so that a backup or a copy cannot simply take its place. */
export class UsedDatabase extends Error {
  override name = "UsedDatabase";
  readonly held: HeldRows;
  constructor(held: HeldRows) {
    super("The database is not empty.");
    this.held = held;
  }
}

/**
 * Locks each table until the end of the transaction, and counts what the database holds: a row that is written after the count would be
 * replaced unseen. The schema may be an older one, which lacks tables, but has `public.leads`.
 */
export async function lockAndCountRows(tx: TransactionSql): Promise<HeldRows> {
  const found = await tx<{ name: Table }[]>`
    select name from unnest(${[...tables]}::text[]) as name where to_regclass(name) is not null`;
  const existing = found.map(({ name }) => name);
  await tx.unsafe(`lock table ${existing.join(", ")} in access exclusive mode`);
  const [count] = await tx<{ leads: number }[]>`select count(*)::int as leads from public.leads`;
  const others: HeldKind[] = [];
  for (const [kind, ofKind] of Object.entries(kinds)) {
    const some = existing.filter((table) => (ofKind as readonly Table[]).includes(table));
    if (await hasRows(tx, some)) others.push(kind as HeldKind);
  }
  return { leads: count?.leads ?? 0, others };
}

async function hasRows(tx: TransactionSql, some: readonly Table[]): Promise<boolean> {
  for (const table of some) {
    if ((await tx`select from ${tx(table)} limit 1`).count > 0) return true;
  }
  return false;
}
