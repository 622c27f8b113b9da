// Finds the one lead that a person means by its id or by one end of it, such as the short reference.
import type { Sql } from "../database/connect.ts";

/** The fewest digits of an id that find a lead, because fewer are more likely typed by mistake. */
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
  const fast = await findIndexed(sql, reference);
  const ids = fast.length > 0 ? fast : await findAny(sql, reference, erased);
  if (ids.length > 1) return { kind: "several", ids: ids.slice(0, 5) };
  if (ids[0]) return { kind: "found", id: ids[0] };
  const [gone] = await sql<{ id: string; erasedAt: Date }[]>`
    select lead_id as id, erased_at as "erasedAt" from private.erasures
    where ${matches(sql, reference, "lead_id")} limit 1`;
  return gone ? { kind: "erased", ...gone } : { kind: "none" };
}

/** The length of the reference in a message: an index holds that many characters of each id's end. */
const indexedLength = 8;

// Ids that begin so are neighbours in the primary key; those that end so have an index once the lead is a second old.
async function findIndexed(sql: Sql, reference: string): Promise<string[]> {
  if (reference.length < indexedLength) return [];
  const found = await sql<{ id: string }[]>`
    select id from public.leads
    where id between ${reference.padEnd(wholeLength, "0")}::uuid and ${reference.padEnd(wholeLength, "f")}::uuid
    union
    select lead_id from private.lead_work
    where right(lead_id::text, ${sql.unsafe(String(indexedLength))}) = ${reference.slice(-indexedLength)}
      and ${matches(sql, reference, "lead_id")}
    order by id limit 6`;
  return found.map(({ id }) => id);
}

// Reads all ids, which takes half a second for a million.
async function findAny(sql: Sql, reference: string, erased: boolean): Promise<string[]> {
  const found = await sql<{ id: string }[]>`
    select id from public.leads where ${matches(sql, reference, "id")}
    union all
    select lead_id from private.erasures where ${erased} and ${matches(sql, reference, "lead_id")}
    order by id limit 6`;
  return found.map(({ id }) => id);
}

const matches = (sql: Sql, reference: string, column: "id" | "lead_id") =>
  reference.length === wholeLength
    ? sql`${sql(column)} = ${reference}::uuid`
    : sql`replace(${sql(column)}::text, '-', '') like any (array[${`${reference}%`}, ${`%${reference}`}])`;
