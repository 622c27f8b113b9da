// How a command takes its <id>: reads it, finds the lead, and says what to type when there is none or more than one.
import type { Sql } from "../database/connect.ts";
import { findLead, minReferenceLength, readReference } from "../team/find-lead.ts";
import { Refusal } from "../team/refusal.ts";
import { typed, UsageError } from "./command.ts";
import { dayAndTime } from "./times.ts";

/** What the help says of the argument. */
export const idHelp = "the lead's id or one end of it, such as the reference in a message";

/** Reads an <id> as it was typed. @throws UsageError */
export function readId(text: string): string {
  const reference = readReference(text);
  if (reference !== undefined) return reference;
  throw new UsageError(
    `An id is given whole or by its first or last letters and digits, at least ${minReferenceLength} of them, such as 3f9c1a2b.\nFind it with: ${typed("list")}`,
  );
}

/** Returns the whole id; with `erased` also that of an erased lead. @throws Refusal when it is not one lead. */
export async function findOne(sql: Sql, reference: string, options?: { erased: boolean }): Promise<string> {
  const found = await findLead(sql, reference, options);
  switch (found.kind) {
    case "found":
      return found.id;
    case "several": {
      const ids = found.ids.map((id) => `  ${id}`).join("\n");
      throw new Refusal(
        `Several leads begin or end with ${reference}, such as these. Type more of the id:\n${ids}`,
      );
    }
    case "erased":
      throw new Refusal(`The lead ${found.id} was erased at ${dayAndTime(found.erasedAt)}.`);
    case "none":
      throw new Refusal(
        `No lead has an id that begins or ends with ${reference}.\nFind it with: ${typed("list")}`,
      );
  }
}
