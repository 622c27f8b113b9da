// Several server processes on one PostgreSQL, through PgBouncer in transaction pooling, where each transaction may get another
// session. Only the inbox's event stream, which listens, needs one session for longer.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { connect } from "../database/connect.ts";
import { roleAddress } from "../database/role-logins.ts";
import { atTheEnd } from "./support/at-the-end.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { leads } from "./support/leads-command.ts";
import { type Pooler, startPooler } from "./support/pgbouncer.ts";
import { until } from "./support/receiver.ts";
import { insertAt, type RunningServer, startServer } from "./support/server.ts";
import { findDiscrepancies, noDiscrepancies, startLoad } from "./support/steady-load.ts";

let database: TestDatabase;
let pooler: Pooler;
let servers: readonly [RunningServer, RunningServer];
/** The ids of the messages that the webhook's receiver has got. */
const receivedIds: unknown[] = [];
const receiver = createServer((request, response) => {
  receivedIds.push(request.headers["webhook-id"]);
  request.resume().on("end", () => response.writeHead(204).end());
});
const ana = aLead({ name: "Ana Lopez", email: "ana@example.com" });
beforeAll(async () => {
  database = await makeDatabase({ schema: false });
  pooler = await startPooler(database.url);
  atTheEnd(() => pooler.stop());
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  atTheEnd(() => receiver.close());
  const settings = {
    DATABASE_URL: pooler.url,
    WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    WEBHOOK_SECRET: `whsec_${btoa("a secret of the specification ..")}`,
  };
  servers = await Promise.all([startServer(settings), startServer(settings)]);
  for (const { address } of servers) await until(async () => (await fetch(`${address}/readyz`)).ok);
  await until(async () => (await database.owner`select from private.channels where enabled`).count === 1);
  expect((await insertAt(servers[0].address, ana)).status).toBe(201);
});

describe("several server processes that share one database through a connection pooler", () => {
  it("start at the same time on an empty database, store each lead once, notify the team of each once, and stop", async () => {
    let turn = 0;
    const load = startLoad(anonKey, () => servers[++turn % 2 === 0 ? 0 : 1].address);
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(200);
    await load.stop();
    const acknowledged = new Set([...load.acknowledged, ana.name]);
    expect(await findDiscrepancies(database.owner, acknowledged)).toEqual(noDiscrepancies);
    await expect.poll(() => new Set(receivedIds).size).toBe(acknowledged.size);
    expect(receivedIds).toHaveLength(acknowledged.size);
    for (const server of servers) expect(await server.end()).toEqual({ code: 0, signal: null });
  });

  it("keep the intake's statement timeout, which is a setting of its role", async () => {
    const intake = connect(roleAddress(pooler.url, "leads_intake"), { max: 1 });
    expect(await intake`show statement_timeout`).toEqual([{ statement_timeout: "8s" }]);
    await intake.end();
  });

  it("let `leads status` and `leads export` read the leads through the same pooler", async () => {
    const status = await leads(pooler.url, "status");
    expect([status.status, status.stdout]).toEqual([0, expect.stringContaining("All is well.")]);
    // In one transaction, which a pooler keeps on one session.
    const exported = await leads(pooler.url, "export", "--format", "csv");
    expect([exported.status, exported.stdout]).toEqual([0, expect.stringContaining("ana@example.com")]);
  });
});
