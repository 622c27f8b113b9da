// `leads erase`: removes a person for good, with everything kept and owed about them. What would go is shown first, and
// nothing goes before somebody said so. A receipt without personal data stays.

import type { Sql } from "../database/connect.ts";
import { reference } from "../lead/lead.ts";
import { findLead, readReference } from "../team/find-lead.ts";
import { type Act, type Desk, Misuse, Refusal, readWords, typed } from "./subcommand.ts";
import { printable } from "./terminal.ts";
import { clock } from "./times.ts";

export function erase(words: readonly string[]): Act {
  const byEmail = words.some((word) => /^--email(=|$)/.test(word));
  const { values, positionals } = readWords(
    byEmail ? "erase --email rosa@example.com [--yes]" : "erase <id> [--yes]",
    words,
    {
      email: { type: "string" },
      yes: { type: "boolean" },
    },
  );
  if (byEmail && !values.email?.trim())
    throw new Misuse("--email takes an address, such as --email rosa@example.com.");
  const part = byEmail ? undefined : readReference(positionals[0] as string);
  return async (desk) => {
    const doomed = await find(desk.sql, part, values.email ?? "");
    if (!(values.yes || (await agreed(desk, doomed)))) return 1;
    const erased = await eraseAll(desk.sql, doomed);
    await desk.out(erased.map((id) => `Erased ${id}\n`).join(""));
    desk.tell(
      "Channels that had been told of it are told to erase it too. Backups made before still hold it.",
    );
    return 0;
  };
}

interface Doomed {
  id: string;
  created_at: Date;
  name: string;
  email: string;
}

async function find(sql: Sql, part: string | undefined, email: string): Promise<Doomed[]> {
  const meant = part
    ? sql`id = ${await findLead(sql, part)}`
    : // Case and blanks around it are no part of an address that a person types twice.
      sql`lower(btrim(email, e' \\t\\r\\n')) = lower(${email.trim()})`;
  const doomed = await sql<Doomed[]>`
    select id, created_at, name, email from public.leads where ${meant} order by created_at, id`;
  if (doomed.length === 0) throw new Refusal("No lead has this e-mail address. Nothing was erased.");
  return doomed;
}

async function agreed({ ask, out, tell }: Desk, doomed: Doomed[]): Promise<boolean> {
  const lines = doomed.map(
    ({ id, created_at, name, email }) =>
      `  ${reference(id)}  ${clock(created_at)}  ${printable(name)}  ${printable(email)}\n`,
  );
  await out(`To be erased for good, with permission, deliveries and review:\n${lines.join("")}`);
  const answer = await ask(
    `Erase ${doomed.length === 1 ? "this lead" : `these ${doomed.length} leads`}? Type yes:`,
  );
  if (answer === undefined) {
    throw new Misuse(
      `Nothing was erased: nobody is here to ask. Add --yes, or look first: ${typed("show <id>")}`,
    );
  }
  if (answer.trim().toLowerCase() === "yes") return true;
  tell("Nothing was erased.");
  return false;
}

/** All of them or none. Returns those that this call erased. */
async function eraseAll(sql: Sql, doomed: Doomed[]): Promise<string[]> {
  const erased = await sql<{ id: string }[]>`
    select private.erase_leads(${doomed.map(({ id }) => id)}::uuid[], 'asked') as id`;
  return erased.map(({ id }) => id);
}
