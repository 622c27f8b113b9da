// What was acknowledged stands, whatever is killed under load: the server, PostgreSQL, one of its sessions, or all at once.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anonKey } from "./support/intake.ts";
import { kill } from "./support/kills.ts";
import { startServer } from "./support/server.ts";
import { brokenPromises, noneBroken } from "./support/steady-load.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "leads-kills-"));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

describe("kill -9 under load", () => {
  it("of the server, PostgreSQL, a session and everything loses no acknowledged lead and stores none twice", async () => {
    const dataDir = join(folder, "data");
    // No team is listening; what counts is that each lead is owed to it.
    const webhook = {
      WEBHOOK_URL: "http://127.0.0.1:9/",
      WEBHOOK_SECRET: `whsec_${btoa("a secret of the specification ..")}`,
    };
    const start = () => startServer({ DATA_DIR: dataDir, ...webhook });
    const { load, times, owner, server } = await kill({ rounds: 3, dataDir, key: anonKey, start });
    expect(await brokenPromises(owner, load.acknowledged)).toEqual(noneBroken);
    await owner.end();
    // A PostgreSQL that was killed is back by itself before a visitor loses patience.
    for (const way of ["PostgreSQL", "a session"] as const) {
      expect(Math.max(...(times.get(way) ?? []))).toBeLessThan(3_000);
    }
    // The visitors who waited did not hear of it: the only answers were yes, or none from a server that was killed.
    expect([...load.answers.keys()].filter((status) => ![201, 303, 0].includes(status))).toEqual([]);
    expect(await server.end()).toEqual({ code: 0, signal: null });
  }, 90_000);
});
