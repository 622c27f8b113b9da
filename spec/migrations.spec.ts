// The schema comes from supabase/migrations, through our own start or through the Supabase CLI, and either goes on where
// the other stopped: both keep the same ledger, each in its own way.
import { readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { connect } from "../database/connect.ts";
import { migrate, newestVersion, schemaVersion } from "../database/migrate.ts";
import { makeIsReady, requireUsableSchema } from "../database/prepare.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { roleAddress } from "../database/role-logins.ts";
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

/** The end of the comment, string, name or function body that begins at `at`; `at` itself when none begins there. */
function endOfQuoted(text: string, at: number): number {
  const tag = /^\$\w*\$/.exec(text.slice(at, at + 40))?.[0];
  const closing = text.startsWith("--", at) ? "\n" : text.startsWith("/*", at) ? "*/" : (tag ?? text[at]);
  if (closing === undefined || (closing === text[at] && closing !== "'" && closing !== '"')) return at;
  const end = text.indexOf(closing, at + (tag?.length ?? 1));
  return end < 0 ? text.length : end + closing.length;
}

describe("a migration", () => {
  it.each(files)(
    "has a version of a day, four zeros and two digits, to tell it from a project's own migration: %s",
    (file) => {
      expect(file).toMatch(/^\d{8}0000\d\d_[a-z_]+\.sql$/);
    },
  );

  it("that a project adds for itself, in the same ledger, does not change the version that the tables report", async () => {
    await migrate(sql);
    await sql`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values ('29990131143015', 'a table of theirs', array['create table theirs ()'])`;
    const version = () => sql`select private.schema_version() as version`;
    expect(await version()).toEqual([{ version: await newestVersion() }]);
    expect(await schemaVersion(sql)).toBe(await newestVersion());
    const [before = ""] = files.map((file) => file.slice(0, 14)).slice(-2);
    await sql`delete from supabase_migrations.schema_migrations where version = ${await newestVersion()}`;
    expect(await version()).toEqual([{ version: before }]);
    expect(await schemaVersion(sql)).toBe(before);
  });
});

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

  it("is made in full where the ledger is that of an older CLI, which kept only the versions", async () => {
    await sql.unsafe(`
      create schema supabase_migrations;
      create table supabase_migrations.schema_migrations (version text not null primary key)`);
    expect(await migrate(sql)).toEqual(all);
  });

  it.each([
    ["as one statement without its last semicolon", (text: string) => [text.trim().replace(/;$/, "")]],
    [
      "as single statements, without the semicolons and blanks between them",
      (text: string) => splitAsTheCli(text),
    ],
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

const breaksOlder = "-- Older programs do not work on these tables.";

it("the migrations require no version, while none says that older programs do not work on its tables", async () => {
  const { owner } = await makeDatabase();
  expect(await owner`select private.required_version() as version`).toEqual([{ version: "" }]);
});

describe("the schema of a newer release", () => {
  async function makeNewer(statements: string[]) {
    const database = await makeDatabase();
    await database.owner`
      insert into supabase_migrations.schema_migrations (version, name, statements) values ('29990101000000', 'later', ${statements})`;
    const intake = makeResilientConnection(
      () => connect(roleAddress(database.url, "leads_intake"), { max: 1 }),
      () => {},
    );
    const isReady = await makeIsReady(intake);
    const openedWith = (role: "leads_delivery" | "leads_team") =>
      requireUsableSchema(
        { role, address: roleAddress(database.url, role) },
        () => {},
        new AbortController().signal,
      ).catch((error) => error);
    const answers = {
      started: await migrate(database.owner).catch((error) => error),
      delivering: await openedWith("leads_delivery"),
      inbox: await openedWith("leads_team"),
      ready: await isReady(),
    };
    await intake.end();
    return answers;
  }

  it("is used by this release where the newer release only added something", async () => {
    expect(await makeNewer(["alter table leads add column note text"])).toEqual({
      started: [],
      delivering: undefined,
      inbox: undefined,
      ready: true,
    });
  });

  it("stops the start, the delivery and the inbox with a message, and makes the intake unready, where it breaks older ones", async () => {
    const message = `A newer release has changed the tables (migration 29990101000000) so that this release, of version ${await newestVersion()}, does not work on them. Put the newer release in force again, or restore a backup from before it.`;
    expect(await makeNewer([breaksOlder, "alter table leads drop column name"])).toEqual({
      started: expect.objectContaining({ name: "MigrationError", message }),
      delivering: expect.objectContaining({ name: "DatabaseRefusal", message }),
      inbox: expect.objectContaining({ name: "DatabaseRefusal", message }),
      ready: false,
    });
  });

  it("is known by its text to take something away, also within a block of code, and not by a word in a name or a comment", () => {
    for (const text of [
      "drop view a;",
      "alter table a\n  rename column b to c;",
      "alter table a alter column b\n  type int;",
      "alter table a alter b set data type int;",
      "alter table a alter column b set not null;",
      "/* as asked */ alter table a drop column b;",
      "create table b ();\ndo $$\nbegin\n  drop table a;\nend $$;",
      "do $code$ begin execute 'alter table a rename to b'; end $code$;",
    ])
      expect([text, takesAway(text)]).toEqual([text, true]);
    for (const text of [
      "alter table a add column b int; -- drop\ncreate index c on a (b);",
      "alter table a add column type text;",
      "alter table a add column b text default 'drop';",
      'alter table a add column "rename" text;',
      "do $$ begin -- drop nothing\n  create role b; end $$;",
      "create function a() returns void language sql as $$ drop table if exists b $$;",
    ])
      expect([text, takesAway(text)]).toEqual([text, false]);
    expect(
      takeAwaySilently({
        "20270101000000_adds.sql": "alter table a add column b int;",
        "20270101000001_says_so.sql": `${breaksOlder}\ndrop view a;`,
        "20270101000002_does_not.sql": "do $$ begin drop view b; end $$;",
      }),
    ).toEqual(["20270101000002_does_not.sql"]);
  });

  it("says that older programs do not work on it, when it takes away something that the first release made", () => {
    // The versions of the first release's migrations all begin with 20261121.
    const later = files.filter((file) => file > "20261122");
    const texts = later.map((file) => [file, readFileSync(new URL(file, folder), "utf8")]);
    expect(takeAwaySilently(Object.fromEntries(texts))).toEqual([]);
  });
});

/** The names of the migrations that take something away and do not say that older programs do not work on the tables then. */
const takeAwaySilently = (texts: Record<string, string>) =>
  Object.entries(texts).flatMap(([file, text]) =>
    takesAway(text) && !text.includes(breaksOlder) ? [file] : [],
  );

/** Whether one of the statements drops or renames something, changes a column's type, or makes a column not null. */
const takesAway = (text: string) =>
  splitAsTheCli(text)
    .map((statement) =>
      statement
        .replaceAll(/--.*$/gm, "")
        .replaceAll(/\/\*[^*]*\*\//g, "")
        .replaceAll(/\s+/g, " ")
        .trim()
        .toLowerCase(),
    )
    .some(
      (statement) =>
        statement.startsWith("drop ") ||
        // The text of a statement that a block of code executes stands in quotes.
        (statement.startsWith("do ") && changesOrRemoves.test(statement)) ||
        (statement.startsWith("alter ") &&
          changesOrRemoves.test(statement.replaceAll(/'[^']*'|"[^"]*"/g, "x"))),
    );

const changesOrRemoves =
  /\b(?:drop|rename|set not null|set data type|alter \S+ type|alter column \S+ type)\b/;
