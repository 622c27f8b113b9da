// An acknowledged lead stays stored, whatever is killed under load: the server, PostgreSQL, one of its sessions, or all at once. And
// a server that is asked to stop answers what it has stored. bench/kills.ts measures the time until the next acknowledgement.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDatabase } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { killRepeatedly } from "./support/kills.ts";
import { startServer } from "./support/server.ts";
import { findDiscrepancies, noDiscrepancies, startLoad } from "./support/steady-load.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "leads-kills-"));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

describe("kill -9 under load", () => {
  it("of the server, PostgreSQL, a session and everything loses no acknowledged lead and stores none twice", async () => {
    const dataDir = join(folder, "data");
    // No webhook listens; what counts is that each lead has a delivery pending.
    const webhook = {
      WEBHOOK_URL: "http://127.0.0.1:9/",
      WEBHOOK_SECRET: `whsec_${btoa("a secret of the specification ..")}`,
    };
    const start = () => startServer({ DATA_DIR: dataDir, ...webhook });
    // After each kill it waits until a lead is acknowledged again; bench/kills.ts measures how soon that is.
    const { load, times, owner, server } = await killRepeatedly({ rounds: 3, dataDir, key: anonKey, start });
    expect(await findDiscrepancies(owner, load.acknowledged)).toEqual(noDiscrepancies);
    await owner.end();
    for (const target of ["PostgreSQL", "a session"] as const) expect(times.get(target)).toHaveLength(3);
    // Every answer thanked its visitor; 0 stands for no answer, where the server itself was killed.
    expect([...load.answers.keys()].filter((status) => ![201, 303, 0].includes(status))).toEqual([]);
    expect(await server.end()).toEqual({ code: 0, signal: null });
  }, 240_000);
});

describe("SIGTERM under load", () => {
  it("leaves no lead stored and unanswered, and the process exits with code 0", async () => {
    const database = await makeDatabase();
    // Slow commits, so that some are under way whenever the signal comes.
    await database.owner.unsafe(`
      create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return null; end $$;
      create trigger slow after insert on leads for each statement execute function slow()`);
    const server = await startServer({ DATABASE_URL: database.url, DELIVERY: "off" });
    const load = startLoad(anonKey, () => server.address, { visitors: 24 });
    await expect.poll(() => load.acknowledged.size).toBeGreaterThan(100);
    const ended = server.end("SIGTERM");
    await load.stopRetrying();
    expect(await ended).toEqual({ code: 0, signal: null });
    // A session left behind would go on to its commit.
    const sessions = () => database.owner`
      select from pg_stat_activity where usename = 'leads_intake' and datname = current_database()`;
    await expect.poll(sessions).toHaveLength(0);
    expect(await findDiscrepancies(database.owner, load.acknowledged)).toEqual(noDiscrepancies);
  }, 120_000);
});
