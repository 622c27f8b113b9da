// A member signs in, adds a passkey, claims a lead or removes a manager while that manager ends the member's access: one waits.
import { describe, expect, it } from "vitest";
import type { Sql } from "../database/connect.ts";
import { asMember, whileUncommitted } from "./support/at-once.ts";
import { sessionsWaitingForLocks } from "./support/database.ts";
import { addLead, makeInbox, type TestMember } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();

describe("a member who signs in or adds a passkey while a manager recovers their access", () => {
  const passkey = async (member: TestMember) => {
    const id = crypto.randomUUID();
    await database.owner`
      insert into private.passkeys (id, member_id, public_key, counter, backed_up, label)
      values (${id}, ${member.id}, '', 0, false, 'Phone')`;
    return id;
  };
  const challenge = async (sql: Sql) => {
    const [row] = await sql<{ challenge: string }[]>`select team.challenge_to_sign_in() as challenge`;
    return row?.challenge ?? "";
  };
  const withPasskey = async (sql: Sql, id: string) =>
    sql`select team.sign_in_with_passkey(${id}, ${await challenge(sql)}, 1, false)`;
  const openSessions = ({ id }: TestMember) =>
    database.owner`select from private.sessions where member_id = ${id} and ended_at is null`;
  const messageOf = (failure: Error) => failure.message;
  const recover = (sql: Sql, { id }: TestMember) => sql`select team.recover_member(${id})`;

  it("does not get in with a passkey", async () => {
    const nora = await inbox.member("Nora");
    const id = await passkey(nora);
    const answer = await whileUncommitted(
      database.owner,
      (tx) => recover(tx, nora),
      () => withPasskey(database.owner, id).then(() => "signed in", messageOf),
    );
    expect(answer).toBe("not a member");
    expect(await openSessions(nora)).toEqual([]);
  });

  it("does not get in with a company account", async () => {
    const nina = await inbox.member("Nina");
    await database.owner`insert into private.company_accounts values ('issuer', 'nina', ${nina.id})`;
    await database.owner`select team.begin_company_sign_in('state', 'nonce', 'verifier', null)`;
    const signIn = database.owner`select team.sign_in_with_company('state', 'issuer', 'nina')`;
    const answer = await whileUncommitted(
      database.owner,
      (tx) => recover(tx, nina),
      () => signIn.then(() => "signed in", messageOf),
    );
    expect(answer).toBe("not a member");
    expect(await openSessions(nina)).toEqual([]);
  });

  it("adds no passkey that outlives the recovery", async () => {
    const olga = await inbox.member("Olga");
    const asOlga = <T>(work: (tx: Sql) => Promise<T>) =>
      database.owner.begin(async (tx) => {
        await asMember(tx as unknown as Sql, olga);
        return { done: await work(tx as unknown as Sql) };
      });
    const { done } = await asOlga(
      (tx) => tx`select team.challenge_to_add_passkey() ->> 'challenge' as challenge`,
    );
    const passkey = { id: "another", public_key: "", counter: 0, backed_up: false, transports: [] };
    const adding = async (tx: Sql) =>
      tx`select team.add_passkey(${done[0]?.challenge}, ${tx.json(passkey)}, 'Another phone')`;
    const answer = await whileUncommitted(
      database.owner,
      (tx) => recover(tx, olga),
      () => asOlga(adding).then(() => "added", messageOf),
    );
    expect(answer).toBe("try again");
    expect(await database.owner`select from private.passkeys where member_id = ${olga.id}`).toEqual([]);
  });

  it("is signed out again when the sign-in came first", async () => {
    const otto = await inbox.member("Otto");
    const id = await passkey(otto);
    await whileUncommitted(
      database.owner,
      (tx) => withPasskey(tx, id),
      () => recover(database.owner, otto).execute(),
    );
    expect(await openSessions(otto)).toEqual([]);
  });
});

describe("a recovery", () => {
  it("waits for a request that the member has begun, and does not block what this request records under the member's name", async () => {
    const rita = await inbox.member("Rita");
    const { recovering } = await database.owner.begin(async (tx) => {
      await tx`update private.sessions set last_seen_at = now() where member_id = ${rita.id}`;
      const recovering = database.owner`select team.recover_member(${rita.id})`.execute();
      await expect.poll(() => sessionsWaitingForLocks(database.owner)).toHaveLength(1);
      await tx`select from private.members where id = ${rita.id} for key share nowait`;
      return { recovering };
    });
    expect(await recovering).toHaveLength(1);
  });
});

describe("a member who claims a lead while a manager removes them", () => {
  it.each([
    ["Moe", "Lee", "by its page", (tx: Sql, id: string) => tx`select team.claim(${id})`],
    ["Max", "Luz", "by taking the next", (tx: Sql) => tx`select team.take_next()`],
  ])("keeps no claim (%s removes %s, who claims %s)", async (nameOfManager, name, _way, claim) => {
    const [manager, member] = [await inbox.member(nameOfManager, "manager"), await inbox.member(name)];
    const id = await addLead(database);
    const claims = () => database.owner`select from private.claims where member_id = ${member.id}`;
    const { body } = await whileUncommitted(
      database.owner,
      async (tx) => {
        await asMember(tx, member);
        await claim(tx, id);
        expect(await tx`select from private.claims where member_id = ${member.id}`).toHaveLength(1);
      },
      () => manager.call("members/remove", { id: member.id }),
    );
    expect(body).toEqual({ done: true });
    expect(await claims()).toEqual([]);
    await database.owner`update private.members set removed_at = now() where id = ${manager.id}`;
  });
});

describe("a member who is removed", () => {
  it("gets no link to a manager's account by a recovery that waited for the removal", async () => {
    const [bea, ann] = [await inbox.member("Bea", "manager"), await inbox.member("Ann", "manager")];
    const { status } = await whileUncommitted(
      database.owner,
      async (tx) => {
        await asMember(tx, bea);
        await tx`select team.remove_member(${ann.id})`;
      },
      () => ann.call("members/recover", { id: bea.id }),
    );
    expect(status).toBe(401);
    expect((await bea.call("me")).status).toBe(200);
    await database.owner`update private.members set removed_at = now() where id = ${bea.id}`;
  });

  it("has no session any more for the claim that waited for the removal, which is nobody's then", async () => {
    const [maud, cleo] = [await inbox.member("Maud", "manager"), await inbox.member("Cleo")];
    const id = await addLead(database);
    const { status } = await whileUncommitted(
      database.owner,
      async (tx) => {
        await asMember(tx, maud);
        await tx`select team.remove_member(${cleo.id})`;
      },
      () => cleo.call("claim", { id }),
    );
    expect(status).toBe(401);
    expect((await maud.call("claim", { id })).status).toBe(200);
    await database.owner`update private.members set removed_at = now() where id = ${maud.id}`;
  });
});

describe("two managers who remove each other at the same moment", () => {
  it("leave the team with one manager, because the second removal is refused", async () => {
    const [maria, mia] = [await inbox.member("Maria", "manager"), await inbox.member("Mia", "manager")];
    const { status } = await whileUncommitted(
      database.owner,
      async (tx) => {
        await asMember(tx, mia);
        await tx`select team.remove_member(${maria.id})`;
      },
      () => maria.call("members/remove", { id: mia.id }),
    );
    expect(status).toBe(401);
    expect(
      await database.owner`select name from private.members where role = 'manager' and removed_at is null`,
    ).toEqual([{ name: "Mia" }]);
  });
});
