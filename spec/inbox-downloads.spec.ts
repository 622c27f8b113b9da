// The files that a manager takes away from the inbox: whole, in the audit log before the first row, and sent a page at a time.
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { roleAddress } from "../database/role-logins.ts";
import { streamOf } from "../inbox/downloads.ts";
import { type Ask, askWithSession } from "../team/ask.ts";
import { exportedAuditPages, exportedLeadPages, recordAuditExport, recordExport } from "../team/managing.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { leads } from "./support/leads-command.ts";

const { database, inbox } = await makeInbox();
const maria = await inbox.member("Maria", "manager");
const paula = await inbox.member("Paula", "manager");
const dana = await inbox.member("Dana");
const period = { since: "2020-01-01", until: "2035-12-31", zone: "America/New_York" };
const { owner } = database;

/** More than four pages of 2,000, because a test allows two that are not taken. */
const many = 8_500;
/** More entries than the connection holds before the browser has taken any of them. */
const beyondBuffers = 20_000;

beforeAll(async () => {
  await owner`
    insert into leads (created_at, name, email, phone, zip_code)
    select now() - interval '1 day' + n * interval '1 second', 'Rosa ' || n, n || '@example.com', (3050000000 + n)::text, '33101'
    from generate_series(1, ${many}::integer) n`;
  await owner`select private.index_new_leads(null, '100 years')`;
  await owner`
    insert into private.audit_log (at, who, action) select now() - n * interval '1 second', 'operator', 'read status'
    from generate_series(1, ${many}::integer) n`;
});

const addressOfLeads = async () => (await maria.call("export", period)).body.address;
const namesIn = (csv: string) =>
  (parse(csv, { columns: true, bom: true }) as { name: string }[]).map(({ name }) => name);
const entriesOf = async (action: string) =>
  (await owner`select from private.audit_log where action = ${action} and member_id = ${maria.id}`).length;

describe("the file of leads", () => {
  it("has each lead of the days once, the oldest first, and begins with the mark by which spreadsheets know UTF-8", async () => {
    const file = await maria.download(await addressOfLeads());
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe("attachment");
    expect(file.headers.get("cache-control")).toBe("no-store");
    const bytes = Buffer.from(await file.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(namesIn(bytes.toString())).toEqual(Array.from({ length: many }, (_, n) => `Rosa ${n + 1}`));
  });

  it("has the leads that came before it was asked for, also one of this second, and none that came later", async () => {
    const added = (name: string) => owner`
      insert into leads (name, email, phone, zip_code) values (${name}, ${`${name}@example.com`}, ${name}, '33101')`;
    await added("111-555-0001");
    const address = await addressOfLeads();
    await addLead(database, { name: "Later" }, 0);
    const names = namesIn(await (await maria.download(address)).text());
    expect(names).toHaveLength(many + 1);
    expect(names.at(-1)).toBe("111-555-0001");
    await owner`delete from leads where name in ('Later', '111-555-0001')`;
  });

  it("has the same columns and cells as `leads export` writes, and so its times in UTC", async () => {
    await owner`insert into private.reviews (lead_id, outcome) select id, 'qualifies, she says' from leads where name = 'Rosa 7'`;
    const recordsIn = (csv: string) => parse(csv, { bom: true }) as string[][];
    const [heading, ...newestFirst] = recordsIn(
      (await leads(database.url, "export", "--format", "csv")).stdout,
    );
    const file = await maria.download(await addressOfLeads());
    expect(recordsIn(await file.text())).toEqual([heading, ...newestFirst.toReversed()]);
  });

  it("has only its heading when no lead came in the days", async () => {
    const { address } = (await maria.call("export", { ...period, until: "2020-01-02" })).body;
    expect(await (await maria.download(address)).text()).toMatch(/^id,created_at,[a-z_,]+\r\n$/);
  });

  it("is refused without a session, to anybody else, with an unknown entry, after an hour, and to another site", async () => {
    const address = await addressOfLeads();
    const statusOf = async (answer: Promise<Response>) => (await answer).status;
    expect(await statusOf(fetch(inbox.url + address))).toBe(401);
    expect(await statusOf(paula.download(address))).toBe(403);
    expect(await statusOf(dana.download(address))).toBe(403);
    expect(await statusOf(maria.download(address.replace(/entry=\d+/, "entry=999999")))).toBe(403);
    expect(await statusOf(maria.download(address.replace(/entry=\d+/, "entry=x")))).toBe(400);
    expect(await statusOf(maria.download(address.replace("downloads/leads", "downloads/others")))).toBe(404);
    const headers = { cookie: maria.cookie, "sec-fetch-site": "cross-site" };
    expect(await statusOf(fetch(inbox.url + address, { headers }))).toBe(403);
    const [, entry = ""] = /entry=(\d+)/.exec(address) ?? [];
    await owner`update private.audit_log set at = now() - interval '61 minutes' where id = ${entry}`;
    expect(await statusOf(maria.download(address))).toBe(403);
  });

  it("stays in the audit log when it is aborted, and the next one is whole", async () => {
    const before = await entriesOf("exported leads");
    const stopping = new AbortController();
    const file = await fetch(inbox.url + (await addressOfLeads()), {
      headers: { cookie: maria.cookie },
      signal: stopping.signal,
    });
    await file.body?.getReader().read();
    stopping.abort();
    expect(await entriesOf("exported leads")).toBe(before + 1);
    expect(namesIn(await (await maria.download(await addressOfLeads())).text())).toHaveLength(many);
  });
});

describe("the file of the audit log", () => {
  it("has each entry once, the newest first, up to the one that says it was taken", async () => {
    const filter = { action: "read status" };
    const { address } = (await maria.call("audit/export", { filter })).body;
    const text = await (await maria.download(address)).text();
    const entries = parse(text, { columns: true, bom: true }) as { id: string; at: string; action: string }[];
    expect(entries).toHaveLength(many);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(many);
    expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(["read status"]));
    for (const { at } of entries) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const times = entries.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    const all = (await maria.call("audit/export", {})).body;
    const [, entry = ""] = /entry=(\d+)/.exec(all.address) ?? [];
    await paula.call("pause-state", { state: "VT", reason: "A later entry" });
    await paula.call("resume-state", { state: "VT" });
    const whole = parse(await (await maria.download(all.address)).text(), { columns: true, bom: true });
    const [taken] = await owner`select details from private.audit_log where id = ${entry}`;
    expect(taken?.details).toEqual({ entries: whole.length });
  });

  it("ends also where a clock was set back, and later entries are dated before the one that says it was taken", async () => {
    const addEntries = (first: number, last: number) => owner`
      insert into private.audit_log (at, who, action) select now() - interval '1 hour' - n * interval '1 second', 'operator', 'set back'
      from generate_series(${first}::integer, ${last}::integer) n`;
    // An export is of an action that the log has.
    await addEntries(1, 1);
    const { address } = (await maria.call("audit/export", { filter: { action: "set back" } })).body;
    await addEntries(2, many);
    const download = await maria.download(address);
    let text = "";
    // Some 100 characters each: one that did not end would have more.
    for await (const bytes of download.body ?? []) {
      text += Buffer.from(bytes).toString();
      if (text.length > 1_000 * many) break;
    }
    expect(text.split("set back").length - 1).toBe(many);
  });

  it("has what the entry says and nothing else, whatever the address asks for", async () => {
    const { address } = (await maria.call("audit/export", { filter: { action: "read status" } })).body;
    const more = `${address}&filter={}&action=searched&since=2020-01-01`;
    const actions = parse(await (await maria.download(more)).text(), { columns: true, bom: true }) as {
      action: string;
    }[];
    expect(new Set(actions.map(({ action }) => action))).toEqual(new Set(["read status"]));
  });

  it("is refused with the entry of another export", async () => {
    const leads = /entry=\d+/.exec(await addressOfLeads())?.[0] ?? "";
    const { address } = (await maria.call("audit/export", {})).body;
    expect((await maria.download(address.replace(/entry=\d+/, leads))).status).toBe(403);
  });
});

describe("a file of any size", () => {
  const open = () => connect(roleAddress(database.url, "leads_team"), { max: 2 });

  it.each([
    [
      "leads",
      (ask: Ask) => recordExport(ask, period),
      (ask: Ask, entry: string) => exportedLeadPages(ask, entry),
    ],
    [
      "the audit log",
      (ask: Ask) => recordAuditExport(ask, {}),
      (ask: Ask, entry: string) => exportedAuditPages(ask, entry),
    ],
  ] as const)(
    "holds no more than two pages of %s that the browser has not taken",
    async (_, record, pagesOf) => {
      const connection = makeResilientConnection(open, () => {});
      const ask = askWithSession(connection, maria.cookie.replace("session=", ""));
      let asked = 0;
      const counted: Ask = (call) => {
        asked += 1;
        return ask(call);
      };
      const pages = (async function* () {
        for await (const page of pagesOf(counted, await record(ask))) yield `${page.length} rows\n`;
      })();
      const first = (await pages.next()).value as string;
      const reader = streamOf(first, pages, () => {}).getReader();
      for (let taken = 1; !(await reader.read()).done; taken += 1) {
        // A stream that asks too far ahead would have asked by the end of this round trip to the database.
        await connection.query((sql) => sql`select`);
        expect(asked).toBeLessThanOrEqual(taken + 2);
      }
      expect(asked).toBeGreaterThanOrEqual(3);
      await connection.end();
    },
  );

  it("is read no further when the browser aborts it, which is no failure", async () => {
    const waiting = Promise.withResolvers<void>();
    let hasEnded = false;
    let wasReadOn = false;
    const pages = (async function* () {
      try {
        yield "rows\n";
        await waiting.promise;
        yield "rows\n";
        wasReadOn = true;
        yield "never asked for\n";
      } finally {
        hasEnded = true;
      }
    })();
    const broken: unknown[] = [];
    const stream = streamOf((await pages.next()).value as string, pages, (error) => broken.push(error));
    const reader = stream.getReader();
    await reader.read();
    const next = reader.read();
    const cancelled = reader.cancel();
    waiting.resolve();
    await Promise.allSettled([next, cancelled]);
    expect({ hasEnded, wasReadOn, broken }).toEqual({ hasEnded: true, wasReadOn: false, broken: [] });
  });

  it("is cut when the member's session ends in between, so that the browser does not take a part for the whole, and nothing is printed", async () => {
    await owner`
      insert into private.audit_log (at, who, action)
      select now() - n * interval '1 second', repeat('operator ', 100), 'read much' from generate_series(1, ${beyondBuffers}::integer) n`;
    const pia = await inbox.member("Pia", "manager");
    const { address } = (await pia.call("audit/export", { filter: { action: "read much" } })).body;
    const printed: unknown[] = [];
    const methods = ["log", "info", "warn", "error"] as const;
    const spies = methods.map((name) =>
      vi.spyOn(console, name).mockImplementation((...values) => void printed.push(values)),
    );
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore();
    });
    const file = await pia.download(address);
    await owner`update private.sessions set ended_at = now() where member_id = ${pia.id}`;
    let text = "";
    const read = async () => {
      for await (const bytes of file.body ?? []) text += Buffer.from(bytes).toString("latin1");
    };
    await expect(read()).rejects.toThrow();
    expect(text).not.toMatch(/session|error/i);
    expect(text.split("\n").length).toBeLessThan(beyondBuffers);
    expect(printed).toEqual([]);
  });

  it("ends where the database goes away, and has the connection cut", async () => {
    let page = 0;
    const broken: unknown[] = [];
    const pages = (async function* () {
      for (;;) {
        page += 1;
        if (page === 2) throw new Error("away");
        yield "rows\n";
      }
    })();
    const stream = streamOf((await pages.next()).value as string, pages, (error) => broken.push(error));
    // The stream ends and does not fail, because the server's library would print the failure. Whoever is told cuts the connection.
    expect(await new Response(stream).text()).toBe("rows\n");
    expect(broken).toEqual([new Error("away")]);
  });
});
