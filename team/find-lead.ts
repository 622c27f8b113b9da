// Finds the one lead that a person means by its id or by the beginning of it, such as the short reference.
import type { Sql } from "../database/connect.ts";
import { Misuse, Refusal, typed } from "./subcommand.ts";

/** Enough to be meant, and not so little that it is a slip of the finger. */
const fewest = 4;

/** Reads the beginning of an id, with or without its dashes. @throws Misuse */
export function readReference(text: string): string {
  const digits = text.toLowerCase().replaceAll("-", "");
  if (/^[0-9a-f]+$/.test(digits) && digits.length >= fewest && digits.length <= 32) return digits;
  throw new Misuse(
    `An id is given by its first letters and digits, at least ${fewest} of them, such as 3f9c1a2b.\nFind it with: ${typed("list")}`,
  );
}

/**
 * Returns the whole id; with `erased` also that of an erased lead.
 * @throws Refusal when no lead has such an id, or several have.
 */
export async function findLead(sql: Sql, reference: string, { erased = false } = {}): Promise<string> {
  // Ids are ordered as their digits are, so a beginning is a range that the primary key answers.
  const [first, last] = [reference.padEnd(32, "0"), reference.padEnd(32, "f")];
  const found = await sql<{ id: string }[]>`
    select id from public.leads where id between ${first}::uuid and ${last}::uuid
    union all
    select lead_id from private.erasures where ${erased} and lead_id between ${first}::uuid and ${last}::uuid
    order by id limit 6`;
  if (found.length === 1 && found[0]) return found[0].id;
  if (found.length === 0) throw new Refusal(await whyNone(sql, reference));
  const some = found.slice(0, 5).map(({ id }) => `  ${id}`);
  throw new Refusal(`Several leads begin with ${reference}. Type more of the id:\n${some.join("\n")}`);
}

async function whyNone(sql: Sql, reference: string): Promise<string> {
  const [erased] = await sql<{ lead_id: string; erased_at: Date }[]>`
    select lead_id, erased_at from private.erasures
    where lead_id between ${reference.padEnd(32, "0")}::uuid and ${reference.padEnd(32, "f")}::uuid limit 1`;
  if (erased) return `The lead ${erased.lead_id} was erased at ${erased.erased_at.toISOString()}.`;
  return `No lead has an id that begins with ${reference}.\nFind it with: ${typed("list")}`;
}
