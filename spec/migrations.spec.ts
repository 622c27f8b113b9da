// The schema comes from supabase/migrations, through our own start or through the Supabase CLI, and either goes on where
// the other stopped: both keep the same ledger, each in its own way.
import { readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { makeDatabase } from "./support/database.ts";

const folder = new URL("../supabase/migrations/", import.meta.url);
const files = readdirSync(folder).sort();
const all = files.map((file) => file.replace(/\.sql$/, ""));

let sql: Sql;
beforeEach(async () => {
  ({ owner: sql } = await makeDatabase({ schema: false }));
});

/** The ledger as the CLI makes it. */
async function makeLedger() {
  await sql.unsafe(`
    create schema if not exists supabase_migrations;
    create table supabase_migrations.schema_migrations (version text not null primary key);
    alter table supabase_migrations.schema_migrations add column if not exists statements text[];
    alter table supabase_migrations.schema_migrations add column if not exists name text`);
}

/** Applies a migration as the CLI does: statement by statement, and then a row of the ledger. */
async function pushAsTheCli(file: string) {
  const [, version = "", name = ""] = /^(\d+)_(.+)\.sql$/.exec(file) ?? [];
  const statements = splitAsTheCli(readFileSync(new URL(file, folder), "utf8"));
  await sql.begin(async (tx) => {
    for (const statement of statements) await tx.unsafe(statement);
    await tx`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${version}, ${name}, ${statements})`;
  });
}

/**
 * The statements of a migration as the CLI stores them: parted at each semicolon that is in no comment, quotes or body of a
 * function, without that semicolon and the blanks around them, comments and all.
 */
function splitAsTheCli(text: string): string[] {
  const statements: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const end = endOfQuoted(text, at);
    if (end > at) at = end;
    else if (text[at++] === ";") {
      statements.push(text.slice(from, at - 1));
      from = at;
    }
  }
  return [...statements, text.slice(from)].map((statement) => statement.trim()).filter(Boolean);
}

/** Where the comment, string, name or body that begins here ends; the same place when none begins. */
function endOfQuoted(text: string, at: number): number {
  const tag = /^\$\w*\$/.exec(text.slice(at, at + 40))?.[0];
  const closing = text.startsWith("--", at) ? "\n" : text.startsWith("/*", at) ? "*/" : (tag ?? text[at]);
  if (closing === undefined || (closing === text[at] && closing !== "'" && closing !== '"')) return at;
  const end = text.indexOf(closing, at + (tag?.length ?? 1));
  return end < 0 ? text.length : end + closing.length;
}

describe("the schema", () => {
  it("is complete after a start on an empty database, and a second start applies nothing", async () => {
    expect(await migrate(sql)).toEqual(all);
    expect(await migrate(sql)).toEqual([]);
  });

  it("that the Supabase CLI applied is taken as it is", async () => {
    await makeLedger();
    for (const file of files) await pushAsTheCli(file);
    expect(await migrate(sql)).toEqual([]);
  });

  it("is completed by a start where the CLI stopped", async () => {
    await makeLedger();
    for (const file of files.slice(0, 3)) await pushAsTheCli(file);
    expect(await migrate(sql)).toEqual(all.slice(3));
  });

  it("is completed in the ledger of an older CLI, which kept versions alone", async () => {
    await sql.unsafe(`
      create schema supabase_migrations;
      create table supabase_migrations.schema_migrations (version text not null primary key)`);
    expect(await migrate(sql)).toEqual(all);
  });

  it.each([
    ["as one statement without its last semicolon", (text: string) => [text.trim().replace(/;$/, "")]],
    ["as a statement after another, with blanks in between", (text: string) => splitAsTheCli(text)],
    ["with another system's line ends", (text: string) => [text.replaceAll("\n", "\r\n")]],
    ["without its text, as after a repair", () => null],
  ])("is taken when the ledger holds it %s", async (_, written) => {
    await migrate(sql);
    for (const file of files) {
      const statements = written(readFileSync(new URL(file, folder), "utf8"));
      await sql`
        update supabase_migrations.schema_migrations set statements = ${statements}
        where version = ${file.split("_")[0] as string}`;
    }
    expect(await migrate(sql)).toEqual([]);
  });

  it.each([
    [
      "a word in a function",
      (statements: string[]) => statements.map((one) => one.replace("return", "RETURN")),
    ],
    ["a blank within a statement", (statements: string[]) => statements.map((one) => one.replace(" ", "  "))],
    ["a statement less", (statements: string[]) => statements.slice(1)],
    ["a statement more", (statements: string[]) => [...statements, "select 1"]],
    [
      "two statements in another order",
      ([first = "", second = "", ...rest]: string[]) => [second, first, ...rest],
    ],
  ])("is refused, by name, when a migration was edited after it ran: %s", async (_, edit) => {
    await migrate(sql);
    const [file = ""] = files.filter((name) => name.endsWith("_leads.sql"));
    const statements = edit(splitAsTheCli(readFileSync(new URL(file, folder), "utf8")));
    await sql`
      update supabase_migrations.schema_migrations set statements = ${statements}
      where version = ${file.split("_")[0] as string}`;
    await expect(migrate(sql)).rejects.toThrow(
      `The migration ${file.replace(/\.sql$/, "")} was edited after it ran here.`,
    );
  });
});
