// What the inbox's own login may do in the database: call the functions of the schema `team`, and nothing else. Whoever breaks into the
// inbox can do what its members do, and every look at more of a person than a list shows is in the audit log.
import { afterAll, describe, expect, it } from "vitest";
import { connect } from "../database/connect.ts";
import { roleAddress } from "../database/role-logins.ts";
import { refusal } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { hear, ids } from "./support/live-events.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const login = connect(roleAddress(database.url, "leads_team"));
afterAll(() => login.end({ timeout: 1 }));

/** Calls a function as a process would that sets any session token. */
const withSession = (session: string, call: string) =>
  login.begin(async (tx) => {
    await tx`select set_config('leads.session', ${session}, true)`;
    return tx.unsafe(`select ${call} as answer`);
  });

/** The tables, views and sequences of our schemas. */
const relations = async (kinds: string[]) =>
  (
    await database.owner<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'private', 'team') and c.relkind::text = any (${kinds}::text[])`
  ).map(({ name }) => name);

/** The rights that the inbox's login has to these tables and views, to all of a table or to a column. */
const rightsToTables = (names: string[]) => database.owner`
  select name, r as right
  from unnest(${names}::text[]) as name, unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) as r
  where has_table_privilege('leads_team', name, r)
    or case when r in ('select', 'insert', 'update', 'references') then has_any_column_privilege('leads_team', name, r) end`;

const rightsToSequences = (names: string[]) => database.owner`
  select name, r as right
  from unnest(${names}::text[]) as name, unnest('{usage,select,update}'::text[]) as r
  where has_sequence_privilege('leads_team', name, r)`;

describe("the inbox's login", () => {
  it("has no right to any table, column, view or sequence of the schemas public, private and team", async () => {
    const tables = await relations(["r", "v", "m", "p"]);
    const sequences = await relations(["S"]);
    expect(tables.length).toBeGreaterThan(20);
    expect(sequences.length).toBeGreaterThan(0);
    expect([...(await rightsToTables(tables)), ...(await rightsToSequences(sequences))]).toEqual([]);
  });

  it("has no right to a table or a sequence that the owner makes in these schemas later", async () => {
    const schemas = ["public", "private", "team"];
    const tables = schemas.map((schema) => `${schema}.made_later`);
    const sequences = schemas.map((schema) => `${schema}.counted_later`);
    for (const table of tables) await database.owner.unsafe(`create table ${table} (x integer)`);
    for (const sequence of sequences) await database.owner.unsafe(`create sequence ${sequence}`);
    expect([...(await rightsToTables(tables)), ...(await rightsToSequences(sequences))]).toEqual([]);
  });

  it("cannot read or change a table, call a function of another schema, take another role or make a table", async () => {
    for (const statement of [
      "select phone from public.leads",
      "select * from private.sessions",
      "select * from private.stop_list",
      "insert into public.leads (name, email, phone, zip_code) values ('a', 'b', 'c', 'd')",
      "update public.leads set phone = '1'",
      "insert into private.audit_log (who, action) values ('Dana', 'nothing')",
      "delete from private.audit_log",
      "truncate private.audit_log",
      "select private.begin_session(gen_random_uuid(), 'forged')",
      "select private.erase_leads('{}', 'asked')",
      "select private.stop_numbers('{3055550142}')",
      "set role postgres",
      "create table public.mine ()",
    ]) {
      expect([statement, await refusal(login.unsafe(statement))]).toEqual([
        statement,
        expect.stringMatching(/^(42501|22023|42704)$/),
      ]);
    }
  });

  it("is nobody without a session, and nobody with one that was made up", async () => {
    const id = await addLead(database);
    const calls = await database.owner<{ call: string }[]>`
      select format('team.%I(%s)', p.proname, (
        select coalesce(string_agg(format('null::%s', format_type(t.oid, null)), ', ' order by t.nth), '')
        from unnest(p.proargtypes) with ordinality as t (oid, nth)
      )) as call
      from pg_proc p
      where p.pronamespace = 'team'::regnamespace and has_function_privilege('leads_team', p.oid, 'execute')`;
    const open =
      /^team\.(open_invitation|challenge_to_join|join_with_passkey|challenge_to_sign_in|passkey_to_check|sign_in_with_passkey|begin_company_sign_in|company_sign_in_of|sign_in_with_company|sign_out|index_new_leads|metrics|schema_version|required_version)\(/;
    const closed = calls.filter(({ call }) => !open.test(call));
    expect(closed.length).toBeGreaterThan(35);
    for (const { call } of closed) {
      for (const session of ["", "none", "A".repeat(43)]) {
        expect([call, await refusal(withSession(session, call))]).toEqual([call, "PT401"]);
      }
    }
    expect(await refusal(withSession("", `team.record_opening('${id}', false)`))).toBe("PT401");
  });

  it("does nothing in a transaction that is more than a minute old, whose calling hours, locks and entries are those of then", async () => {
    const { owner } = database;
    const [{ definition } = { definition: "" }] = await owner<{ definition: string }[]>`
      select pg_get_functiondef('private.refuse_old_transaction'::regproc) as definition`;
    expect(definition).toContain("'1 minute'");
    const member = await inbox.member("In an old transaction");
    const token = member.cookie.replace("session=", "");
    const id = await addLead(database);
    const calls = [
      "team.me()",
      "team.queue('{}', null, 10)",
      `team.claim('${id}')`,
      `team.record_opening('${id}', false)`,
      `team.start_call('${id}', false)`,
    ];
    for (const call of calls) await withSession(token, call);
    // Every transaction is too old for this bound.
    await owner.unsafe(definition.replace("'1 minute'", "'0 seconds'"));
    for (const call of calls)
      expect([call, await refusal(withSession(token, call))]).toEqual([call, "PT403"]);
    await expect(owner`select private.begin_session(${member.id}, 'test')`).rejects.toMatchObject({
      code: "PT403",
    });
    await owner.unsafe(definition);
    await withSession(token, "team.me()");
  });

  it("does not do for a member what only a manager may do", async () => {
    const token = dana.cookie.replace("session=", "");
    const calls = [
      "team.members(null)",
      "team.invite_member('Mallory', 'manager')",
      `team.recover_member('${dana.id}')`,
      `team.remove_member('${dana.id}')`,
      "team.record_export('2020-01-01', '2030-01-01', 'UTC')",
      "team.export_leads(1, null, 10)",
      "team.record_reading('read reports', '{}')",
      "team.record_audit_export('{}')",
      "team.export_audit_log(1, null, 10)",
      "team.audit_log('{}', null, 10)",
      "team.reports('2020-01-01', '2030-01-01', 'UTC')",
      "team.campaigns('2020-01-01', '2030-01-01', 'UTC')",
      "team.record_campaign_costs('[]')",
      "team.require_right_to_costs()",
      "team.experiments()",
      "team.pause_state('KY', 'why')",
      "team.resume_state('KY')",
      "team.erase_lead(gen_random_uuid(), '')",
      "team.take_back(gen_random_uuid(), gen_random_uuid())",
      "team.retry_failed_deliveries()",
    ];
    for (const call of calls) {
      expect([call, await refusal(withSession(token, call))]).toEqual([call, "PT403"]);
    }
    const asking = await database.owner<{ name: string }[]>`
      select 'team.' || proname as name from pg_proc
      where pronamespace = 'team'::regnamespace and has_function_privilege('leads_team', oid, 'execute')
        and prosrc like '%private.require_manager(%'`;
    const named = calls.map((call) => call.replace(/\(.*/, ""));
    expect(asking.map(({ name }) => name).toSorted(), "Add what only a manager may do").toEqual(
      named.toSorted(),
    );
  });

  it("cannot look unseen, because it has to write the audit log in a transaction before the one in which it looks", async () => {
    const id = await addLead(database, { phone: "111-555-7788", email: "rosa@example.com" });
    const token = dana.cookie.replace("session=", "");
    const both = (first: string, second: (answer: unknown) => string) =>
      login.begin(async (tx) => {
        await tx`select set_config('leads.session', ${token}, true)`;
        const [row] = await tx.unsafe(`select ${first} as answer`);
        return tx.unsafe(`select ${second(row?.answer)} as answer`);
      });
    const open = both(`team.record_opening('${id}', false)`, (entry) => `team.open_lead(${entry})`);
    expect(await refusal(open)).toBe("PT403");
    const health = both(
      `team.record_opening('${id}', true)`,
      (entry) => `team.open_health_answers(${entry})`,
    );
    expect(await refusal(health)).toBe("PT403");
    const call = both(
      `team.start_call('${id}', false)`,
      (started) => `team.number_of_call('${(started as { call_id: string }).call_id}')`,
    );
    expect(await refusal(call)).toBe("PT404");
    const proof = both(`team.stop_lead('${id}')`, (entry) => `team.stop_proof(${entry})`);
    expect(await refusal(proof)).toBe("PT403");
    const manager = (await inbox.member("Mia", "manager")).cookie.replace("session=", "");
    expect(await refusal(withSession(manager, `team.call_log('${id}')`))).toBe("42501");
    const entries = await database.owner`select from private.audit_log where lead_id = ${id}`;
    expect(entries).toHaveLength(0);
  });

  it("has no function that writes the audit log and also reads more of a lead than a list shows", async () => {
    const granted = await database.owner<{ name: string; body: string }[]>`
      select p.proname as name, p.prosrc as body from pg_proc p
      where p.pronamespace = 'team'::regnamespace and has_function_privilege('leads_team', p.oid, 'execute')`;
    const writes = granted.filter(({ body }) => /private\.(audit|audit_reading|stop_calls)\(/.test(body));
    expect(writes.length).toBeGreaterThan(20);
    const readers =
      "private.call_log_of( private.stop_proof( private.permission_json( private.others_of( private.number_of_started_call( private.audit_page(";
    const columns = "l.name l.email l.phone l.has_medicare l.has_diabetes 'note', 'answers',";
    const tells = `${readers} ${columns}`.split(" ");
    const both = writes
      .filter(({ body }) => tells.some((part) => body.includes(part)))
      .map(({ name }) => name);
    // One counts the entries that it will export. The other checks that there is a proof. Both return only the id of their entry.
    expect(both.toSorted()).toEqual(["record_audit_export", "record_stop_proof"]);
    const returns = await database.owner<{ type: string }[]>`
      select pg_get_function_result(oid) as type from pg_proc where proname = any (${both}::text[])`;
    expect(returns.map(({ type }) => type)).toEqual(["bigint", "bigint"]);
  });

  it("opens only what an entry of the audit log names, only for the entry's own member, and not two minutes later", async () => {
    const [id, other] = [await addLead(database), await addLead(database)];
    const token = dana.cookie.replace("session=", "");
    const record = async (lead: string) =>
      (await withSession(token, `team.record_opening('${lead}', false)`))[0]?.answer;
    const opened = async (entry: string) =>
      (await withSession(token, `team.open_lead(${entry})`))[0]?.answer.id;
    const [entry, entryOfOther] = [await record(id), await record(other)];
    expect([await opened(entry), await opened(entryOfOther)]).toEqual([id, other]);
    expect(await refusal(withSession(token, `team.open_health_answers(${entry})`))).toBe("PT403");
    const lee = await inbox.member("Lee");
    expect(await refusal(withSession(lee.cookie.replace("session=", ""), `team.open_lead(${entry})`))).toBe(
      "PT403",
    );
    await database.owner`update private.audit_log set at = now() - interval '2 minutes' where id = ${entry}`;
    expect(await refusal(withSession(token, `team.open_lead(${entry})`))).toBe("PT403");
    // As if it was written while the database's clock was ahead.
    await database.owner`update private.audit_log set at = now() + interval '3 years' where id = ${entry}`;
    expect(await refusal(withSession(token, `team.open_lead(${entry})`))).toBe("PT403");
  });

  it("exports only what the entry in the audit log names, whichever page it asks for", async () => {
    const manager = (await inbox.member("Eva", "manager")).cookie.replace("session=", "");
    const ofOldDay = await addLead(database, {}, 240);
    const id = await addLead(database);
    const [period] = await withSession(
      manager,
      `team.record_export(current_date::text, current_date::text, 'UTC')`,
    );
    const nil = "00000000-0000-0000-0000-000000000000";
    const [page] = await withSession(
      manager,
      `team.export_leads(${period?.answer}, '-infinity|${nil}', 1000)`,
    );
    const exported = page?.answer.leads.map((lead: { id: string }) => lead.id);
    expect(exported).not.toContain(ofOldDay);
    // The function that records the reading of a report records no other act.
    for (const act of ["exported leads", "exported audit log", "opened lead"])
      expect(await refusal(withSession(manager, `team.record_reading('${act}', '{}')`))).toBe("PT404");
    const [log] = await withSession(manager, "team.record_audit_export('{}')");
    const [later] = await withSession(manager, `team.record_opening('${id}', false)`);
    const [entries] = await withSession(
      manager,
      `team.export_audit_log(${log?.answer}, ${later?.answer}, 1000)`,
    );
    expect(entries?.answer.entries.map((entry: { id: number }) => entry.id)).not.toContain(
      Number(log?.answer),
    );
  });
});

describe("whoever calls the functions with a session", () => {
  it("keeps nothing in the audit log or with a check that is no filter and no answer, so that both can still be read", async () => {
    const ana = await inbox.member("Anita", "manager");
    const token = ana.cookie.replace("session=", "");
    const id = await addLead(database);
    await withSession(token, `team.claim('${id}')`);
    const filters = [
      { note: { name: "Rosa Martinez" } },
      { zone: "Rosa Martinez" },
      { zone: "ROSA5" },
      { action: "Rosa Martinez" },
      { lead: "Rosa Martinez" },
      { since: "Rosa" },
    ];
    const asJson = (value: object) => `'${JSON.stringify(value)}'`;
    for (const filter of filters)
      await withSession(token, `team.record_audit_export(${asJson(filter)})`).catch(() => {});
    const answers = {
      diabetes: "yes",
      insulin: "yes",
      recurrent_lows: "no",
      low_with_help: "no",
      visit_on: null,
      visit_planned: "no",
      trained: "yes",
      plan: "part_b",
      prescriber: "Dr. Lee",
    };
    for (const odd of [
      { medicare_number: "1EG4-TE5-MK73" },
      { plan: "Rosa" },
      { trained: null },
      { prescriber: "x".repeat(201) },
    ])
      await withSession(
        token,
        `team.record_eligibility('${id}', ${asJson(Object.assign({}, answers, odd))})`,
      ).catch(() => {});
    const rows = await database.owner`
      select details::text from private.audit_log union all select answers::text from private.eligibility_checks`;
    expect(JSON.stringify(rows)).not.toMatch(/Rosa|ROSA|1EG4|x{9}/);
    expect(rows.some(({ details }) => details.includes("Dr. Lee"))).toBe(true);
    expect((await ana.call("audit")).status).toBe(200);
    expect((await ana.call("open", { id })).status).toBe(200);
  });
});

describe("an erasure", () => {
  it("does nothing without the reference that a manager types to confirm it", async () => {
    const id = await addLead(database);
    const manager = (await inbox.member("Ana", "manager")).cookie.replace("session=", "");
    const [row] = await withSession(manager, `team.erase_lead('${id}', null)`);
    expect(row?.answer).toBe(false);
    expect(await database.owner`select from public.leads where id = ${id}`).toHaveLength(1);
  });
});

describe("the audit log", () => {
  it("names no visitor after all that the other tests of this chapter did", async () => {
    const rows = await database.owner`select who, action, details from private.audit_log`;
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(2);
    expect(text).not.toMatch(/Rosa|example\.com|111\D{0,2}555\D?\d{4}/);
  });
});

describe("a notification that another login sends to the open pages", () => {
  it("is passed over unless it has the form of ours, and those of leads go on to come", async () => {
    const notify = (text: string) => database.intake`select pg_notify('team', ${text})`;
    const odd = [
      "{",
      "null",
      '{"kind":"leads"}',
      '{"kind":"leads","new":{"length":1},"changed":[]}',
      '{"kind":"leads","new":["forged"],"changed":[]}',
      `{"kind":"leads","new":${JSON.stringify(Array(200).fill(crypto.randomUUID()))},"changed":[]}`,
      '{"kind":"told","member":1}',
    ];
    const act = async () => {
      for (let round = 0; round < 2; round += 1) for (const text of odd) await notify(text);
      await dana.call("claim", { id });
    };
    const id = await addLead(database);
    const { heard } = await hear(inbox, dana, act, (events) => ids(events, "changed").includes(id));
    expect(ids(heard, "new")).not.toContain("forged");
  });
});
