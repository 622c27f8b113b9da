// Beyond one machine: two PostgreSQL servers, the second following the first synchronously, both named in DATABASE_URL.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { connect, type ServerAddress } from "../database/connect.ts";
import { openToWritable } from "../database/several-servers.ts";
import { type Cluster, makeCluster, makeStandby } from "./support/clusters.ts";
import { aLead } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { leads } from "./support/leads-command.ts";
import { insertAt, type RunningServer, startServer } from "./support/server.ts";
import { findDiscrepancies, noDiscrepancies, startLoad } from "./support/steady-load.ts";

let primary: Cluster;
let standby: Cluster;
let server: RunningServer;

const isReady = async () => expect((await fetch(`${server.address}/readyz`)).status).toBe(200);

beforeAll(async () => {
  primary = await makeCluster();
  await primary.start();
  standby = await makeStandby(primary);
  await standby.start();
  const sql = connect(primary.url, { max: 1 });
  await sql`alter system set synchronous_standby_names = '*'`;
  await sql`select pg_reload_conf()`;
  const isSynchronous = async () =>
    expect(await sql`select sync_state from pg_stat_replication`).toMatchObject([{ sync_state: "sync" }]);
  await vi.waitFor(isSynchronous, 20_000);
  await sql.end();
  // The standby stands first, to show that it is not taken for the server that takes writes.
  const both = primary.url.replace(primary.host, `${standby.host},${primary.host}`);
  server = await startServer({ DATABASE_URL: `${both}?target_session_attrs=read-write` });
  await vi.waitFor(isReady, 20_000);
});

describe("two database servers", () => {
  it("both have a lead before it is acknowledged", async () => {
    standby.signal("SIGSTOP");
    const refused = await insertAt(server.address, aLead());
    expect(refused.status).toBe(503);
    standby.signal("SIGCONT");
    expect((await insertAt(server.address, aLead())).status).toBe(201);
    const there = connect(standby.url, { max: 1 });
    await expect.poll(() => there`select name from leads`).toHaveLength(1);
    await there.end();
  });

  it("answer lists, the status and exports from the second, which takes no writes, and say what was not written", async () => {
    const at = (...words: string[]) => leads(standby.url, ...words);
    // Within a second, the primary's delivery writes what lists read.
    const listed = async () => (await at("list", "--json")).stdout;
    await expect.poll(listed).toContain(aLead().name);
    const list = await at("list", "--json");
    const noEntry = { status: 0, stderr: expect.stringContaining("the audit log has no entry of this.") };
    expect(list).toMatchObject(noEntry);
    const [{ id = "" } = {}] = JSON.parse(list.stdout) as { id: string }[];
    expect((await at("status")).stdout).toContain("1 lead accepted: 1 stored, 0 erased.");
    for (const words of [
      ["export", "--format", "csv"],
      ["export", "--format", "json", "--permission"],
      ["show", id],
    ]) {
      const ran = await at(...words);
      expect(ran).toMatchObject(noEntry);
      expect(ran.stdout).toContain(aLead().name);
    }
    for (const words of [
      ["review", id],
      ["erase", id, "--yes"],
      ["retry", "--failed"],
    ]) {
      expect(await at(...words)).toEqual({
        status: 1,
        stdout: "",
        stderr: expect.stringContaining(
          "This database takes no writes: it is a standby, or set to read only.",
        ),
      });
    }
    expect((await leads(primary.url, "list", "--json")).stdout).toBe(list.stdout);
  });

  it("lose no acknowledged lead when the first is killed under load and the second promoted", async () => {
    const load = startLoad(anonKey, () => server.address);
    load.acknowledged.add(aLead().name);
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(100);
    primary.signal("SIGKILL");
    const there = connect(standby.url, { max: 1 });
    await there`select pg_promote()`;
    await load.nextAcknowledgement();
    await load.stop();
    expect(await findDiscrepancies(there, load.acknowledged)).toEqual(noDiscrepancies);
    await there.end();
    await isReady();
  });

  it("are told apart when the old primary comes back as a primary: the promoted one is taken", async () => {
    await primary.start();
    const servers = [primary, standby].map(({ host }) => ({
      host: "127.0.0.1",
      port: Number(host.split(":")[1]),
    }));
    const open = ({ host, port }: ServerAddress) =>
      connect(primary.url.replace(primary.host, `${host}:${port}`), { max: 1 });
    // On a slow machine the promoted server may need longer than the usual grace, which is the wait for the others after the first answer.
    const socket = await openToWritable(servers, open, { grace: 10_000 });
    expect(socket).toMatchObject({ port: servers[1]?.port });
    socket.destroy();
  });
});

describe("a server that does not answer", () => {
  it("is not waited for when another one takes writes", async () => {
    const accepted: Socket[] = [];
    const silent = createServer((socket) => void accepted.push(socket.on("error", () => {}).resume())).listen(
      0,
      "127.0.0.1",
    );
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const writable = Number(primary.host.split(":")[1]);
    const servers = [port, writable].map((at) => ({ host: "127.0.0.1", port: at }));
    const open = (server: ServerAddress) =>
      connect(primary.url.replace(primary.host, `127.0.0.1:${server.port}`), { max: 1, connectTimeout: 60 });
    // The silent server is given up after the time in `answer`, which is longer here than the test may take.
    const socket = await openToWritable(servers, open, { answer: 60_000 });
    expect(socket).toMatchObject({ port: writable });
    await expect.poll(() => accepted.map(({ readyState }) => readyState)).toEqual(["open"]);
    socket.destroy();
    for (const socket of accepted) socket.destroy();
    silent.close();
  });
});
