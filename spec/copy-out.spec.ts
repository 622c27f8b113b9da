// Rows that an export reads by `copy`: they are exact, the reader can stop in the middle, and each failure is reported.
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../database/connect.ts";
import { type CopiedRow, copyOut } from "../database/copy-out.ts";
import { transaction } from "../database/transaction.ts";
import { makeDatabase } from "./support/database.ts";

const { url, owner } = await makeDatabase({ schema: false });

const copied = (query: string, sql = owner) =>
  transaction(sql, async (tx) => {
    const rows: CopiedRow[] = [];
    await copyOut(tx, query, async (some) => void rows.push(...some));
    return rows;
  });

describe("rows that are read by copy", () => {
  it("hold each text exactly, and tell an empty text from a missing one", async () => {
    await owner`create table texts (n integer, a text, b text)`;
    const text = fc.oneof(
      fc.constant(null),
      fc.constantFrom("", "\\N", "\\.", "\\", "\\t", "a\tb", "\r\n", "\b\f\v\u0001", "“é” 👩‍👩‍👧"),
      fc.string({ unit: "binary" }).map((characters) => characters.replaceAll("\0", "")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 300 }), async (rows) => {
        await owner`truncate texts`;
        for (const [n, [a, b]] of rows.entries()) await owner`insert into texts values (${n}, ${a}, ${b})`;
        expect(await copied("select a, b from texts order by n")).toEqual(rows);
      }),
      { numRuns: 20 },
    );
  });

  // Some of these lengths end with a full buffer, after which the connection must still go on with the next statement.
  it("may be many or few, and the connection goes on with the next statement", async () => {
    for (let length = 0; length < 10_000; length += 397) {
      const rows = await transaction(owner, async (tx) => {
        let count = 0;
        const query = `select n, repeat('x', 100) from generate_series(1, ${length}) n`;
        await copyOut(tx, query, async (some) => {
          count += some.length;
          await setImmediate();
        });
        expect(await tx`select 1 as one`).toEqual([{ one: 1 }]);
        return count;
      });
      expect(rows).toBe(length);
    }
  });

  it("are read no further when the reader fails, and the reader's own error is reported", async () => {
    const sql = connect(url, { max: 1 });
    onTestFinished(() => sql.end({ timeout: 0 }));
    const endless = "select repeat('x', 100), generate_series(1, 1000000000000)";
    let taken = 0;
    const reading = transaction(sql, (tx) =>
      copyOut(tx, endless, async () => {
        taken += 1;
        if (taken === 3) throw new Error("the disk is full");
      }),
    );
    await expect(reading).rejects.toThrow("the disk is full");
    expect(taken).toBe(3);
  });

  it("end in the database's own error, after which the same connection can be used", async () => {
    const sql = connect(url, { max: 1 });
    onTestFinished(() => sql.end({ timeout: 0 }));
    const session = await copied("select pg_backend_pid()", sql);
    for (const [query, code] of [
      ["select 1 / (1000 - n) from generate_series(1, 2000) n", "22012"],
      ["select nothing", "42703"],
    ] as const) {
      await expect(copied(query, sql)).rejects.toMatchObject({ code });
      expect(await copied("select pg_backend_pid()", sql)).toEqual(session);
    }
    expect(await copied("select 1, null", sql)).toEqual([["1", null]]);
  });

  it("end in an error when the database server cuts the connection in the middle", async () => {
    const sql = connect(url, { max: 1, name: "cut" });
    onTestFinished(() => sql.end({ timeout: 0 }));
    const endless = "select repeat('x', 100), generate_series(1, 1000000000000)";
    const reading = transaction(sql, (tx) =>
      copyOut(tx, endless, async () => {
        await owner`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'`;
      }),
    );
    await expect(reading).rejects.toMatchObject({
      code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED|ECONNRESET)$/),
    });
  });
});
