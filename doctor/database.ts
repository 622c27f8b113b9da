// The database from inside: whether its tables are the newest, who may do what with leads, and who calls submit-lead.
import type { Sql } from "../database/connect.ts";
import { newestVersion, requiredVersion } from "../database/migrate.ts";
import { codeOf } from "../log/log.ts";
import { type Finding, fail, pass } from "./finding.ts";

/** Examines the database. `isHosted`: it is that of a Supabase project, so it must call submit-lead each minute. */
export async function examineDatabase(sql: Sql, { isHosted }: { isHosted: boolean }): Promise<Finding[]> {
  const schema = await examineSchema(sql);
  if (schema.is !== "pass") return [schema];
  return [
    schema,
    await examineRowSecurity(sql),
    await examineGrants(sql),
    ...(isHosted || (await wasScheduled(sql)) ? [await examineSchedule(sql)] : []),
  ];
}

async function examineSchema(sql: Sql): Promise<Finding> {
  const fix = "Apply the migrations: `npx supabase@3 db push --remote`, or start our own server once.";
  try {
    const [row] = await sql<{ version: string | null }[]>`select private.schema_version() as version`;
    const newest = await newestVersion();
    if (!row?.version || row.version < newest)
      return fail(`The tables are of version ${row?.version ?? "none"}; this program knows ${newest}.`, fix);
    const required = await requiredVersion(sql);
    if (required <= newest) return pass("The database has the newest tables.");
    return fail(
      `A newer release has changed the tables (migration ${required}), so that this one does not work on them.`,
      "Put the newer release in force again, or restore a backup from before it.",
    );
  } catch (error) {
    const code = codeOf(error);
    const refused = `The database does not let us in (${code}).`;
    if (code === "42501") return fail(refused, "DATABASE_URL must name the database's owner.");
    if (code.startsWith("28")) return fail(refused, "Check the user and the password in DATABASE_URL.");
    if (/^(42|3F)/.test(code)) return fail("The database has no leads tables.", fix);
    return fail(
      `The database does not answer as it should (${code}).`,
      "Look at DATABASE_URL, and whether the database runs.",
    );
  }
}

async function examineRowSecurity(sql: Sql): Promise<Finding> {
  const [table] = await sql<
    { on: boolean }[]
  >`select relrowsecurity as on from pg_class where oid = 'public.leads'::regclass`;
  if (!table?.on)
    return fail(
      "Row-level security is off for leads.",
      "alter table public.leads enable row level security;",
    );
  const policies = await sql<{ name: string; cmd: string; is_ours: boolean }[]>`
    select policyname as name, cmd, cmd = 'INSERT' and roles = '{anon}' or cmd = 'SELECT' and roles = '{leads_delivery}' as is_ours from pg_policies
    where schemaname = 'public' and tablename = 'leads'`;
  const foreign = policies.filter((policy) => !policy.is_ours).map(({ name }) => JSON.stringify(name));
  if (foreign.length > 0)
    return fail(
      `A policy on leads allows more than adding one: ${foreign.join(", ")}.`,
      "drop policy <name> on public.leads;",
    );
  if (!policies.some(({ cmd }) => cmd === "INSERT")) {
    return fail(
      "No policy lets a visitor add a lead.",
      `create policy "A visitor may add a lead" on public.leads for insert to anon with check (true);`,
    );
  }
  if (!policies.some(({ cmd }) => cmd === "SELECT"))
    return fail(
      "No policy lets the delivery read a lead.",
      `create policy "The delivery may read a lead" on public.leads for select to leads_delivery using (true);`,
    );
  return pass("Row-level security is on: a visitor may add a lead, and only the delivery may read one.");
}

// Finds rights of the visitor's roles that the migrations do not grant. An INSERT on the whole table is found by its columns, where it is
// listed for each.
async function examineGrants(sql: Sql): Promise<Finding> {
  const extra = await sql<{ grantee: string; rights: string }[]>`
    with granted as (
      select grantee::text, privilege_type::text as privilege, null as column from information_schema.table_privileges
      where table_schema = 'public' and table_name = 'leads'
      union
      select grantee, privilege_type, column_name from information_schema.column_privileges
      where table_schema = 'public' and table_name = 'leads'
    )
    select grantee, string_agg(distinct lower(privilege), ', ') as rights from granted g
    where grantee in ('PUBLIC', 'anon', 'authenticated', 'leads_intake')
      and not (grantee = 'anon' and privilege = 'INSERT'
        and g.column in ('name', 'email', 'phone', 'zip_code', 'has_medicare', 'has_diabetes'))
      and not (grantee = 'leads_intake' and privilege = 'INSERT' and g.column = 'request_headers')
    group by grantee order by grantee`;
  if (extra.length === 0)
    return pass("No role of the visitor's side has more rights on leads than it needs.");
  const list = extra.map(({ grantee, rights }) => `${grantee} (${rights})`).join(", ");
  return fail(
    `Somebody has more rights on leads than the migrations give: ${list}.`,
    extra.map(({ grantee }) => restoreGrants(grantee)).join(" "),
  );
}

/** Takes all rights on leads from a role, and gives back those that the migrations give. */
const restoreGrants = (role: string): string =>
  `revoke all on public.leads from ${role};${grantsOfMigrations[role] ? ` grant ${grantsOfMigrations[role]} on public.leads to ${role};` : ""}`;

const grantsOfMigrations: Record<string, string> = {
  anon: "insert (name, email, phone, zip_code, has_medicare, has_diabetes)",
  leads_intake: "insert (request_headers)",
};

/** Whether a hosted submit-lead has ever asked to be called each minute. */
const wasScheduled = async (sql: Sql) => (await sql`select from private.wake_up_call`).length > 0;

async function examineSchedule(sql: Sql): Promise<Finding> {
  const fix =
    "In the SQL editor: `create extension if not exists pg_cron; create extension if not exists pg_net;`. Then deploy submit-lead again and call it once: its first call arranges the rest.";
  const [found] = await sql<{ cron: boolean; net: boolean }[]>`
    select to_regclass('cron.job') is not null as cron, to_regclass('net.http_request_queue') is not null as net`;
  if (!found?.cron || !found.net)
    return fail("Nothing calls submit-lead each minute: pg_cron or pg_net is missing.", fix);
  const jobs = await sql`select from cron.job where command = 'select private.call_submit_lead()' and active`;
  if (jobs.length > 0) return pass("The database calls submit-lead each minute.");
  return fail("Nothing calls submit-lead each minute: it is not scheduled.", fix);
}
