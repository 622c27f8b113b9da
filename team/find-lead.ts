// Finds the one lead that a person means by its id or by one end of it, such as the short reference.
import type { Sql } from "../database/connect.ts";

/** The fewest digits of an id that are taken for meant and not for a slip of the finger. */
export const minReferenceLength = 4;
const wholeLength = 32;

/** Reads an id or an end of it, with or without its dashes. Undefined when the text is neither. */
export function readReference(text: string): string | undefined {
  const digits = text.toLowerCase().replaceAll("-", "");
  const isReference =
    /^[0-9a-f]+$/.test(digits) && digits.length >= minReferenceLength && digits.length <= wholeLength;
  return isReference ? digits : undefined;
}

export type FoundLead =
  | { kind: "found"; id: string }
  /** At most five of the ids that begin or end so. */
  | { kind: "several"; ids: string[] }
  | { kind: "erased"; id: string; erasedAt: Date }
  | { kind: "none" };

/** Looks for the lead with such an id; with `erased` that of an erased lead counts as found. */
export async function findLead(sql: Sql, reference: string, { erased = false } = {}): Promise<FoundLead> {
  const found = await sql<{ id: string }[]>`
    select id from public.leads where ${matches(sql, reference, "id")}
    union all
    select lead_id from private.erasures where ${erased} and ${matches(sql, reference, "lead_id")}
    order by id limit 6`;
  const ids = found.map(({ id }) => id);
  if (ids.length > 1) return { kind: "several", ids: ids.slice(0, 5) };
  if (ids[0]) return { kind: "found", id: ids[0] };
  const [gone] = await sql<{ id: string; erasedAt: Date }[]>`
    select lead_id as id, erased_at as "erasedAt" from private.erasures
    where ${matches(sql, reference, "lead_id")} limit 1`;
  return gone ? { kind: "erased", ...gone } : { kind: "none" };
}

// The primary key answers a whole id at once; for an end of one all ids are read, half a second for a million.
const matches = (sql: Sql, reference: string, column: "id" | "lead_id") =>
  reference.length === wholeLength
    ? sql`${sql(column)} = ${reference}::uuid`
    : sql`replace(${sql(column)}::text, '-', '') like any (array[${`${reference}%`}, ${`%${reference}`}])`;
