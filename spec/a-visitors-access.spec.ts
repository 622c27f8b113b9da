// What a visitor may do in the database, as the roles that act for a visitor: Supabase's `anon` and our intake. The same
// holds on a plain PostgreSQL and on one that Supabase prepared, where everything new in `public` is granted to everybody.
import { beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { startSupabaseLike } from "./support/supabase-like.ts";

const databases = [
  { on: "plain PostgreSQL", make: () => makeDatabase() },
  { on: "PostgreSQL as Supabase prepares it", make: async () => (await startSupabaseLike()).makeDatabase() },
];

describe.each(databases)("on $on,", ({ make }) => {
  let database: TestDatabase & { platform?: Sql };
  beforeAll(async () => {
    database = await make();
  });

  /** Runs one statement as a role, and undoes it. */
  const as = async (role: "anon" | "leads_intake", statement: string, values: string[] = []) => {
    const undo = new Error("undo");
    let rows: readonly Record<string, unknown>[] = [];
    try {
      // Only a superuser can become any role; whoever cannot would be refused for that, and prove nothing.
      await (database.platform ?? database.owner).begin(async (tx) => {
        await tx.unsafe(`set local role ${role}`);
        rows = await tx.unsafe(statement, values);
        throw undo;
      });
    } catch (error) {
      if (error !== undo) throw error;
    }
    return rows;
  };

  const addALead = "insert into leads (name, email, phone, zip_code) values ('R', 'r@x', '1', '2')";

  describe.each(["anon", "leads_intake"] as const)("a visitor, acting as %s", (role) => {
    it("can add a lead", async () => {
      await expect(as(role, addALead)).resolves.toEqual([]);
    });

    it.each(["leads", "private.permissions", "private.deliveries", "private.notices", "private.settings"])(
      "cannot read %s",
      async (table) => {
        await expect(as(role, `select from ${table}`)).rejects.toMatchObject({ code: "42501" });
      },
    );

    it("cannot read even the lead just added", async () => {
      await expect(as(role, `${addALead} returning id`)).rejects.toMatchObject({ code: "42501" });
    });

    it.each(["id", "created_at"])("cannot set %s", async (column) => {
      await expect(
        as(
          role,
          `insert into leads (name, email, phone, zip_code, ${column}) values ('R', 'r', '1', '2', default)`,
        ),
      ).rejects.toMatchObject({ code: "42501" });
    });

    it.each([
      ["change", "update leads set name = 'x'"],
      ["delete", "delete from leads"],
      ["empty", "truncate leads"],
      ["ask by conflict for", `${addALead} on conflict (id) do nothing`],
    ])("cannot %s leads", async (_, statement) => {
      await expect(as(role, statement)).rejects.toMatchObject({ code: "42501" });
    });
  });

  describe("the intake's own login", () => {
    it("can add a lead and read nothing, whatever it tries to become", async () => {
      const { intake, owner } = database;
      const lead = aLead({ name: "Only the login" });
      await intake`insert into leads ${intake(lead)}`;
      await expect(intake`select * from leads`).rejects.toMatchObject({ code: "42501" });
      await expect(intake`reset role; select * from leads`.simple()).rejects.toMatchObject({ code: "42501" });
      const [{ count } = { count: 0 }] =
        await owner`select count(*)::int from leads where name = ${lead.name}`;
      expect(count).toBe(1);
    });

    it("holds no right on any table but to insert seven columns of leads", async () => {
      const rights = await database.intake`
      select table_schema || '.' || table_name as table, privilege_type, array_agg(column_name::text order by column_name) as columns
      from information_schema.column_privileges
      where grantee in ('leads_intake', 'anon') group by 1, 2`;
      expect(rights).toEqual([
        {
          table: "public.leads",
          privilege_type: "INSERT",
          columns: ["email", "evidence", "has_diabetes", "has_medicare", "name", "phone", "zip_code"],
        },
      ]);
    });
  });
});
