// Finds the one lead that a person means by its id, or by the first or last digits of it, such as the short reference.
import type { Sql } from "../database/connect.ts";

/** The fewest digits of an id that find a lead: fewer are more likely typed by mistake. */
export const minReferenceLength = 4;
const wholeLength = 32;

/** Reads the digits of an id, or the first or last of them, with or without dashes. Undefined when the text is not 4 to 32 such digits. */
export function readReference(text: string): string | undefined {
  const digits = text.trim().toLowerCase().replaceAll("-", "");
  const isReference =
    /^[0-9a-f]+$/.test(digits) && digits.length >= minReferenceLength && digits.length <= wholeLength;
  return isReference ? digits : undefined;
}

export type FoundLead =
  | { kind: "found"; id: string }
  /** At most five of the ids that begin or end with the reference. */
  | { kind: "several"; ids: string[] }
  | { kind: "erased"; id: string; erasedAt: Date }
  | { kind: "none" };

/** Looks for the lead whose id begins or ends with the reference. With `erased` the id of an erased lead counts as found. */
export async function findLead(sql: Sql, reference: string, { erased = false } = {}): Promise<FoundLead> {
  const rows = await sql<{ id: string; erasedAt: Date | null }[]>`
    select * from (
      select id, null::timestamptz as "erasedAt" from public.leads where ${beginsWith(sql, reference, "id")}
      union
      select lead_id, null from private.lead_work where ${endsWith(sql, reference)}
      union
      -- A lead of the last second has no row there yet, nor one of a transaction that took long to commit.
      select fresh, null from private.leads_to_index(null, '10 minutes') as fresh
      where right(replace(fresh::text, '-', ''), ${reference.length}::integer) = ${reference}
      union
      select lead_id, erased_at from private.erasures
      where ${beginsWith(sql, reference, "lead_id")} or ${endsWith(sql, reference)}
    ) found
    order by "erasedAt" nulls first, id limit 5`;
  const living = rows.filter(({ erasedAt }) => !erasedAt);
  const matching = erased || living.length === 0 ? rows : living;
  if (matching.length > 1) return { kind: "several", ids: matching.map(({ id }) => id) };
  const [only] = matching;
  if (!only) return { kind: "none" };
  return only.erasedAt && !erased
    ? { kind: "erased", id: only.id, erasedAt: only.erasedAt }
    : { kind: "found", id: only.id };
}

// Ids that begin alike are neighbours in a primary key.
const beginsWith = (sql: Sql, reference: string, column: "id" | "lead_id") => sql`
  ${sql(column)} between ${reference.padEnd(wholeLength, "0")}::uuid and ${reference.padEnd(wholeLength, "f")}::uuid`;

// Ids that end alike are neighbours in an index of the digits from the last one on. A "g" comes after every digit.
function endsWith(sql: Sql, reference: string) {
  const fromItsEnd = [...reference].reverse().join("");
  return sql`private.from_its_end(lead_id) collate "C" >= ${fromItsEnd}
    and private.from_its_end(lead_id) collate "C" < ${`${fromItsEnd}g`}`;
}
