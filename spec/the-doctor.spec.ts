// The doctor on a complete deployment, and on one whose database or key is broken: it names what fails, with its fix.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sources, sourcesToReview } from "../content/claims.ts";
import type { Sql } from "../database/connect.ts";
import { claim } from "../delivery/claim.ts";
import { examineClaims } from "../doctor/claims.ts";
import { examineDeliveries } from "../doctor/deliveries.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { examineKey } from "../doctor/key.ts";
import { followTestLead, makeTestLead } from "../doctor/test-lead.ts";
import { examineVisitorAddress } from "../doctor/visitor-address.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { keys } from "./support/edge-function.ts";
import { startDeployment } from "./support/examined-deployment.ts";

const { host, project, examineProject, expectFailure } = await startDeployment();

/** What the doctor asks while no lead has come on a weekend. */
const aboutSundays = {
  is: "not examined",
  says: expect.stringMatching(/^Does somebody review leads on Saturdays and Sundays/),
};

describe("the doctor", () => {
  it("passes a complete deployment, sees that the team was told, and leaves nothing behind", async () => {
    const { hasFailed, findings } = await examineProject({ sql: true });
    expect(findings.filter(({ is }) => is !== "pass")).toEqual([aboutSundays]);
    expect(hasFailed).toBe(false);
    expect(findings.map(({ says }) => says)).toEqual(
      expect.arrayContaining([
        "The database knows the permission notice on the page /.",
        "The team was told of the test lead by webhook.",
        "The database calls submit-lead each minute.",
        "The test lead is erased again.",
      ]),
    );
    expect(await project.database.owner`select from leads`).toHaveLength(0);
  });

  it("says from outside what it could not examine, and that its test lead stays", async () => {
    const { hasFailed, findings } = await examineProject();
    expect(hasFailed).toBe(false);
    expect(findings.filter(({ is }) => is !== "pass")).toEqual([
      {
        is: "not examined",
        says: expect.stringMatching(
          /^The database from inside, and the test lead stays: .{1,99}--email doctor@test.invalid/,
        ),
      },
    ]);
    expect(await project.database.owner`select name from leads`).toEqual([
      { name: expect.stringMatching(/^TEST of npm run doctor at 20/) },
    ]);
  });

  it("erases its test lead with the secret key, and nothing else", async () => {
    const deletions: string[] = [];
    project.override = ({ method, path, headers }) => {
      if (method !== "DELETE" || headers.apikey !== "sb_secret_of_the_spec") return undefined;
      deletions.push(decodeURIComponent(path));
      return { status: 204 };
    };
    const { findings } = await examineProject({ secretKey: "sb_secret_of_the_spec" });
    expect(findings.at(-1)).toEqual({ is: "pass", says: "The test lead is erased again." });
    expect(findings.filter(({ is }) => is === "not examined")).toEqual([
      { is: "not examined", says: "The database from inside: give DATABASE_URL." },
    ]);
    expect(deletions).toEqual([
      expect.stringContaining("email=eq.doctor@test.invalid&name=like.TEST+of+npm+run+doctor*"),
    ]);
    await expectFailure(/could not be erased \(401 /, { secretKey: "sb_secret_of_another_project" });
  });

  it("erases its test lead in a database whose tables are old, and does not ask for DATABASE_URL, which it has", async () => {
    const { owner } = project.database;
    await owner`
      update supabase_migrations.schema_migrations set version = '0' || version where version > '20261121000001'`;
    const { findings } = await examineProject({ sql: true }).finally(
      () => owner`update supabase_migrations.schema_migrations set version = ltrim(version, '0')`,
    );
    expect(findings.at(-1)).toEqual({ is: "pass", says: "The test lead is erased again." });
    expect(findings).not.toContainEqual({
      is: "not examined",
      says: expect.stringMatching(/give DATABASE_URL/),
    });
    expect(await owner`select from leads`).toHaveLength(0);
  });

  it("erases its test lead also when it fails itself afterwards", async () => {
    const { owner, platform } = project.database;
    await platform`alter table cron.job rename column active to of_another_version`;
    onTestFinished(() =>
      platform`alter table cron.job rename column of_another_version to active`.then(() => {}),
    );
    await expect(examineProject({ sql: true })).rejects.toMatchObject({ code: "42703" });
    expect(await owner`select from leads`).toHaveLength(0);
  });

  it("says how to erase its test lead when the database refuses to", async () => {
    const { owner } = project.database;
    const renamed = (from: string, to: string) =>
      owner.unsafe(`alter function private.${from}(uuid[], text) rename to ${to}`);
    await renamed("erase_leads", "erase_no_leads");
    const { findings } = await examineProject({ sql: true }).finally(() =>
      renamed("erase_no_leads", "erase_leads"),
    );
    expect(findings.at(-1)).toEqual({
      is: "fail",
      says: "The test lead could not be erased in the database (42883).",
      fix: expect.stringContaining("erase --email doctor@test.invalid"),
    });
    expect(await owner`select from leads`).toHaveLength(1);
  });

  it("waits for a channel that gives nothing out for some seconds after it sent another lead", async () => {
    const pending = { channel: "email", isDelivered: false, reason: null, cooldown: 60_000 };
    const answers = [
      [{ id: "1" }],
      [{ name: "email" }],
      [pending],
      [{ ...pending, isDelivered: true, cooldown: 0 }],
    ];
    const sql = (async () => answers.shift()) as unknown as Sql;
    expect(await followTestLead(sql, makeTestLead(new Date()), { timeout: 0 })).toEqual([
      { is: "pass", says: "The team was told of the test lead by email." },
    ]);
  });

  it("says of a receiver that does not answer soon that an attempt is under way", async () => {
    const { owner } = await makeDatabase();
    await owner`update private.channels set enabled = name = 'webhook'`;
    const testLead = makeTestLead(new Date());
    await owner`insert into leads ${owner(testLead)}`;
    const found = async () => (await followTestLead(owner, testLead, { timeout: 0 })).map(({ says }) => says);
    const not = "The team was not told of the test lead by webhook";
    expect(await found()).toEqual([`${not} (no attempt was made yet).`]);
    await claim(owner, "webhook", { max: 1, lease: 90 });
    expect(await found()).toEqual([`${not} (an attempt is under way).`]);
  });

  it("tells how long a delivery has waited by the database's clock, with which other clocks may not agree", async () => {
    const { owner } = project.database;
    onTestFinished(() => void vi.useRealTimers());
    onTestFinished(async () => void (await owner`delete from private.deliveries where channel = 'email'`));
    const waitFor = (minutes: number) => owner`
      insert into private.deliveries (lead_id, channel, created_at)
      values (gen_random_uuid(), 'email', now() - make_interval(mins => ${minutes}))`;
    const failures = async () => {
      const found = await examineDeliveries(owner);
      return found.filter(({ is }) => is === "fail").map(({ says }) => says);
    };
    vi.setSystemTime(Date.now() + 3_600_000);
    await waitFor(14);
    expect(await failures()).toEqual([]);
    await waitFor(16);
    expect(await failures()).toEqual([
      "The oldest email delivery has waited 16 minutes: the channel is not set up any more.",
    ]);
  });

  it("says so when the test lead is owed to no channel", async () => {
    const answers = [[{ id: "1" }], [{ name: "email" }], []];
    const sql = (async () => answers.shift()) as unknown as Sql;
    expect(await followTestLead(sql, makeTestLead(new Date()), { timeout: 0 })).toEqual([
      {
        is: "fail",
        says: "The test lead is owed to no channel, although there are some (email).",
        fix: expect.stringContaining("enable trigger"),
      },
    ]);
  });

  it("gives each role back the rights that it needs, when it says how to take away those that it does not", async () => {
    const { owner } = project.database;
    await owner`grant select on leads to anon, leads_intake, authenticated`;
    const { findings } = await examineProject({ sql: true });
    const found = findings.flatMap((finding) => (finding.is === "fail" ? [finding.fix] : []));
    expect(found).toHaveLength(1);
    await owner.unsafe(found.join());
    expect((await examineProject({ sql: true })).hasFailed).toBe(false);
  });

  it("judges its newest test lead, and erases those of earlier runs whose deliveries failed", async () => {
    const { owner } = project.database;
    await examineProject();
    await owner`
      update private.deliveries set delivered_at = null, failed_at = now(), last_error = 'refused'
      where lead_id in (select id from leads)`;
    const { findings } = await examineProject({ sql: true });
    expect(findings.map(({ says }) => says)).toContain("The team was told of the test lead by webhook.");
    expect(await owner`select from leads`).toHaveLength(0);
    expect((await examineProject({ sql: true })).hasFailed).toBe(false);
  });

  it("sees that TRUST_PROXY is missing where the visitor's address is one of the proxy's network", async () => {
    const { owner } = project.database;
    const testLead = makeTestLead(new Date());
    const seenAt = async (url: string, address: string | null, itsAddresses = ["203.0.113.1"]) => {
      await owner`delete from leads`;
      const lead = await owner`insert into leads ${owner(testLead)} returning id`;
      await owner`update private.permissions set address = ${address} where lead_id = ${lead[0]?.id}`;
      return examineVisitorAddress(owner, { url, key: "", site: url }, testLead, async () => itsAddresses);
    };
    const site = "https://www.example.com";
    for (const address of ["127.0.0.1", "::1", "172.18.0.2", "::ffff:10.0.0.3", "fd00::2"])
      expect(await seenAt(site, address)).toEqual([
        { is: "fail", says: expect.stringContaining(`takes ${address} for`), fix: expect.any(String) },
      ]);
    for (const address of ["203.0.113.7", "2001:db8::1"])
      expect(await seenAt(site, address)).toMatchObject([{ is: "pass" }]);
    expect(await seenAt(site, null)).toEqual([]);
    for (const url of ["http://localhost:3000", "http://10.0.0.5", "http://[::1]:3000"])
      expect(await seenAt(url, "127.0.0.1")).toEqual([]);
    // Such as on the server itself, where its name stands in /etc/hosts.
    expect(await seenAt(site, "127.0.0.1", ["127.0.1.1"])).toEqual([]);
  });

  it("finds each source of a claim that nobody has read for 90 days", () => {
    const days = Object.values(sources).map(({ reviewed }) => Date.parse(reviewed));
    const [first, last] = [Math.min(...days), Math.max(...days)];
    expect(examineClaims(sourcesToReview(new Date(first)))).toMatchObject({ is: "pass" });
    expect(examineClaims(sourcesToReview(new Date(last + 91 * 86_400_000)))).toMatchObject({
      is: "fail",
      says: expect.stringMatching(/medicare\.gov.{0,300}\(\d{4}-/),
      fix: expect.stringContaining("content/claims.ts"),
    });
  });

  it("fails where leads of the last weekends were not reviewed within 24 hours, also of people who asked to stop later, and does not count an old test lead", async () => {
    const { owner } = project.database;
    const sundays = owner`
      select date_trunc('week', now() at time zone 'America/New_York') at time zone 'America/New_York'
        - interval '7 days' * week - interval '1 day' as at from generate_series(1, 2) week`;
    for (const { at } of await sundays) {
      // The second is a test lead that an earlier doctor could not erase.
      for (const lead of [aLead({ email: `${Number(at)}@example.com` }), makeTestLead(at)]) {
        const [stored] = await owner`insert into leads ${owner(lead)} returning id`;
        await owner`update leads set created_at = ${at} where id = ${stored?.id}`;
        // Asked to stop when the 24 hours were over.
        await owner`update private.permissions set withdrawn_at = ${at}::timestamptz + interval '25 hours' where lead_id = ${stored?.id}`;
      }
    }
    await expectFailure(
      /Leads of the last 35 days whose 24 hours fell on a weekend, and that nobody reviewed in time: 2 of 2/,
      {
        sql: true,
      },
    );
  });
});

describe("the doctor names a database where", () => {
  it.each([
    [
      "row-level security is off",
      /Row-level security is off/,
      "alter table leads disable row level security",
      "alter table leads enable row level security",
    ],
    [
      "a policy lets leads be read",
      /allows more than adding one: "Open to all"/,
      `create policy "Open to all" on leads for select to anon using (true)`,
      `drop policy "Open to all" on leads`,
    ],
    [
      "the policy is missing",
      /No policy lets a visitor add/,
      `drop policy "A visitor may add a lead" on leads`,
      `create policy "A visitor may add a lead" on leads for insert to anon with check (true)`,
    ],
    [
      "visitors may read",
      /more rights .{0,300}: anon \(select\)/,
      "grant select on leads to anon",
      "revoke select on leads from anon",
    ],
    [
      "who is signed in may empty the table",
      /more rights .{0,300}: authenticated \(truncate\)/,
      "grant truncate on leads to authenticated",
      "revoke truncate on leads from authenticated",
    ],
    [
      "a failed delivery waits for the team",
      /Deliveries by email that have failed: 1\./,
      "insert into private.deliveries (lead_id, channel, failed_at) values (gen_random_uuid(), 'email', now())",
      "delete from private.deliveries where channel = 'email'",
    ],
    [
      "a delivery has waited long",
      /oldest webhook delivery has waited 20 minutes\./,
      // Held, so that the project does not try it meanwhile.
      "insert into private.deliveries (lead_id, channel, created_at, claimed_until) values (gen_random_uuid(), 'webhook', now() - interval '20 minutes', now() + interval '1 hour')",
      "delete from private.deliveries where created_at < now() - interval '19 minutes'",
    ],
    [
      "a delivery waits for a channel that is not set up any more",
      /oldest chat delivery has waited 20 minutes: the channel is not set up any more/,
      "insert into private.deliveries (lead_id, channel, created_at, due_at) values (gen_random_uuid(), 'chat', now() - interval '20 minutes', now())",
      "delete from private.deliveries where channel = 'chat'",
    ],
    [
      "a delivery has failed for a reason",
      /that have failed: 1\. The channel's last failure: the certificate is not trusted\.$/,
      `insert into private.deliveries (lead_id, channel, failed_at, last_error) values (gen_random_uuid(), 'email', now(), 'of an earlier attempt');
       update private.channels set last_failure = 'the certificate is not trusted.' where name = 'email'`,
      "delete from private.deliveries where channel = 'email'; update private.channels set last_failure = null",
    ],
    [
      "leads came from a page with another notice",
      /Leads of the last 30 days that came from a page whose permission notice the database does not know: 1\./,
      "insert into private.permissions (lead_id, notice_hash) values (gen_random_uuid(), repeat('a', 64))",
      "delete from private.permissions where notice_hash = repeat('a', 64)",
    ],
    [
      "nobody calls submit-lead",
      /not scheduled/,
      "update cron.job set active = false",
      "update cron.job set active = true",
    ],
    [
      "the tables are old",
      /tables are of version 20261121000001/,
      "update supabase_migrations.schema_migrations set version = '0' || version where version > '20261121000001'",
      "update supabase_migrations.schema_migrations set version = ltrim(version, '0')",
    ],
    [
      "a newer release has made the tables unfit for this program",
      /^A newer release has changed the tables \(migration 29990101000000\)/,
      `insert into supabase_migrations.schema_migrations (version, name, statements) values ('29990101000000', 'later',
        array['-- Older programs do not work on these tables.', 'alter table leads drop column name'])`,
      "delete from supabase_migrations.schema_migrations where version = '29990101000000'",
    ],
  ])("%s", async (_, says, damage, repair) => {
    await project.database.owner.unsafe(damage);
    try {
      await expectFailure(says, { sql: true });
    } finally {
      await project.database.owner.unsafe(repair);
    }
  });

  it("no channel is set up, no notice is known, and the backend is another one", async () => {
    const other = await makeDatabase();
    const findings: Finding[] = [];
    await examine(
      { url: project.url, key: keys.publishable, site: host.url },
      { sql: other.owner },
      (finding) => findings.push(finding),
      { due: [] },
    );
    expect(findings.filter(({ is }) => is === "fail").map(({ says }) => says)).toEqual([
      "The database does not know the permission notice on the page /: its leads come without evidence of the wording.",
      "The team hears of no lead: no channel is set up.",
      "The test lead is not in the database that was examined.",
    ]);
  });
});

describe("the doctor names a key that", () => {
  const jwt = (claims: object) =>
    `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
  const now = new Date("2026-11-21T00:00:00Z");
  const lookAt = (key: string) =>
    examineKey({ url: "https://abc.supabase.co", key, site: undefined }, now)[0];
  it.each([
    ["is secret", "sb_secret_x", /secret key/],
    ["is the service key", jwt({ role: "service_role", ref: "abc" }), /service key/],
    ["belongs to another project", jwt({ role: "anon", ref: "xyz" }), /another project/],
    ["has expired", jwt({ role: "anon", ref: "abc", exp: 1_700_000_000 }), /expired/],
    ["is of another role", jwt({ role: "authenticated", ref: "abc" }), /not one of the role anon/],
    ["is none", "abc", /neither/],
  ])("%s", (_, key, says) => {
    expect(lookAt(key)).toMatchObject({ is: "fail", says: expect.stringMatching(says) });
  });

  it.each([["sb_publishable_x"], [jwt({ role: "anon", ref: "abc", exp: 2_000_000_000 })]])(
    "is valid, with the finding `pass` (%s)",
    (key) => {
      expect(lookAt(key)).toMatchObject({ is: "pass" });
    },
  );
});
