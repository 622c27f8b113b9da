// Kills a server that runs on its embedded PostgreSQL, again and again, under load: the server, PostgreSQL, one of its
// sessions, and the server and PostgreSQL together. No process is asked to end; all are ended with SIGKILL.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../../database/connect.ts";
import { findRunning } from "../../database/embedded.ts";
import { isDatabaseTrouble } from "../../database/trouble.ts";
import { startLoad } from "./steady-load.ts";

export interface KillableServer {
  address: string;
  end(signal: "SIGKILL"): Promise<unknown>;
}

export const targets = ["the server", "PostgreSQL", "a session", "everything"] as const;
export type Target = (typeof targets)[number];

/** Kills each target `rounds` times. Returns the load, and for each target the milliseconds to the next acknowledgement. */
export async function killRepeatedly<Server extends KillableServer>(options: {
  rounds: number;
  dataDir: string;
  key: string;
  start: () => Promise<Server>;
}) {
  const { rounds, dataDir, key, start } = options;
  let server = await start();
  const url = await findRunning({ dataDir });
  if (url === undefined) throw new Error(`No PostgreSQL runs on ${dataDir}.`);
  const owner = connect(url, { max: 1 });
  await owner`update private.channels set enabled = true where name = 'webhook'`;
  const load = startLoad(key, () => server.address);
  const times = new Map<Target, number[]>(targets.map((target) => [target, []]));

  const killPostgres = async () => process.kill(postmasterOf(dataDir), "SIGKILL");
  const killSession = async () => process.kill(await sessionOfIntake(owner), "SIGKILL");
  const killServer = () => server.end("SIGKILL");
  const killTarget: Record<Target, () => Promise<unknown>> = {
    "the server": killServer,
    PostgreSQL: killPostgres,
    "a session": killSession,
    everything: () => Promise.all([killServer(), killPostgres()]),
  };

  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      await waitForMore(load.acknowledged, 30);
      await killTarget[target]();
      const next = load.nextAcknowledgement();
      // The server starts PostgreSQL again; the test starts the server again, as a service manager would.
      if (target === "the server" || target === "everything") server = await start();
      times.get(target)?.push(await next);
    }
  }
  await load.stop();
  return { load, times, owner, server };
}

/**
 * The process id of the intake's session, for which it waits 20 seconds at most. The leads that `waitForMore` saw may come from sessions that
 * outlive a killed PostgreSQL, when the next one does not listen yet or the intake is not connected to it.
 */
async function sessionOfIntake(owner: Sql): Promise<number> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const [intake] = await owner<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'leads intake' limit 1`.catch((error) => {
      if (!isDatabaseTrouble(error)) throw error;
      return [];
    });
    if (intake) return intake.pid;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("The intake has no session.");
}

function postmasterOf(dataDir: string): number {
  const pid = Number(readFileSync(join(dataDir, "postgresql/postmaster.pid"), "utf8").split("\n")[0]);
  // A file that is just being written is empty, and a signal to 0 goes to ourselves.
  if (!(pid > 1)) throw new Error("PostgreSQL has not written its pid yet.");
  return pid;
}

/** A kill should find a server that is busy storing leads, and not one that is still starting. */
async function waitForMore(acknowledged: Set<string>, more: number) {
  const enough = acknowledged.size + more;
  while (acknowledged.size < enough) await new Promise((resolve) => setTimeout(resolve, 5));
}
