// The one set of migrations on a database as Supabase prepares it, by the role that runs them there, and a lead coming
// in as PostgREST brings it. The visitor's access there is in its own chapter, on both kinds of database.
import { beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { aLead } from "./support/database.ts";
import {
  extensionStubs,
  installedServers,
  type SupabaseLike,
  startSupabaseLike,
} from "./support/supabase-like.ts";

const grants = (sql: Sql) => sql<{ grantee: string; rights: string }[]>`
  select grantee, string_agg(distinct privilege_type, ', ' order by privilege_type) as rights
  from (
    select grantee::text, privilege_type::text from information_schema.table_privileges where table_name = 'leads'
    union select grantee, privilege_type from information_schema.column_privileges where table_name = 'leads'
  ) granted
  where grantee <> 'postgres' group by grantee order by grantee`;

const servers = installedServers();

describe.each(servers)("PostgreSQL $major as Supabase prepares it", (server) => {
  let started: Awaited<ReturnType<typeof startSupabaseLike>>;
  beforeAll(async () => {
    started = await startSupabaseLike(server);
  });

  describe.each([
    { name: "with everything in public granted to the API's roles", everythingGranted: true },
    { name: "with nothing granted", everythingGranted: false },
  ])("$name", ({ everythingGranted }) => {
    let database: SupabaseLike;
    beforeAll(async () => {
      database = await started.makeDatabase({ everythingGranted });
    });

    it("is migrated by its postgres, who is no superuser, and only once", async () => {
      const [role] =
        await database.owner`select current_user as name, current_setting('is_superuser') as superuser`;
      expect(role).toEqual({ name: "postgres", superuser: "off" });
      await expect(migrate(database.owner)).resolves.toEqual([]);
    });

    it("lets nobody who adds a lead set its id or its time", async () => {
      expect(
        await database.owner`
          select distinct grantee::text, column_name::text from information_schema.column_privileges
          where table_schema = 'public' and table_name = 'leads' and privilege_type = 'INSERT' and grantee in ('anon', 'leads_intake')
            and column_name in ('id', 'created_at')`,
      ).toEqual([]);
    });

    it("leaves each role the rights on the leads that the migrations name, and no other", async () => {
      expect(await grants(database.owner)).toEqual([
        { grantee: "anon", rights: "INSERT" },
        { grantee: "leads_delivery", rights: "SELECT" },
        { grantee: "leads_intake", rights: "INSERT" },
        { grantee: "service_role", rights: "DELETE, SELECT" },
      ]);
    });

    it("takes a lead as PostgREST brings it, with its permission and its deliveries", async () => {
      await database.owner`update private.channels set enabled = true where name = 'webhook'`;
      const lead = aLead({ name: `Through PostgREST ${everythingGranted}` });
      await asPostgrest(database, lead);
      const [stored] = await database.owner`
        select l.phone, p.page_path, p.address, p.browser, p.utm, count(d.id)::int as deliveries
        from leads l join private.permissions p on p.lead_id = l.id left join private.deliveries d on d.lead_id = l.id
        where l.name = ${lead.name} group by 1, 2, 3, 4, 5`;
      expect(stored).toEqual({
        phone: lead.phone,
        page_path: "/",
        address: "203.0.113.9",
        browser: "A browser",
        utm: { utm_source: "news" },
        deliveries: 1,
      });
    });

    it.each([
      ["read leads", "select from leads"],
      ["add a lead", "insert into leads (name, email, phone, zip_code) values ('R', 'r', '1', '2')"],
      ["empty leads", "truncate leads"],
      ["call what is private", "select private.erase_leads('{}', 'asked')"],
    ])("lets no signed-in user %s", async (_, statement) => {
      await expect(asRole(database, "authenticated", statement)).rejects.toMatchObject({ code: "42501" });
    });

    it("lets the secret key find and erase a lead, and nothing is owed about it any more", async () => {
      await database.owner`update private.channels set enabled = true where name = 'webhook'`;
      const lead = aLead({ name: `To be erased ${everythingGranted}` });
      await asPostgrest(database, lead);
      const [{ id } = { id: "" }] = await database.owner<{ id: string }[]>`
        select id from leads where name = ${lead.name}`;
      await asRole(database, "service_role", `delete from leads where name = '${lead.name}'`);
      const [left] = await database.owner`
        select
          (select count(*)::int from leads where id = ${id}) as leads,
          (select count(*)::int from private.permissions where lead_id = ${id}) as permissions,
          (select count(*)::int from private.deliveries where lead_id = ${id}) as deliveries,
          (select count(*)::int from private.erasures where lead_id = ${id}) as receipts`;
      expect(left).toEqual({ leads: 0, permissions: 0, deliveries: 0, receipts: 1 });
    });

    it("tells a visitor in words what to correct, through PostgREST too", async () => {
      await expect(asPostgrest(database, aLead({ phone: " " }))).rejects.toMatchObject({
        code: "23514",
        message: "Please enter your phone number.",
      });
    });
  });
});

describe("the call from the database to submit-lead each minute", () => {
  const url = "https://project.example/functions/v1/submit-lead";
  let database: SupabaseLike;
  const schedule = (sql: Sql, key = "sb_publishable_one") =>
    sql<{ scheduled: boolean }[]>`select private.schedule_wake_up_call(${url}, ${key}) as scheduled`;
  beforeAll(async () => {
    database = await (await startSupabaseLike()).makeDatabase();
  });

  it("is not scheduled where pg_cron and pg_net are missing, and says so", async () => {
    expect(await schedule(database.owner)).toEqual([{ scheduled: false }]);
  });

  describe("where they are there", () => {
    beforeAll(() => database.platform.unsafe(extensionStubs).then(() => {}));

    it("is scheduled once, however often submit-lead starts", async () => {
      expect(await schedule(database.owner)).toEqual([{ scheduled: true }]);
      expect(await schedule(database.owner)).toEqual([{ scheduled: true }]);
      expect(await database.owner`select schedule, command from cron.job order by jobid`).toEqual([
        { schedule: "* * * * *", command: "select private.call_submit_lead()" },
        { schedule: "17 4 * * *", command: expect.stringContaining("delete from cron.job_run_details") },
        { schedule: "37 4 * * *", command: expect.stringContaining("private.recount()") },
      ]);
    });

    it("is scheduled with a daily job that counts the leads anew, and adds to the lists those whose transaction took long", async () => {
      const { owner } = database;
      await owner`insert into leads ${owner(aLead({ name: "In time" }))}`;
      await owner`select private.index_new_leads()`;
      await owner`insert into leads ${owner(aLead({ name: "Late" }))}`;
      await owner`update leads set created_at = now() - interval '1 hour' where name = 'Late'`;
      const listed = async () => {
        const found = await owner`
          select l.name, (select c.stored::int from private.lead_counts() c) as stored
          from private.lead_work w join leads l on l.id = w.lead_id order by w.created_at`;
        return found.map(({ name, stored }) => [name, stored]);
      };
      await owner`select private.index_new_leads()`;
      await owner`delete from private.lead_tallies`;
      expect(await listed()).toEqual([["In time", 0]]);
      const [daily] = await owner<
        { command: string }[]
      >`select command from cron.job where schedule = '37 4 * * *'`;
      await owner.unsafe(daily?.command ?? "");
      expect(await listed()).toEqual([
        ["Late", 2],
        ["In time", 2],
      ]);
    });

    it("is activated again with the daily jobs when submit-lead starts, after somebody deactivated one of them or all", async () => {
      const names = ["count leads anew", "call submit-lead", "remove old records of calls to submit-lead"];
      for (const which of ["true", ...names.map((name) => `jobname = '${name}'`)]) {
        await database.platform.unsafe(`update cron.job set active = false where ${which}`);
        expect(await schedule(database.owner)).toEqual([{ scheduled: true }]);
        expect(await database.owner`select jobname from cron.job where active order by jobid`).toEqual([
          { jobname: "call submit-lead" },
          { jobname: "remove old records of calls to submit-lead" },
          { jobname: "count leads anew" },
        ]);
      }
    });

    it("calls with the key that submit-lead started with last, and with nothing about a lead", async () => {
      await asPostgrest(database, aLead());
      await schedule(database.owner, "sb_publishable_two");
      await database.owner.unsafe("select private.call_submit_lead()");
      expect(await database.platform`select url, headers, body from net.http_request_queue`).toEqual([
        {
          url,
          headers: { "content-type": "application/json", authorization: "Bearer sb_publishable_two" },
          body: {},
        },
      ]);
    });

    it.each(["anon", "authenticated", "service_role"])(
      "is nothing that %s can look at or change",
      async (role) => {
        for (const statement of [
          "select from private.wake_up_call",
          "select private.call_submit_lead()",
          "select private.schedule_wake_up_call('https://elsewhere.example/functions/v1/submit-lead', 'x')",
        ]) {
          await expect(asRole(database, role, statement)).rejects.toMatchObject({ code: "42501" });
        }
      },
    );
  });

  it.each(["collect", "functions/v1/submit-lead-elsewhere", "functions/v1/submit-lead/c"])(
    "refuses an address whose path is not that of submit-lead: %s",
    async (path) => {
      await expect(
        database.owner`select private.schedule_wake_up_call(${`https://elsewhere.example/${path}`}, 'x')`,
      ).rejects.toMatchObject({ code: "23514" });
    },
  );
});

/** Any role of the API, as PostgREST becomes it. */
const asRole = ({ authenticator }: SupabaseLike, role: string, statement: string) =>
  authenticator.begin(async (tx) => {
    await tx`select set_config('role', ${role}, true)`;
    await tx.unsafe(statement);
  });

/** One request as PostgREST runs it: one transaction of the authenticator, the role, the method and the headers set in it. */
async function asPostgrest({ authenticator }: { authenticator: Sql }, lead: object): Promise<void> {
  const headers = {
    referer: "https://site.example/?utm_source=news",
    "user-agent": "A browser",
    "x-forwarded-for": "203.0.113.9, 10.0.0.1",
  };
  await authenticator.begin(async (tx) => {
    await tx`select set_config('role', 'anon', true), set_config('request.method', 'POST', true), set_config('request.headers', ${JSON.stringify(headers)}, true)`;
    await tx`
      with sent as (select ${JSON.stringify([lead])}::text::json as body)
      insert into public.leads (name, email, phone, zip_code, has_medicare, has_diabetes)
      select name, email, phone, zip_code, has_medicare, has_diabetes
      from sent, json_to_recordset(sent.body)
        as _ (name text, email text, phone text, zip_code text, has_medicare boolean, has_diabetes boolean)`;
  });
}
