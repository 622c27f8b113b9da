// What a monitoring program reads at /metrics on the inbox's port: figures that say nothing about a person, for monitoring alone.
import { once } from "node:events";
import { get } from "node:http";
import { networkInterfaces } from "node:os";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { makeMetrics } from "../inbox/metrics.ts";
import { metricsText } from "../inbox/metrics-text.ts";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";
import { freePort } from "./support/free-port.ts";
import { serveInbox } from "./support/inbox.ts";
import { insertAt, startServer } from "./support/server.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
beforeEach(() => removeLeads(database.owner));

/** Each line's value by its name and labels. */
const read = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}/metrics`, { headers });
  const text = await answer.text();
  const values = new Map(
    text
      .split("\n")
      .filter((line) => line && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
  return { status: answer.status, text, values, type: answer.headers.get("content-type") };
};

/** The status of the answer to a request that connects to `host` and has `name` as its Host header. */
async function statusOf(port: number, host: string, name: string): Promise<number | undefined> {
  const [answer] = await once(get({ host, port, path: "/metrics", headers: { host: name } }), "response");
  answer.resume();
  return answer.statusCode;
}

describe("/metrics", () => {
  it("says how leads, deliveries and backups stand", async () => {
    const { owner } = database;
    await owner`update private.channels set enabled = name in ('webhook', 'email')`;
    for (const name of ["Old", "Failed", "New"]) await owner`insert into leads ${owner(aLead({ name }))}`;
    await owner`update leads set created_at = now() - interval '25 hours' where name = 'Old'`;
    await owner`
      update private.deliveries d set created_at = now() - interval '2 hours' from leads l
      where l.id = d.lead_id and l.name = 'Old'`;
    await owner`
      update private.deliveries d set delivered_at = now() from leads l
      where l.id = d.lead_id and l.name = 'New' and d.channel = 'webhook'`;
    await owner`
      update private.deliveries d set failed_at = now(), last_error = '410' from leads l
      where l.id = d.lead_id and l.name = 'Failed' and d.channel = 'webhook'`;
    await owner`update private.settings set alert_after_minutes = 15`;
    await owner`
      update private.backup_state
      set enabled_since = now(), enabled_by = 'a', enabled_at = now(), taken_at = now() - interval '1 hour',
        file_name = 'a', verified_by = 'read'`;
    const { url } = await serveInbox(database);
    const { status, type, values, text } = await read(url);
    expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(Object.fromEntries(values)).toMatchObject({
      leads_database_up: 1,
      leads_stored: 3,
      leads_erased: 0,
      leads_unreviewed: 3,
      leads_overdue: 1,
      leads_untold: 0,
      leads_unnotified: 1,
      'leads_deliveries{channel="webhook",state="delivered"}': 1,
      'leads_deliveries{channel="webhook",state="pending"}': 1,
      'leads_deliveries{channel="webhook",state="failed"}': 1,
      'leads_deliveries{channel="email",state="pending"}': 3,
      'leads_deliveries_stuck{channel="email"}': 1,
      'leads_delivery_oldest_seconds{channel="chat"}': 0,
      'leads_channel_enabled{channel="webhook"}': 1,
      'leads_channel_enabled{channel="chat"}': 0,
      'leads_problem{problem="failed"}': 1,
      'leads_problem{problem="no channel"}': 0,
    });
    expect(values.get('leads_delivery_oldest_seconds{channel="webhook"}')).toBeCloseTo(7200, -2);
    expect(values.get("leads_backup_age_seconds")).toBeCloseTo(3600, -2);
    expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
    // No word of any lead, and only names, numbers and comments that Prometheus' text format allows.
    expect(text).not.toMatch(/Rosa|Old\b|305\)|555-?0142|@|"33101/);
    for (const [name, value] of values)
      expect([name.split("{")[0], value]).toEqual([expect.stringMatching(/^[a-z_]+$/), expect.any(Number)]);
    expect([...values.values()]).not.toContain(Number.NaN);
    for (const line of text.split("\n").filter((one) => one.startsWith("#")))
      expect(line).toMatch(/^# (HELP|TYPE) [a-z_]+ ./);
  });

  it("asks the database once for readers who come together, and again only after five seconds", async () => {
    const { owner } = database;
    let time = 0;
    let asked = 0;
    const query: ResilientConnection["query"] = (work) => {
      asked += 1;
      return work(owner);
    };
    const metrics = makeMetrics({
      database: { query, end: async () => {} },
      answerCounts: undefined,
      log: () => {},
      now: () => time,
    });
    const stored = async () => /\nleads_stored (\d+)\n/.exec(await metrics.text())?.[1];
    expect(await Promise.all([stored(), stored()])).toEqual(["0", "0"]);
    await owner`insert into leads ${owner(aLead())}`;
    time = 4_999;
    expect([await stored(), asked]).toEqual(["0", 1]);
    time = 5_000;
    expect([await stored(), asked]).toEqual(["1", 2]);
  });

  it("says that the database is down instead of failing", async () => {
    const { url } = await serveInbox({ ...database, url: "postgres://nobody:none@127.0.0.1:1/none" });
    const { status, values } = await read(url);
    expect([status, values.get("leads_database_up"), values.has("leads_stored")]).toEqual([200, 0, false]);
    expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  });

  it.each([15_000, 3_600_000])(
    "has figures again as soon as the database answers, however long it was silent (%i ms)",
    async (silence) => {
      let time = 0;
      const answers = [
        async () => {
          time += silence;
          throw new Error("The query timed out.");
        },
        async () => ({ problems: [], channels: [], unnotified: 2 }),
      ];
      const query = () => answers.shift()?.();
      const metrics = makeMetrics({
        database: { query } as unknown as ResilientConnection,
        answerCounts: undefined,
        log: () => {},
        now: () => time,
      });
      expect(await metrics.text()).toContain("\nleads_database_up 0\n");
      expect(await metrics.text()).toContain("\nleads_database_up 1\n");
      expect(await metrics.unnotified()).toBe(2);
    },
  );

  it("counts what the intake of the same process answers, by status", async () => {
    const port = await freePort();
    const server = await startServer({
      DATABASE_URL: database.url,
      INBOX: "on",
      INBOX_PORT: String(port),
      INBOX_URL: `http://localhost:${port}`,
    });
    expect((await insertAt(server.address, aLead())).status).toBe(201);
    expect((await insertAt(server.address, aLead({ name: "" }))).status).toBe(400);
    const form = await fetch(server.address, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({
        ...aLead({ name: "By form" }),
        has_medicare: "true",
        has_diabetes: "false",
      }),
    });
    expect(form.status).toBe(303);
    const { values } = await read(`http://localhost:${port}`);
    expect(Object.fromEntries(values)).toMatchObject({
      'leads_inserts_total{status="201"}': 1,
      'leads_inserts_total{status="303"}': 1,
      'leads_inserts_total{status="400"}': 1,
    });
    expect((await fetch(`${server.address}/metrics`)).status).toBe(404);
    await server.end();
  });
});

describe("without METRICS_TOKEN, /metrics", () => {
  it("is there for a program on this machine alone", async () => {
    const port = await freePort();
    await serveInbox(database, { port, host: "0.0.0.0", url: `http://localhost:${port}` });
    expect(await statusOf(port, "127.0.0.1", `localhost:${port}`)).toBe(200);
    expect(await statusOf(port, "127.0.0.1", `127.0.0.1:${port}`)).toBe(200);
    // As fetch("http://[::ffff:127.0.0.1]") names it.
    expect(await statusOf(port, "127.0.0.1", `[::ffff:7f00:1]:${port}`)).toBe(200);
    expect(await statusOf(port, "127.0.0.1", `[::1]:${port}`)).toBe(200);
    expect(await statusOf(port, "127.0.0.1", `[::ffff:c000:201]:${port}`)).toBe(404);
    // DNS rebinding: a foreign page whose domain name points to this machine.
    expect(await statusOf(port, "127.0.0.1", "evil.example")).toBe(404);
    const outward = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === "IPv4" && !address.internal);
    if (outward) expect(await statusOf(port, outward.address, `localhost:${port}`)).toBe(404);
  });

  it("is there under no name where the inbox has a public address, because its proxy asks from this machine", async () => {
    const port = await freePort();
    const { url } = await serveInbox(database, { port, url: "https://inbox.example.com" });
    // A proxy passes on the public name, or names the address to which it connects.
    for (const name of ["inbox.example.com", `localhost:${port}`, `127.0.0.1:${port}`])
      expect([name, await statusOf(port, "127.0.0.1", name)]).toEqual([name, 404]);
    expect((await read(url)).text).toBe("");
  });
});

describe("with METRICS_TOKEN, /metrics", () => {
  it("is there only for a program that presents this token", async () => {
    const { url } = await serveInbox(database, {
      url: "https://inbox.example.com",
      metricsToken: "a-long-secret",
    });
    for (const authorization of ["", "Bearer ", "Bearer a-long-secre", "Basic a-long-secret"]) {
      expect([authorization, (await read(url, { authorization })).status]).toEqual([authorization, 401]);
    }
    expect((await read(url, { authorization: "Bearer a-long-secret" })).status).toBe(200);
  });
});

describe("the text of a metric", () => {
  it("escapes quotes, backslashes and line ends in the value of a label", () => {
    expect(metricsText([{ name: "a", help: "b", type: "gauge", samples: [[{ c: 'd"\\\n' }, 1]] }])).toBe(
      '# HELP a b\n# TYPE a gauge\na{c="d\\"\\\\\\n"} 1\n',
    );
  });
});
