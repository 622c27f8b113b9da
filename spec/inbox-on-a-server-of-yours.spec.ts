// The inbox on the provider's own PostgreSQL server, of the newest version on this machine. The owner is no superuser there, as on most hosts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOfDatabase, connect, type Sql } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { openRoleLogins } from "../database/role-logins.ts";
import { type Cluster, makeCluster } from "./support/clusters.ts";
import type { TestDatabase } from "./support/database.ts";
import { addLead, addPlaces, serveInbox, type TestInbox, type TestMember } from "./support/inbox.ts";

let database: TestDatabase;
let root: Sql;
let cluster: Cluster;
let inbox: TestInbox;
let dana: TestMember;
beforeAll(async () => {
  cluster = await makeCluster();
  await cluster.start();
  root = connect(addressOfDatabase(cluster.url, "postgres"), { max: 1 });
  await root.unsafe("create role plain login createrole password 'plain-password'");
  await root.unsafe("create database leads owner plain");
  const address = new URL(addressOfDatabase(cluster.url, "leads"));
  const url = Object.assign(address, { username: "plain", password: "plain-password" }).href;
  const owner = connect(url);
  await migrate(owner);
  await openRoleLogins(owner, url);
  database = { url, owner, intakeUrl: url, intake: owner };
  await addPlaces(database);
  inbox = await serveInbox(database);
  dana = await inbox.member("Dana", "manager");
});
afterAll(async () => {
  await database.owner.end({ timeout: 1 });
  await root.end({ timeout: 1 });
});

describe("the inbox on a server of the provider's own", () => {
  it("works a lead from the queue to the stop", async () => {
    const id = await addLead(database);
    expect((await dana.call("queue", {})).body.rows.map((row) => row.id)).toEqual([id]);
    expect((await dana.call("take-next")).body).toEqual({ id });
    expect((await dana.call("open", { id })).status).toBe(200);
    expect((await dana.call("health-answers", { id })).status).toBe(200);
    const { body } = await dana.call("call", { id });
    if (!("call_id" in body)) throw new Error("refused");
    const outcome = { id, call_id: body.call_id, outcome: "no_answer" } as const;
    expect((await dana.call("outcome", outcome)).status).toBe(200);
    expect((await dana.call("search", { text: "rosa" })).body.rows).toHaveLength(1);
    expect((await dana.call("stop", { id })).body.leads).toHaveLength(1);
  });

  it("answers a manager's requests, exports the lead and invites a member", async () => {
    const period = { since: "2026-01-01", until: "2035-01-01", zone: "America/New_York" };
    for (const call of [
      "members",
      "health",
      "alert",
      "paused-states",
      "audit",
      "passkeys",
      "audit/export",
    ] as const) {
      expect([call, (await dana.call(call)).status]).toEqual([call, 200]);
    }
    expect((await dana.call("reports", period)).status).toBe(200);
    const file = await dana.download((await dana.call("export", period)).body.address);
    expect((await file.text()).trim().split("\r\n")).toHaveLength(2);
    expect((await dana.call("members/invite", { name: "Lee", role: "member" })).status).toBe(200);
  });

  it("says that the database is away, goes on when it is back, and then has every page load its lists anew", async () => {
    const stream = await fetch(`${inbox.url}/api/events`, { headers: { cookie: dana.cookie } });
    const reader = stream.body?.getReader();
    await cluster.stop();
    await expect.poll(async () => (await dana.call("queue", {})).status).toBe(503);
    expect((await fetch(`${inbox.url}/`)).status).toBe(200);
    await cluster.start();
    await expect.poll(async () => (await dana.call("queue", {})).status).toBe(200);
    let heard = "";
    while (!heard.includes('{"kind":"leads","new":[],"changed":[]}') || !heard.includes('{"kind":"team"}')) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      heard += new TextDecoder().decode(value);
    }
    expect(heard).toContain('{"kind":"leads","new":[],"changed":[]}');
    expect(heard).toContain('{"kind":"team"}');
  });
});
