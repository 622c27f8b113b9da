// A transaction whose connection is lost while its work is busy with something else, such as a file or another database. An error that nobody
// could catch would end the program, and fail the run of this chapter.
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { transaction } from "../database/transaction.ts";
import { makeDatabase } from "./support/database.ts";

const { owner, url } = await makeDatabase();
await owner`create table kept (n int)`;

let pool: Sql;
beforeEach(() => {
  const sql = connect(url, { max: 1 });
  pool = sql;
  onTestFinished(() => sql.end({ timeout: 1 }));
});

type Work<Result> = Parameters<typeof transaction<Result>>[1];

/** A transaction whose session ends after the first step of its work. It goes on with the second when the loss is known. */
function lostBetween<Result>(first: Work<void>, second: Work<Result>): Promise<Result> {
  const done: Promise<Result> = transaction(pool, async (tx) => {
    await first(tx);
    const [session] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await owner`select pg_terminate_backend(${session?.pid ?? 0})`;
    await done.catch(() => {});
    return second(tx);
  });
  return done;
}

const lost = { code: "CONNECTION_CLOSED" };
const nothing = async () => {};

describe("a transaction whose session ends while its work waits for something else", () => {
  it("rejects, and commits nothing, though the work succeeds", async () => {
    const done = lostBetween(
      async (tx) => void (await tx`insert into kept values (0)`),
      async () => "done",
    );
    await expect(done).rejects.toMatchObject(lost);
    expect(await owner`select n from kept`).toEqual([]);
  });

  it("rejects with the loss, though the work fails by itself", async () => {
    const done = lostBetween(nothing, () => Promise.reject(new Error("the disk is full")));
    await expect(done).rejects.toMatchObject(lost);
  });

  it("sends no later query of the work, also when the pool has a new session by then", async () => {
    const later = Promise.withResolvers<unknown[]>();
    const done = lostBetween(nothing, async (tx) => {
      await pool`select 1`;
      const queries = [tx`insert into kept values (1)`, tx.unsafe("insert into kept values (2)")];
      later.resolve(await Promise.all(queries.map((query) => query.catch((error) => error))));
    });
    await expect(done).rejects.toMatchObject(lost);
    expect(await later.promise).toMatchObject([lost, lost]);
    expect(await pool`select n from kept`).toEqual([]);
  });

  it("leaves a pool that can be used", async () => {
    await expect(lostBetween(nothing, nothing)).rejects.toMatchObject(lost);
    expect(await transaction(pool, (tx) => tx`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});
