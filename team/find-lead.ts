// Finds the one lead that a person means by its id or by one end of it, such as the short reference.

import { Misuse, Refusal, typed } from "../cli/subcommand.ts";
import type { Sql } from "../database/connect.ts";

/** Enough to be meant, and not so little that it is a slip of the finger. */
const fewest = 4;
const whole = 32;

/** Reads an id or an end of it, with or without its dashes. @throws Misuse */
export function readReference(text: string): string {
  const digits = text.toLowerCase().replaceAll("-", "");
  if (/^[0-9a-f]+$/.test(digits) && digits.length >= fewest && digits.length <= whole) return digits;
  throw new Misuse(
    `An id is given by its last letters and digits, at least ${fewest} of them, such as 3f9c1a2b.\nFind it with: ${typed("list")}`,
  );
}

/**
 * Returns the whole id; with `erased` also that of an erased lead.
 * @throws Refusal when no lead has such an id, or several have.
 */
export async function findLead(sql: Sql, part: string, { erased = false } = {}): Promise<string> {
  const found = await sql<{ id: string }[]>`
    select id from public.leads where ${meant(sql, part, "id")}
    union all
    select lead_id from private.erasures where ${erased} and ${meant(sql, part, "lead_id")}
    order by id limit 6`;
  if (found.length === 1 && found[0]) return found[0].id;
  if (found.length === 0) throw new Refusal(await whyNone(sql, part));
  const some = found.slice(0, 5).map(({ id }) => `  ${id}`);
  throw new Refusal(`Several leads begin or end with ${part}. Type more of the id:\n${some.join("\n")}`);
}

/** The primary key answers a whole id at once; for an end of one all ids are read, half a second for a million. */
const meant = (sql: Sql, part: string, id: "id" | "lead_id") =>
  part.length === whole
    ? sql`${sql(id)} = ${part}::uuid`
    : sql`replace(${sql(id)}::text, '-', '') like any (array[${`${part}%`}, ${`%${part}`}])`;

async function whyNone(sql: Sql, part: string): Promise<string> {
  const [erased] = await sql<{ lead_id: string; erased_at: Date }[]>`
    select lead_id, erased_at from private.erasures where ${meant(sql, part, "lead_id")} limit 1`;
  if (erased) return `The lead ${erased.lead_id} was erased at ${erased.erased_at.toISOString()}.`;
  return `No lead has an id that begins or ends with ${part}.\nFind it with: ${typed("list")}`;
}
