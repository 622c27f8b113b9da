// The kept counts and the sums of the reports equal a reading of every row, while at the same time leads come and are erased, reviews,
// outcomes and deliveries are written, calls are deleted, and the upkeep adds up and counts anew; also when a session is killed before its
// commit.
import { beforeAll, expect, it } from "vitest";
import { fillDatabase } from "../bench/years-of-leads.ts";
import { connect, type Sql } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { isLoss, oneMoment, transaction } from "../database/transaction.ts";
import { syncChannels } from "../delivery/outbox.ts";
import { addUp } from "../delivery/scheduled-jobs.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { counted, countedByReading, reportBothWays } from "./support/sums.ts";

const { owner, url } = await makeDatabase();
beforeAll(async () => {
  await syncChannels(owner, ["email", "webhook"]);
  await fillDatabase(owner, { leads: 1_000, open: 200, days: 8, daysByHour: 0, vacuum: false }, () => {});
}, 120_000);

/** Does some work on a session of its own, as each process has. */
async function inSession(work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = connect(url, { max: 1 });
  await work(sql).finally(() => sql.end({ timeout: 1 }));
}

const undone = new Error("undone");
/** Of three transactions one is committed, one is rolled back at its end, and of one the session is killed then. */
const inTransaction = (nth: number, work: (tx: Sql) => Promise<unknown>) =>
  inSession((sql) =>
    transaction(sql, async (tx) => {
      await work(tx as unknown as Sql);
      if (nth % 3 === 1) throw undone;
      if (nth % 3 === 2) await tx`select pg_terminate_backend(pg_backend_pid())`;
    }).catch((error) => {
      if (error !== undone && !isLoss(error)) throw error;
    }),
  );

async function fifteenTimes(work: (tx: Sql, nth: number) => Promise<unknown>): Promise<void> {
  for (let nth = 0; nth < 15; nth += 1) await retryDeadlock(() => inTransaction(nth, (tx) => work(tx, nth)));
}

/** What happens to leads, each in transactions of its own. */
const acts: ((tx: Sql, nth: number) => Promise<unknown>)[] = [
  (tx) => tx`
    select private.erase_leads(array(select lead_id from private.lead_work order by random() limit 8), 'asked')`,
  (tx) => tx`
    select private.erase_leads(array(select lead_id from private.lead_work order by random() limit 8), 'age')`,
  (tx) => tx`
    insert into private.reviews (lead_id)
    select l.id from public.leads l order by random() limit 3 for key share on conflict do nothing`,
  (tx) => tx`
    update private.outcomes set outcome = 'not_interested'
    where id in (select o.id from private.outcomes o order by random() limit 3)`,
  (tx) =>
    tx`delete from private.calls where id in (select c.id from private.calls c order by random() limit 2)`,
  (tx) => tx`
    update private.deliveries set delivered_at = now()
    where id in (select d.id from private.deliveries d where d.delivered_at is null and d.failed_at is null order by random() limit 5)`,
  async (tx, nth) => {
    await tx`insert into public.leads ${tx(aLead({ name: `Visitor ${nth}` }))}`;
    await tx`select private.index_new_leads()`;
  },
];

const expectSumsOfEveryRow = async () => {
  expect(await counted(owner)).toEqual(await countedByReading(owner));
  for (const days of [5, 9]) {
    const { fromSums, fromLeads } = await reportBothWays(owner, days);
    expect(fromSums).toEqual(fromLeads);
  }
};

it("counts during many writes, and reports after them, equal a reading of every row, also when sessions are killed", async () => {
  let isOver = false;
  const untilOver = (work: (sql: Sql) => Promise<unknown>) =>
    inSession(async (sql) => {
      while (!isOver) await work(sql);
    });
  const upkeep = [
    untilOver(addUp),
    untilOver((sql) => retryDeadlock(() => sql`select private.recount()`)),
    untilOver((sql) =>
      transaction(
        sql,
        async (tx) => {
          const one = tx as unknown as Sql;
          expect(await counted(one)).toEqual(await countedByReading(one));
        },
        oneMoment,
      ),
    ),
  ];
  await Promise.all(acts.map(fifteenTimes)).finally(() => {
    isOver = true;
  });
  await Promise.all(upkeep);
  await expectSumsOfEveryRow();
  await addUp(owner);
  await expectSumsOfEveryRow();
});

it("the report includes a change to an old day that is committed only after another change had the day summed", async () => {
  const [day] = await owner<{ leads: string[] }[]>`
    select array_agg(w.lead_id) as leads from private.lead_work w
    where w.created_at < date_trunc('day', now(), 'UTC') - interval '2 days' group by date_trunc('day', w.created_at, 'UTC') limit 1`;
  const [first = "", second = ""] = day?.leads ?? [];
  const erase = (sql: Sql, id: string) => sql`select private.erase_leads(array[${id}]::uuid[], 'asked')`;
  await inSession((sql) =>
    transaction(sql, async (tx) => {
      await erase(owner, first);
      await erase(tx as unknown as Sql, second);
      await addUp(owner);
    }),
  );
  await expectSumsOfEveryRow();
});
