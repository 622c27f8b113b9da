// What members, the operator and visitors do at the same moment: one waits for the other, and then acts on what is true by then.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Sql } from "../database/connect.ts";
import { makeResilientConnection } from "../database/resilient-connection.ts";
import { makeLog } from "../log/log.ts";
import { askWithSession } from "../team/ask.ts";
import { reviewLead } from "../team/review-lead.ts";
import { asMember, whileUncommitted } from "./support/at-once.ts";
import { callLead } from "./support/calls.ts";
import { aLead, removeLeads, sessionsWaitingForLocks } from "./support/database.ts";
import { addLead, makeInbox, noonZip } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
const lee = await inbox.member("Lee");
await database.owner`update private.channels set enabled = name = 'webhook'`;
beforeEach(() => removeLeads(database.owner));

/** Tomorrow at 12:30, on the clocks of the place of `noonZip`. */
async function tomorrow() {
  const [row] = await database.owner<{ zone: string; day: string }[]>`
    select zone, to_char((now() at time zone zone) + interval '1 day', 'YYYY-MM-DD') as day
    from private.places where place = private.place_of(${noonZip}, '')`;
  return { at: `${row?.day}T12:30`, zone: row?.zone ?? "" };
}

const work = async (id: string) => {
  const [row] = await database.owner`
    select w.stage, w.outcome, r.outcome as review
    from private.lead_work w left join private.reviews r using (lead_id) where w.lead_id = ${id}`;
  return row;
};

describe("a call at the moment in which another member takes the lead", () => {
  it("is refused, so that two members never call the same person", async () => {
    const id = await addLead(database);
    const { body } = await whileUncommitted(
      database.owner,
      async (tx) => {
        await asMember(tx, lee);
        await tx`select team.claim(${id})`;
      },
      () => dana.call("call", { id }),
    );
    expect(body).toMatchObject({ refused: "claimed", held_by: { name: "Lee" }, next_at: expect.any(String) });
    expect((await dana.call("open", { id })).body.recent_attempts).toBe(0);
  });
});

describe("a lead whose person asks us to stop", () => {
  it("gets no callback from an outcome of the same moment, and the queue gives it to nobody", async () => {
    const id = await addLead(database);
    const callback = await tomorrow();
    const { body } = await whileUncommitted(
      database.owner,
      (tx) => tx`select private.withdraw_permission(${id})`,
      () => dana.call("outcome", { id, call_id: null, outcome: "callback", callback }),
    );
    expect(body).toMatchObject({ refused: "withdrawn" });
    expect(await work(id)).toMatchObject({ stage: "closed" });
    expect((await lee.call("take-next")).body).toEqual({ id: null });
  });

  it("is closed when the counts are made anew, even if a direct change of the database has withdrawn its permission", async () => {
    const id = await addLead(database);
    await database.owner.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update private.permissions set withdrawn_at = now() where lead_id = ${id}`;
    });
    await database.owner`select private.recount()`;
    expect(await work(id)).toMatchObject({ stage: "closed" });
  });

  it("cannot be opened again, because the database refuses open work on a withdrawn permission", async () => {
    const id = await addLead(database);
    await database.owner`select private.withdraw_permission(${id})`;
    const reopened = database.owner`update private.lead_work set stage = 'open' where lead_id = ${id}`;
    await expect(reopened).rejects.toThrow("withdrawn_lead_is_closed");
  });
});

describe("a lead that comes at the moment in which its person asks us to stop", () => {
  const phone = "111-555-0142";
  const permission = async () => {
    const [row] = await database.owner`
      select p.withdrawn_at is not null as is_withdrawn, w.stage, count(d.*)::int as told
      from private.permissions p
      join private.lead_work w using (lead_id)
      left join private.deliveries d on d.lead_id = p.lead_id and d.event = 'permission.withdrawn'
      group by 1, 2`;
    return row;
  };

  it("has its permission withdrawn when it is stored after the stop, and the channels are told", async () => {
    await database.owner.begin(async (tx) => {
      await tx`insert into public.leads ${tx(aLead({ phone }))}`;
      expect((await dana.call("stop-number", { phone })).body).toEqual({ leads: 0 });
    });
    await database.owner`select private.index_new_leads()`;
    expect(await permission()).toEqual({ is_withdrawn: true, stage: "closed", told: 1 });
  });

  it("has its permission withdrawn when the lead and the stop are stored side by side, so that neither sees the other", async () => {
    const [inserted, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const storing = database.owner.begin(async (tx) => {
      await tx`insert into public.leads ${tx(aLead({ phone }))}`;
      inserted.resolve();
      await stopped.promise;
    });
    await inserted.promise;
    await database.owner.begin(async (tx) => {
      await tx`select private.stop_numbers(array['1115550142'])`;
      stopped.resolve();
      await storing;
      await database.owner`select private.index_new_leads()`;
    });
    expect(await permission()).toMatchObject({ is_withdrawn: false });
    await database.owner`select private.index_new_leads()`;
    expect(await permission()).toEqual({ is_withdrawn: true, stage: "closed", told: 1 });
  });
});

describe("leads that two processes take into the lists at the same moment", () => {
  it("are read in one order, by their ids if they came at the same moment, so that the processes do not block each other", async () => {
    await database.owner`
      insert into public.leads (id, created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
      select gen_random_uuid(), now(), 'Same moment ' || n, n || '@example.com', '1', '05401', true, true
      from generate_series(1, 20) as n`;
    const found = await database.owner<{ id: string }[]>`select private.leads_to_index() as id`;
    const ids = found.map(({ id }) => id);
    expect(ids).toHaveLength(20);
    expect(ids).toEqual(ids.toSorted());
  });

  it("count as owed to a channel when a delivery of them is enqueued at that moment", async () => {
    await database.owner`update private.channels set enabled = false`;
    await database.owner`insert into public.leads ${database.owner(aLead())}`;
    await database.owner`update private.channels set enabled = name = 'webhook'`;
    await whileUncommitted(
      database.owner,
      (tx) => tx`select private.index_new_leads()`,
      () => database.owner`select private.enqueue_missed_deliveries()`.execute(),
    );
    expect(await database.owner`select is_owed from private.lead_work`).toEqual([{ is_owed: true }]);
  });

  it("are flagged as a burst once", async () => {
    for (let nth = 0; nth < 6; nth += 1) {
      const lead = { ...aLead({ zip_code: `${nth}` }), request_headers: { "x-forwarded-for": "192.0.2.1" } };
      await database.owner`insert into public.leads ${database.owner(lead)}`;
    }
    await database.owner`select private.index_new_leads()`;
    await database.owner`update private.lead_work set flags = '{}'`;
    const flag = (sql: Sql) => sql`select private.flag_bursts(array(select lead_id from private.lead_work))`;
    await whileUncommitted(database.owner, flag, () => flag(database.owner).execute());
    const flags = await database.owner<{ flags: string[] }[]>`select flags from private.lead_work`;
    expect(flags.map((row) => row.flags)).toEqual(Array(6).fill(["burst from one address"]));
  });
});

describe("a lead that is erased at the moment in which a member acts on it", () => {
  const acts: [string, (id: string) => Promise<{ status: number }>][] = [
    ["calls", (id) => dana.call("call", { id })],
    ["records an outcome", (id) => dana.call("outcome", { id, call_id: null, outcome: "not_interested" })],
    ["claims it", (id) => dana.call("claim", { id })],
  ];
  it.each(acts)("is not there any more when the member %s", async (_, act) => {
    const id = await addLead(database);
    const { status } = await whileUncommitted(
      database.owner,
      (tx) => tx`select private.erase_leads(array[${id}]::uuid[], 'asked')`,
      () => act(id),
    );
    expect(status).toBe(404);
  });
});

describe("an erasure and a stop", () => {
  const stop = (sql: Sql, id: string) => sql`select private.withdraw_permission(${id})`;
  const erase = (sql: Sql, id: string) => sql`select private.erase_leads(array[${id}]::uuid[], 'asked')`;

  it.each([
    ["an erasure", erase],
    ["a stop", stop],
  ])(
    "wait until a member's action on the lead has ended, and before that lock nothing that the action needs: %s",
    async (_, act) => {
      const id = await addLead(database);
      const { acting } = await database.owner.begin(async (tx) => {
        await tx`select private.lock_work(${id})`;
        const acting = act(database.owner, id).execute();
        await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
        await tx`select from public.leads where id = ${id} for key share nowait`;
        await tx`select from private.permissions where lead_id = ${id} for update nowait`;
        return { acting };
      });
      expect(await acting).toHaveLength(1);
    },
  );
});

describe("a call that PostgreSQL rolls back because two calls waited for each other", () => {
  // A sequence keeps what a rollback takes back.
  const deadlocks = (times: number) =>
    database.owner.unsafe(`
    drop sequence if exists private.tries;
    create sequence private.tries;
    create or replace function private.deadlocks() returns text language plpgsql as $$
    begin
      if nextval('private.tries') <= ${times} then
        raise exception using errcode = 'deadlock_detected', message = 'deadlock detected';
      end if;
      return 'done';
    end $$;`);
  const events: string[] = [];
  const log = makeLog((line) => events.push(line.split(" ")[2] ?? ""));
  const connection = makeResilientConnection(() => connect(database.url, { max: 1 }), log);
  afterAll(() => connection.end());
  const ask = () => askWithSession(connection, "")((sql) => sql`private.deadlocks()`);

  it("is repeated, up to two times, and no outage is logged", async () => {
    await deadlocks(2);
    expect(await ask()).toBe("done");
    expect(events).toEqual([]);
  });

  it("fails after the third attempt", async () => {
    await deadlocks(3);
    await expect(ask()).rejects.toMatchObject({ code: "40P01" });
    expect(events).toEqual([]);
  });
});

describe("taking back an outcome", () => {
  const recorded = async (id: string, outcome: "no_answer" | "not_interested" = "not_interested") => {
    const call_id = outcome === "no_answer" ? (await callLead(dana, id)).call_id : null;
    const { body } = await dana.call("outcome", { id, call_id, outcome });
    if (!("outcome_id" in body)) throw new Error("refused");
    return body.outcome_id;
  };

  it("is refused when a colleague records an outcome at that moment, and leaves the colleague's outcome", async () => {
    const id = await addLead(database);
    const outcome_id = await recorded(id);
    const { body } = await whileUncommitted(
      database.owner,
      async (tx) => {
        await asMember(tx, lee);
        await tx`select team.record_outcome(${id}, null, 'likely_qualifies', '', null)`;
      },
      () => dana.call("undo-outcome", { outcome_id }),
    );
    expect(body).toEqual({ refused: "later_outcome" });
    expect(await work(id)).toEqual({
      stage: "closed",
      outcome: "likely_qualifies",
      review: "likely qualifies",
    });
  });

  it("is refused when a colleague has recorded an outcome after it, even if the colleague began first", async () => {
    const id = await addLead(database);
    const outcome_id = await database.owner.begin(async (tx) => {
      await asMember(tx as unknown as Sql, lee);
      // Lee's transaction has begun, before Dana's outcome.
      const ofDana = await recorded(id);
      await tx`select team.record_outcome(${id}, null, 'likely_qualifies', '', null)`;
      return ofDana;
    });
    expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ refused: "later_outcome" });
  });

  it("gives back the words of the operator's review that the outcome had replaced", async () => {
    const id = await addLead(database);
    await reviewLead(database.owner, id, "qualifies, call on Monday");
    const outcome_id = await recorded(id);
    expect(await work(id)).toMatchObject({ review: "not interested" });
    await dana.call("undo-outcome", { outcome_id });
    expect(await work(id)).toEqual({ stage: "closed", outcome: null, review: "qualifies, call on Monday" });
  });

  it.each([
    ["with words of its own", "qualifies"],
    ["without words", undefined],
  ])("leaves a review that the operator has recorded after the outcome, %s", async (_, words) => {
    const id = await addLead(database);
    const outcome_id = await recorded(id, "no_answer");
    await reviewLead(database.owner, id, words);
    await dana.call("undo-outcome", { outcome_id });
    expect(await work(id)).toEqual({ stage: "closed", outcome: null, review: words ?? "no answer" });
    expect((await dana.call("open", { id })).body.reviewed_at).toEqual(expect.any(String));
  });

  it("works also when the person has asked us to stop since, and the lead stays closed", async () => {
    const id = await addLead(database);
    const outcome_id = await recorded(id, "no_answer");
    await lee.call("stop", { id });
    expect((await dana.call("undo-outcome", { outcome_id })).body).toEqual({ done: true });
    expect(await work(id)).toEqual({ stage: "closed", outcome: null, review: null });
    expect((await dana.call("open", { id })).body.claim).toBeNull();
  });
});
