// What a visitor typed costs the database time in proportion to its length, whatever it is: the checks, the triggers, and what is made of
// a lead soon after its insert read it in linear time. The work is counted as the processor time of the one session that does it.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";

let database: TestDatabase;
let session: Sql;
let pid: number;
beforeAll(async () => {
  database = await makeDatabase();
  session = connect(database.url, { max: 1 });
  const [row] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
  pid = row?.pid ?? 0;
});
afterAll(() => session.end());

/** The nanoseconds that the session's process has run. */
const workSoFar = () => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]);

const longest = 500;
const filled = (unit: string, before = "", after = "") => {
  const room = longest - [...before, ...after].length;
  return before + [...unit.repeat(room)].slice(0, room).join("") + after;
};

/** The work of storing leads with this text in all four fields, and of what is made of them soon after. */
async function workFor(text: string): Promise<number> {
  const leads = Array.from({ length: 5 }, (_, n) => {
    // Each differs by its length, and keeps its end.
    const own = [...text].toSpliced(-3 - n, n).join("");
    return aLead({ name: own, email: own, phone: own, zip_code: own });
  });
  const from = workSoFar();
  for (const lead of leads) await session`insert into public.leads ${session(lead)}`;
  await session`select private.index_new_leads()`;
  const work = workSoFar() - from;
  await removeLeads(session);
  return work;
}

/** What people write, by how many bytes most of its characters take in UTF-8, because the database reads bytes. */
const ordinary: Record<1 | 2 | 3 | 4, string> = {
  1: filled("Rosa Martinez of Ocean Drive in Miami, "),
  2: filled("روزا ٣٠٥ شارع المحيط ٩٨٧ ميامي ٣٣١٠١ "),
  3: filled("罗莎马丁内斯住在迈阿密海洋大道"),
  4: filled("🧓👵👴🏠🌊🚗📞💊🩺🏥🌴🌞"),
};
const ordinaryLike = (unit: string): string =>
  ordinary[Math.max(...[...unit].map((one) => Buffer.byteLength(one))) as 1 | 2 | 3 | 4];
const runs = [..."a1 .-/", "\u0085", "\u{1f9d3}", "中", "١", "１－", "1-", "a@", "a.", "www.", "http://"];

describe.runIf(process.platform === "linux")("what a visitor typed", () => {
  /**
   * Whether a text costs twice as much as the `ordinaryText`, or more, for each byte. The two are measured in turn, and the least
   * of each counts: a busy machine can be slower by half and more for some seconds, and the time that another machine on the same
   * processor takes away is counted as the session's own.
   */
  const isCostly = async (text: string, ordinaryText: string, timesTheBytes = 1) => {
    let [usual, work] = [Infinity, Infinity];
    for (let turn = 0; turn < 5; turn += 1) {
      usual = Math.min(usual, await workFor(ordinaryText));
      work = Math.min(work, await workFor(text));
      if (work < 2 * timesTheBytes * usual) return false;
    }
    return true;
  };

  it.each(runs)("costs less than twice as much as ordinary text of its length: %j", async (unit) => {
    for (const text of [filled(unit, "x", "!"), filled(unit, "http://x", ".c")])
      expect(await isCostly(text, ordinaryLike(unit)), JSON.stringify(text)).toBe(false);
  });

  it.each([2, 3, 4] as const)("costs under twice as much a byte in characters of %i bytes", async (bytes) => {
    expect(await isCostly(ordinary[bytes], ordinary[1], bytes)).toBe(false);
  });

  it("is found to cost more when an expression reads it fifty times", async () => {
    await database.owner.unsafe(`
      create function public.reads_it_over_and_over() returns trigger language plpgsql as $$ begin
        if new.name like 'a%' then perform count(new.name ~ repeat('a', at)) from generate_series(1, length(new.name), 10) as at; end if;
        return new;
      end $$;
      create trigger planted before insert on leads for each row execute function public.reads_it_over_and_over()`);
    expect(await isCostly(filled("a"), ordinaryLike("a"))).toBe(true);
    await database.owner.unsafe("drop trigger planted on leads");
  });
});
