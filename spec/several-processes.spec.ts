// Several server processes on one PostgreSQL, through PgBouncer in transaction pooling, where each transaction may get another
// session. Only the inbox's event stream, which listens, needs one session for longer.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../database/connect.ts";
import { roleAddress } from "../database/role-logins.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { leads } from "./support/leads-command.ts";
import { type Pooler, startPooler } from "./support/pgbouncer.ts";
import { startReceiver } from "./support/receiver.ts";
import { type RunningServer, startServer } from "./support/server.ts";
import { brokenPromises, noneBroken, startLoad } from "./support/steady-load.ts";

let database: TestDatabase;
let pooler: Pooler;
beforeAll(async () => {
  database = await makeDatabase({ schema: false });
  pooler = await startPooler(database.url);
});
afterAll(() => pooler.stop());

describe("several server processes that share one database through a connection pooler", () => {
  it("start at the same time on an empty database, store each lead once and notify the team of each once", async () => {
    const receiver = await startReceiver();
    const settings = {
      DATABASE_URL: pooler.url,
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: `whsec_${btoa("a secret of the specification ..")}`,
    };
    const servers = (await Promise.all([startServer(settings), startServer(settings)])) as [
      RunningServer,
      RunningServer,
    ];
    for (const { address } of servers) {
      await expect.poll(async () => (await fetch(`${address}/readyz`)).status).toBe(200);
    }
    const channel = () => database.owner`select from private.channels where enabled`;
    await expect.poll(async () => (await channel()).length).toBe(1);

    let turn = 0;
    const load = startLoad(anonKey, () => servers[++turn % 2 === 0 ? 0 : 1].address);
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(200);
    await load.stop();
    expect(await brokenPromises(database.owner, load.acknowledged)).toEqual(noneBroken);

    const receivedIds = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    await expect.poll(() => receivedIds().size).toBe(load.acknowledged.size);
    expect(receiver.received).toHaveLength(load.acknowledged.size);
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
    expect([exported.status, exported.stdout]).toEqual([0, expect.stringContaining("rosa@example.com")]);
  });
});
