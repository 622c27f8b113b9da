// All that one database holds, copied into another: for an upgrade of PostgreSQL, where no row may be missing.
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { CopyError, copyDatabase } from "../database/copy-database.ts";
import { CopyIn } from "../database/copy-in.ts";
import { migrate } from "../database/migrate.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";

let from: TestDatabase;
let to: TestDatabase;
beforeAll(async () => {
  [from, to] = await Promise.all([makeDatabase(), makeDatabase({ schema: false })]);
});

/** Tables of many lengths, because the last rows of some meet a full buffer, and the connection must then go on with the next table. */
const lengths = Array.from({ length: 25 }, (_, index) => 600 + index * 397);

/** A connection to a database whose host ends a statement, a transaction or an idle transaction after a second. */
async function withLimits({ url, owner }: TestDatabase): Promise<Sql> {
  const name = new URL(url).pathname.slice(1);
  // PostgreSQL 17 added the limit for transactions.
  const limits = await owner<{ limit: string }[]>`
    select name as limit from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
  for (const { limit } of limits) await owner.unsafe(`alter database ${name} set ${limit} = '1s'`);
  const limited = connect(url, { max: 1 });
  onTestFinished(() => limited.end({ timeout: 1 }));
  return limited;
}

describe("a copy of a database", () => {
  it("holds every row of every table, also of long tables, and gives new rows the next ids of the original", async () => {
    await migrate(to.owner);
    for (const { owner } of [from, to])
      for (const length of lengths) await owner.unsafe(`create table private.rows_${length} (x text)`);
    for (const length of lengths)
      await from.owner.unsafe(
        `insert into private.rows_${length} select repeat('x', 100) from generate_series(1, ${length})`,
      );
    await from.owner`insert into public.leads ${from.owner(aLead({ name: "\\N\t\\." }))}`;
    await from.owner`insert into private.audit_log (who, action) values ('the specification', 'tried')`;
    // This channel is set up after the first lead and before the second one, so the first one has no delivery.
    await from.owner`update private.channels set enabled = name = 'webhook'`;
    await from.owner`insert into public.leads ${from.owner(aLead({ name: "With a delivery" }))}`;

    const rows = await copyDatabase(from.owner, to.owner);
    for (const length of lengths) expect(rows[`private.rows_${length}`]).toBe(length);
    expect(rows["public.leads"]).toBe(2);
    const tables = await from.owner<{ name: string }[]>`
      select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('public', 'private', 'team') and table_type = 'BASE TABLE'`;
    expect(Object.keys(rows).sort()).toEqual(tables.map(({ name }) => name).sort());
    const held = ({ owner }: TestDatabase) => owner`select * from public.leads order by id`;
    expect(await held(to)).toEqual(await held(from));
    const insert = ({ owner }: TestDatabase) =>
      owner`insert into private.audit_log (who, action) values ('the specification', 'tried') returning id`;
    expect(await insert(to)).toEqual(await insert(from));
  });

  it("leaves the sequences of others alone, which a hosted database may have in the same schema", async () => {
    const [source, target] = await Promise.all([makeDatabase(), makeDatabase()]);
    await source.owner`create table public.others (id serial)`;
    await source.owner`insert into public.others default values`;
    await source.owner`create sequence public.of_both`;
    await source.owner`select nextval('public.of_both')`;
    await target.owner`create sequence public.of_both start 500`;
    await target.owner`select nextval('public.of_both')`;
    await copyDatabase(source.owner, target.owner);
    expect(await target.owner`select nextval('public.of_both')::int as next`).toEqual([{ next: 501 }]);
  });

  it("is not ended by the limits that a host sets for statements and transactions, however long it takes", async () => {
    const [source, target] = await Promise.all([makeDatabase(), makeDatabase()]);
    const name = new URL(source.url).pathname.slice(1);
    for (const { owner } of [source, target]) await owner`create table private.numbers (x integer)`;
    // Making this index ends when the source has waited for longer than its limit, or is gone. Analyzing it takes longer than the limit, too.
    await target.owner.unsafe(`
      create function private.slowly(x integer) returns integer language plpgsql immutable as $$
      begin
        while exists (
          select from pg_stat_activity where datname = '${name}' and state = 'idle in transaction'
            and state_change > clock_timestamp() - interval '1200 ms'
        ) or current_query() = 'analyze' and clock_timestamp() < statement_timestamp() + interval '1200 ms' loop
          perform pg_stat_clear_snapshot();
        end loop;
        return x;
      end $$;
      create index numbers_slowly on private.numbers (private.slowly(x))`);
    await source.owner`insert into private.numbers values (1)`;
    const [limitedSource, limitedTarget] = [await withLimits(source), await withLimits(target)];
    expect(await copyDatabase(limitedSource, limitedTarget)).toMatchObject({ "private.numbers": 1 });
  });

  it("holds the deliveries of the original, makes none for a copied lead, and makes one for a new lead", async () => {
    const deliveries = ({ owner }: TestDatabase) => owner`
      select l.name, d.channel, d.event from private.deliveries d join public.leads l on l.id = d.lead_id order by l.name`;
    const delivery = (name: string) => ({ name, channel: "webhook", event: "lead.created" });
    expect(await deliveries(from)).toEqual([delivery("With a delivery")]);
    expect(await deliveries(to)).toEqual([delivery("With a delivery")]);
    await to.owner`insert into public.leads ${to.owner(aLead({ name: "New" }))}`;
    expect(await deliveries(to)).toEqual([delivery("New"), delivery("With a delivery")]);
    expect(await to.owner`select from private.permissions`).toHaveLength(3);
  });

  it.each([1, 100_000])(
    "is refused as a whole when the other database refuses one of %i rows",
    async (length) => {
      const [source, target] = await Promise.all([makeDatabase(), makeDatabase()]);
      for (const { owner } of [source, target]) await owner`create table private.numbers (x integer)`;
      await source.owner`insert into private.numbers select generate_series(1, ${length}::integer)`;
      await target.owner`alter table private.numbers add constraint x_is_great check (x > 1)`;
      await target.owner`insert into private.stop_list (phone_digits) values ('3055550100')`;
      await expect(copyDatabase(source.owner, target.owner)).rejects.toThrow(CopyError);
      expect(await target.owner`select from private.stop_list`).toHaveLength(1);
    },
  );

  it.each([
    ["refuses its rows", "check (x = '')"],
    ["cannot take them", undefined],
  ])("ends in an error when the other database %s after all rows are sent", async (_, constraint) => {
    const [source, target] = await Promise.all([makeDatabase(), makeDatabase()]);
    for (const { owner } of [source, target]) await owner`create table private.texts (x text)`;
    await source.owner`insert into private.texts select repeat('x', 100) from generate_series(1, 1000)`;
    if (constraint)
      await target.owner.unsafe(`alter table private.texts add constraint x_is_empty ${constraint}`);
    const isSent = () => source.owner`
      select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
        and query like 'copy (select % private.texts) to stdout'`;
    const begin = CopyIn.begin;
    const spy = vi.spyOn(CopyIn, "begin").mockImplementation(async (tx, table, columns) => {
      if (table !== "private.texts") return begin(tx, table, columns);
      await expect.poll(isSent).toHaveLength(1);
      if (!constraint) throw new Error("lost");
      return begin(tx, table, columns);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(copyDatabase(source.owner, target.owner)).rejects.toThrow(constraint ? CopyError : "lost");
  });
});
