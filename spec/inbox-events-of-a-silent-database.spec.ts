// The inbox's event stream while the database's host has vanished: no connection is reset, and nothing answers.
import { describe, expect, it } from "vitest";
import { roleAddress } from "../database/role-logins.ts";
import type { LiveEvent } from "../inbox/api.ts";
import { startLiveEvents } from "../inbox/live-events.ts";
import { makeDatabase, sessionsWaitingForLocks } from "./support/database.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

const database = await makeDatabase();

/** Begins to listen through a proxy; resolves when the first event says that it listens. */
async function listening(queryTimeout?: number) {
  const proxy = await startTcpProxy(roleAddress(database.url, "leads_team"));
  const logged: string[] = [];
  const heard: LiveEvent["kind"][] = [];
  const events = startLiveEvents(proxy.url, (event) => logged.push(event), queryTimeout);
  events.subscribe(({ kind }) => heard.push(kind));
  await expect.poll(() => heard).toContain("team");
  return { proxy, logged, heard, events };
}

describe("the live events of the inbox", () => {
  it("are heard on a new connection when a query gets no answer in time, and the pages load everything anew", async () => {
    // On a slow machine an answer may take some tenths of a second.
    const { proxy, logged, heard, events } = await listening(1_000);
    try {
      logged.length = 0;
      proxy.stall();
      await expect.poll(() => logged, { timeout: 10_000 }).toContain("database-unreachable");
      heard.length = 0;
      proxy.recover();
      await expect.poll(() => heard, { timeout: 10_000 }).toContain("team");
      expect(heard).toContain("leads");
      expect(logged).toEqual(["database-unreachable", "database-ready"]);
    } finally {
      await events.end();
      proxy.close();
    }
  });

  it("end when the inbox stops, although the database does not answer", async () => {
    const { proxy, events } = await listening(600_000);
    await database.owner.begin(async (tx) => {
      // So that a query is under way: between two queries nothing waits for the database.
      await tx`lock table leads in access exclusive mode`;
      await expect.poll(() => sessionsWaitingForLocks(database.owner, "leads inbox events")).toHaveLength(1);
      proxy.stall();
      await events.end();
    });
    proxy.close();
  });
});
