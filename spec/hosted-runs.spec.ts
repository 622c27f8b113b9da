// The runs of submit-lead on hosted Supabase, where no process stays: each call delivers what is due, and does the jobs after it.
import { describe, expect, it } from "vitest";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { QueryTimeout } from "../database/timeout.ts";
import { makeLog } from "../log/log.ts";
import { makeDeliveryRuns } from "../supabase/functions/submit-lead/delivery-runs.ts";
import { makeDatabase } from "./support/database.ts";
import { until } from "./support/receiver.ts";

const { owner: sql } = await makeDatabase();
const log = makeLog(() => {});
const database = makeResilientConnection(() => sql, log);

describe("the runs of a hosted function", () => {
  const submitLead = { url: "https://project.example/functions/v1/submit-lead", key: "key" };
  const never = () => new Promise<never>(() => {});

  it("deliver what comes while a job takes long", async () => {
    let runs = 0;
    const delivery = { deliverDue: async () => void (runs += 1) };
    const jobsDatabase = { ...database, query: never };
    const { wake } = makeDeliveryRuns({ delivery, database, jobsDatabase, log, submitLead });
    void wake();
    await until(() => runs === 1);
    void wake();
    await until(() => runs === 2);
  });

  it("do their jobs on another connection than that of form posts and deliveries", async () => {
    const timeouts: (number | undefined)[] = [];
    const jobsDatabase: typeof database = {
      ...database,
      query: (work, timeout) => {
        timeouts.push(timeout);
        return database.query(work, timeout);
      },
    };
    const busyDatabase = { ...database, query: never };
    const delivery = { deliverDue: async () => {} };
    await makeDeliveryRuns({ delivery, database: busyDatabase, jobsDatabase, log, submitLead }).wake();
    // Each job has ten minutes, because no form post and no delivery waits for it.
    expect(timeouts).toEqual(Array.from({ length: 6 }, () => 600_000));
  });

  it("do their jobs also while calls keep arriving, and settle every call", async () => {
    let runs = 0;
    let jobs = 0;
    const calls: Promise<void>[] = [];
    const delivery = {
      deliverDue: async () => {
        runs += 1;
        // One more call arrives in each run.
        if (jobs === 0) calls.push(wake());
      },
    };
    const jobsDatabase: typeof database = {
      ...database,
      query: (work, timeout) => {
        jobs += 1;
        return database.query(work, timeout);
      },
    };
    const { wake } = makeDeliveryRuns({ delivery, database, jobsDatabase, log, submitLead });
    await wake();
    expect(jobs).toBeGreaterThanOrEqual(6);
    await Promise.all(calls);
    expect(runs).toBeGreaterThan(1);
  });

  it("log each job that took too long, because other connections log only an outage", async () => {
    const jobsDatabase: typeof database = { ...database, query: () => Promise.reject(new QueryTimeout()) };
    const delivery = { deliverDue: async () => {} };
    const lines: string[] = [];
    const log = makeLog((line) => lines.push(line));
    await makeDeliveryRuns({ delivery, database, jobsDatabase, log, submitLead }).wake();
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toContain("job-stopped: ");
  });

  it("do the retention at the next call where it failed at the first", async () => {
    await sql`delete from private.retention_plan`;
    let isAway = true;
    const away = () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
    const jobsDatabase: typeof database = {
      ...database,
      query: (work, timeout) => (isAway ? away() : database.query(work, timeout)),
    };
    const delivery = { deliverDue: async () => {} };
    const { wake } = makeDeliveryRuns({ delivery, database, jobsDatabase, log, submitLead });
    await wake();
    isAway = false;
    await wake();
    expect(await sql`select from private.retention_plan`).toHaveLength(1);
  });
});
