// `leads withdraw <id>`: a person withdrew the permission to be phoned. It is recorded with its time, and every channel
// is told.
import { reference } from "../lead/lead.ts";
import { findLead, readReference } from "../team/find-lead.ts";
import { type Act, readWords } from "./subcommand.ts";

export function withdraw(words: readonly string[]): Act {
  const { positionals } = readWords("withdraw <id>", words, {});
  const part = readReference(positionals[0] as string);
  return async ({ sql, out }) => {
    const id = await findLead(sql, part);
    const withdrawn = await sql`select private.withdraw_permission(${id})`;
    const what = withdrawn.length > 0 ? "Permission withdrawn" : "The permission was withdrawn before";
    await out(`${what}: ${reference(id)}. Do not phone.\n`);
    return 0;
  };
}
