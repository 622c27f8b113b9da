// What a visitor may do in the database, as the roles that act for a visitor: Supabase's `anon` and our intake. The same
// holds on a plain PostgreSQL and on one that Supabase prepared, where everything new in `public` is granted to the API's roles.
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addressOfDatabase, connect, type Sql } from "../database/connect.ts";
import { prepare } from "../database/prepare.ts";
import { openRoleLogins, roleAddress } from "../database/role-logins.ts";
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
    await openRoleLogins(database.owner, database.url);
  });

  /** Runs one statement as a role, and undoes it. */
  const as = async (role: "anon" | "leads_intake", statement: string, values: string[] = []) => {
    const undo = new Error("undo");
    let rows: readonly Record<string, unknown>[] = [];
    try {
      // Begins as the platform's superuser where there is one: another user may be refused the role itself, which has the same error code.
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
      ["upsert", `${addALead} on conflict (id) do nothing`],
    ])("cannot %s leads", async (_, statement) => {
      await expect(as(role, statement)).rejects.toMatchObject({ code: "42501" });
    });
  });

  describe("the intake's own login", () => {
    it("can add a lead, but cannot read leads, even after it resets its role", async () => {
      const { intake, owner } = database;
      const lead = aLead({ name: "Only the login" });
      await intake`insert into leads ${intake(lead)}`;
      await expect(intake`select * from leads`).rejects.toMatchObject({ code: "42501" });
      await expect(intake`reset role; select * from leads`.simple()).rejects.toMatchObject({ code: "42501" });
      const [{ count } = { count: 0 }] =
        await owner`select count(*)::int from leads where name = ${lead.name}`;
      expect(count).toBe(1);
    });

    it("has only one right on the columns of tables: to insert into the six columns of leads that anon has, and request_headers", async () => {
      // The query asks about each column, because a role's list of grants leaves out the rights that everybody has.
      const rights = await database.owner`
        select role, format('%s.%s', c.relnamespace::regnamespace, c.relname) as table, privilege_type, array_agg(distinct a.attname::text order by a.attname::text) as columns
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
          unnest(array['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) as privilege_type, unnest(array['leads_intake', 'anon']) as role
        where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace::regnamespace::text in ('public', 'private', 'team', 'supabase_migrations')
          and has_column_privilege(role, c.oid, a.attnum, privilege_type)
        group by 1, 2, 3 order by 1`;
      const insert = { table: "public.leads", privilege_type: "INSERT" };
      const six = ["email", "has_diabetes", "has_medicare", "name", "phone", "zip_code"];
      expect(rights).toEqual([
        { ...insert, role: "anon", columns: six },
        { ...insert, role: "leads_intake", columns: [...six, "request_headers"].toSorted() },
      ]);
    });

    it.each([
      ["read deliveries", "select from private.deliveries"],
      [
        "read spam flags, reviews and erasures",
        "select from private.lead_work, private.reviews, private.erasures",
      ],
      ["read the migrations", "select from supabase_migrations.schema_migrations"],
      ["erase leads", "select private.erase_leads('{}', 'asked')"],
      ["call what the team calls", "select team.me()"],
      ["withdraw a permission", "select private.withdraw_permission(gen_random_uuid())"],
      ["switch a trigger off", "alter table leads disable trigger all"],
      ["skip triggers as a replica does", "set session_replication_role = replica"],
      ["loosen the policy", "create policy p on leads for select to public using (true)"],
      ["index what it cannot read", "create index on leads (name)"],
      ["comment on a table", "comment on table leads is 'mine'"],
      ["make a table", "create table mine (a int)"],
      ["make a temporary table", "create temp table mine (a int)"],
      ["make a schema", "create schema mine"],
      ["make a function", "create function public.mine() returns int language sql return 1"],
      ["make an extension", "create extension file_fdw"],
      ["make a role", "create role mine"],
      ["make a database", "create database mine"],
      ["give itself a role", "grant pg_read_all_data to leads_intake"],
      ["change the server's settings", "alter system set log_statement = 'all'"],
      ["read the server's files", "select pg_read_file('PG_VERSION')"],
      ["list the server's files", "select pg_ls_dir('.')"],
      ["bring a file in", "select lo_import('/etc/passwd')"],
      ["copy a file in", "copy leads (name) from '/etc/passwd'"],
      ["copy leads out", "copy leads to stdout"],
      ["copy to a program", "copy (select 1) to program 'cat'"],
      ["load a library", "load 'auto_explain'"],
      ["read the planner's statistics", "select from pg_statistic"],
      ["see the passwords", "select from pg_authid"],
      [
        "end another's session",
        "select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user",
      ],
    ])("cannot %s", async (_, statement) => {
      await expect(database.intake.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
    });

    it("loses the defaults that it set for its own later sessions when its login is opened again, as each start does", async () => {
      const { intake, owner, url } = database;
      const [{ here } = { here: "" }] = await owner`select quote_ident(current_database()) as here`;
      const settings = `
        select setconfig as set from pg_db_role_setting
        where setrole = 'leads_intake'::regrole and setdatabase in (0, (select oid from pg_database where datname = current_database()))`;
      // In this database alone, because all chapters share the role. In one transaction, because a start in another chapter resets it.
      const bySession = await intake.begin(async (tx) => {
        await tx.unsafe(`alter role leads_intake in database ${here} set synchronous_commit = off`);
        await tx.unsafe(`alter role leads_intake in database ${here} set default_transaction_read_only = on`);
        return tx.unsafe(settings);
      });
      expect(bySession).toHaveLength(2);
      await openRoleLogins(owner, url);
      expect((await owner.unsafe<{ set: string[] }[]>(settings)).map((row) => row.set)).toEqual([
        ["statement_timeout=8s"],
      ]);
    });

    it("cannot become the owner", async () => {
      const [{ owner } = { owner: "" }] = await database.owner`select quote_ident(current_user) as owner`;
      for (const become of ["set role", "set session authorization"]) {
        await expect(database.intake.unsafe(`${become} ${owner}`)).rejects.toMatchObject({ code: "42501" });
      }
    });

    it("sees no other session's statements and no value in the statistics", async () => {
      const { intake, owner } = database;
      await owner`insert into leads ${owner(aLead({ name: "In the statistics" }))}`;
      await owner`analyze leads`;
      expect(await intake`select from pg_stats where tablename in ('leads', 'permissions')`).toHaveLength(0);
      const shown = await intake`
        select distinct query from pg_stat_activity where usename <> current_user and datname = current_database()`;
      expect(shown.map(({ query }) => query)).toEqual(["<insufficient privilege>"]);
    });

    it("may call four functions of ours: its insert's fingerprint, which schema this is, which program it needs, and one that adds to counts", async () => {
      const callable = await database.intake`
        select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('public', 'private') and has_schema_privilege(n.oid, 'usage')
          and has_function_privilege(p.oid, 'execute') order by 1`;
      expect(callable).toEqual([
        { name: "private.add_counts" },
        { name: "private.fingerprint" },
        { name: "private.required_version" },
        { name: "private.schema_version" },
      ]);
    });
  });
});

describe("a function of ours", () => {
  it("may be called by everybody only where an index needs it: the insert's fingerprint", async () => {
    const { owner } = await makeDatabase();
    const open = await owner`
      select p.oid::regproc::text as name from pg_proc p
      where p.pronamespace in ('private'::regnamespace, 'team'::regnamespace)
        and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`;
    expect(open).toEqual([{ name: "private.fingerprint" }]);
  });
});

describe("a database in which everybody may make functions where the owner looks for them, as PostgreSQL 14 makes it,", () => {
  const prepared = async (url: string) => {
    const open = () => connect(url, { max: 1 });
    await prepare(
      open,
      async () => {},
      () => {},
      new AbortController().signal,
    );
  };

  it("is closed by its owner at a start", async () => {
    const { owner, intake, url } = await makeDatabase();
    await owner`grant create on schema public to public`;
    await prepared(url);
    await expect(
      intake.unsafe("create function public.now(text) returns int language sql return 1"),
    ).rejects.toMatchObject({
      code: "42501",
    });
  });

  it("is refused in a sentence where its owner may not close it, and no function there is run", async () => {
    const { platform, intake, url } = await (await startSupabaseLike()).makeDatabase();
    await platform`alter schema public owner to supabase_admin`;
    await platform`grant create on schema public to public`;
    for (const name of [
      "has_schema_privilege(text, text)",
      "pg_advisory_xact_lock(text)",
      "current_setting(text)",
    ])
      await intake.unsafe(`
        create function public.${name} returns text language plpgsql as $$
        begin
          raise exception 'run as %', current_user;
        end $$`);
    await expect(prepared(url)).rejects.toThrow(
      /^Everybody may make functions in the schema public of this database, .{1,120} revoke create on schema public from public;$/,
    );
  });
});

describe("a function that runs with the owner's rights", () => {
  it("looks for types and tables in PostgreSQL's own schema first, and among the caller's temporary ones last, as do those that it calls", async () => {
    const { owner } = await makeDatabase();
    const others = await owner`
      select p.oid::regproc::text as name from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace, 'team'::regnamespace)
        and not coalesce(p.proconfig @> '{"search_path=pg_catalog, pg_temp"}', false)
        -- One without the setting has the path of its caller.
        and (p.prosecdef or p.proconfig::text like '%search_path%')`;
    expect(others).toEqual([]);
  });

  it("runs nothing of the caller's, also where a superuser gives everybody temporary tables and types", async () => {
    const { owner, intake, url } = await makeDatabase();
    const [{ here } = { here: "" }] = await owner`select quote_ident(current_database()) as here`;
    await owner.unsafe(`grant temporary on database ${here} to public`);
    const team = connect(roleAddress(url, "leads_team"), { max: 1 });
    onTestFinished(() => team.end());
    const spy = (schema: string) => `
      create temporary table mine (x int);
      create function pg_temp.spy(given pg_catalog.text) returns boolean language plpgsql as $$
      begin
        raise exception 'run as %', current_user;
      end $$;
      create domain pg_temp.${schema} as pg_catalog.${schema} check (pg_temp.spy(value::pg_catalog.text));`;
    await intake.begin(async (tx) => {
      await tx.unsafe(spy("text"));
      await tx`insert into public.leads ${tx(aLead())}`;
    });
    await team.begin(async (tx) => {
      await tx.unsafe(spy("text"));
      await tx`select team.challenge_to_sign_in()`;
    });
  });
});

describe("the intake's own login, on a server of our own", () => {
  it("cannot make a temporary type or table after a start of a server whose settings name a login for each role", async () => {
    const { owner, url, intake } = await makeDatabase();
    const [{ here } = { here: "" }] = await owner`select quote_ident(current_database()) as here`;
    // As PostgreSQL makes each database.
    await owner.unsafe(`grant temporary on database ${here} to public`);
    await openRoleLogins(owner, url, []);
    await expect(intake`create temporary table mine (x int)`).rejects.toMatchObject({ code: "42501" });
  });

  it.each([
    ["keep a large object", "select lo_from_bytea(0, 'x')"],
    ["make a large object", "select lo_create(0)"],
    ["make a large object with the older function", "select lo_creat(-1)"],
    ["hold the lock that the next start waits for", "select pg_advisory_lock(1)"],
    ["fill the server's table of locks", "select pg_try_advisory_xact_lock(n) from generate_series(1, 9) n"],
    ["fill the write-ahead log", "select pg_logical_emit_message(false, 'x', 'x')"],
  ])("cannot %s", async (_, statement) => {
    const { owner, url, intake } = await makeDatabase();
    await openRoleLogins(owner, url);
    await expect(intake.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
    await expect(intake`insert into leads ${intake(aLead())}`).resolves.toBeDefined();
  });

  it("cannot fill the server's table of locks with leads that it stores in one transaction", async () => {
    const { owner, intake } = await makeDatabase();
    const lead = (nth: number) => aLead({ name: `Lead ${nth}` });
    const store = (count: number) =>
      intake.begin(async (tx) => {
        for (let nth = 0; nth < count; nth += 100)
          await tx`insert into public.leads ${tx(Array.from({ length: 100 }, (_, of) => lead(nth + of)))}`;
      });
    await store(500);
    await expect(store(6_000)).rejects.toMatchObject({ code: "54000" });
    expect(await owner`select from public.leads`).toHaveLength(500);
  });

  it.each(["postgres", "template1"])("cannot enter the embedded server's database %s", async (name) => {
    const { intakeUrl } = await makeDatabase();
    const elsewhere = connect(addressOfDatabase(intakeUrl, name), { max: 1 });
    onTestFinished(() => elsewhere.end());
    await expect(elsewhere`select 1`).rejects.toMatchObject({ code: "42501" });
  });
});
