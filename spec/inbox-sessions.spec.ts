// The ways into the inbox, as the database keeps them: whom an invitation, a challenge, a passkey, a sign-in at the company or a session
// lets in, how often and for how long. spec/inbox-sign-in.spec.ts tests them in a browser.
import { describe, expect, it } from "vitest";
import { mayHavePasskeys } from "../inbox/passkeys.ts";
import { sessionsWaitingForLocks } from "./support/database.ts";
import { makeInbox, post, serveInbox, type TestInbox, type TestMember } from "./support/inbox.ts";

const { database, inbox } = await makeInbox();
const { owner } = database;
const maria = await inbox.member("Maria", "manager");

const tokenOf = ({ cookie }: TestMember) => cookie.replace("session=", "");
/** What a function answers, or the message of its refusal. `session` is the token that the browser sent along. */
const answerOf = (call: string, session = ""): Promise<unknown> =>
  owner
    .begin(async (tx) => {
      await tx`set local role leads_team`;
      await tx`select set_config('leads.session', ${session}, true)`;
      const [row] = await tx.unsafe<{ answer: unknown }[]>(`select ${call} as answer`);
      return row?.answer;
    })
    .catch((error: Error) => error.message);
const invite = async (name: string) =>
  tokenIn((await maria.call("members/invite", { name, role: "member" })).body.link);
const tokenIn = (link: string) => link.split("#")[1] as string;
const idOf = async (name: string) => {
  const [member] = await owner<{ id: string }[]>`select id from private.members where name = ${name}`;
  return member?.id as string;
};
const recover = async (id: string) => tokenIn((await maria.call("members/recover", { id })).body.link);
const opened = (token: string) => answerOf(`team.open_invitation('${token}')`);

let made = 0;
const aPasskey = () =>
  `'{"id": "key-${++made}", "public_key": "", "counter": 0, "backed_up": false, "transports": []}'`;
/** Adds a passkey to a member, and returns its id. */
async function addPasskey({ id }: Pick<TestMember, "id">, label = "Phone"): Promise<string> {
  const [key] = await owner<{ id: string }[]>`
    insert into private.passkeys (id, member_id, public_key, counter, backed_up, label)
    values (${`key-${++made}`}, ${id}, '', 0, false, ${label}) returning id`;
  return key?.id as string;
}
const challengeToJoin = async (token: string) =>
  ((await answerOf(`team.challenge_to_join('${token}')`)) as { challenge: string }).challenge;
const join = (token: string, challenge: string, label = "Phone") =>
  answerOf(`team.join_with_passkey('${token}', '${challenge}', ${aPasskey()}, '${label}')`);
const challengeToSignIn = async () => (await answerOf("team.challenge_to_sign_in()")) as string;
/** Each signature of a passkey has a higher number than the one before. */
let counter = 7;
/** Signs in with a passkey whose signature holds. `session` is the one that the browser still has. */
const signIn = async (passkey: string, session = "", challenge?: string) =>
  answerOf(
    `team.sign_in_with_passkey('${passkey}', '${challenge ?? (await challengeToSignIn())}', ${counter++}, true)`,
    session,
  );
const audited = async (who: string) => {
  const entries = await owner<{ action: string }[]>`
    select action from private.audit_log where who = ${who} order by id`;
  return entries.map(({ action }) => action);
};

describe("an invitation", () => {
  it("ends with the recovery or the removal of its member, so that no link that was lost lets anybody in", async () => {
    const first = await invite("Lost links");
    const id = await idOf("Lost links");
    const second = await recover(id);
    const third = await recover(id);
    for (const link of [first, second]) expect(await opened(link)).toBe("invitation used");
    expect(await opened(third)).toMatchObject({ name: "Lost links" });
    await maria.call("members/remove", { id });
    expect(await opened(third)).toBe("invitation unknown");
    expect((await audited("Maria")).slice(-4)).toEqual([
      "invited member",
      "recovered member",
      "recovered member",
      "removed member",
    ]);
    const [left] = await owner`
      select count(*)::integer as unused from private.invitations where member_id = ${id} and used_at is null`;
    expect(left).toEqual({ unused: 0 });
  });

  it("has expired when it was made by a clock that was years ahead, because it would otherwise last for years", async () => {
    const [token, linked] = [await invite("Ahead"), await invite("Links ahead")];
    await answerOf(`team.begin_company_sign_in('ahead', 'nonce', 'verifier', '${linked}')`);
    const isAhead = (by: string) => owner`
      update private.invitations i set created_at = now() + d.ahead, expires_at = now() + d.ahead + interval '24 hours'
      from (select ${by}::text::interval as ahead) d
      where i.member_id in (select id from private.members where name in ('Ahead', 'Links ahead'))`;
    await isAhead("1 minute");
    expect(await opened(token)).toMatchObject({ name: "Ahead" });
    await isAhead("3 years");
    expect(await opened(token)).toBe("invitation expired");
    expect(await answerOf("team.sign_in_with_company('ahead', 'issuer', 'ahead')")).toBe(
      "invitation expired",
    );
  });

  it("is for a name without the blanks that were typed around it", async () => {
    expect(await opened(await invite(" Nora Blank  "))).toMatchObject({ name: "Nora Blank" });
    expect((await maria.call("members/invite", { name: "nora blank ", role: "member" })).status).toBe(409);
  });
});

describe("a challenge", () => {
  it("holds only for the purpose and the member that it was made for", async () => {
    const [ann, bob] = [await invite("Ann"), await invite("Bob")];
    expect(await join(ann, await challengeToJoin(bob))).toBe("try again");
    expect(await join(ann, await challengeToSignIn())).toBe("try again");
    const dana = await inbox.member("Challenged");
    const adding = (await answerOf("team.challenge_to_add_passkey()", tokenOf(dana))) as {
      challenge: string;
    };
    expect(await signIn(await addPasskey(dana), "", adding.challenge)).toBe("try again");
    expect(
      await answerOf(`team.add_passkey('${await challengeToJoin(ann)}', ${aPasskey()}, 'x')`, tokenOf(dana)),
    ).toBe("try again");
    expect(await join(ann, await challengeToJoin(ann))).toMatchObject({ name: "Ann" });
  });

  it("to join and one to add a passkey are not taken for each other", async () => {
    const token = await invite("Twofold");
    const id = await idOf("Twofold");
    const [session] = await owner`select private.begin_session(${id}, 'test') ->> 'token' as token`;
    const adding = (await answerOf("team.challenge_to_add_passkey()", session?.token)) as {
      challenge: string;
    };
    expect(await join(token, adding.challenge)).toBe("try again");
    const joining = await challengeToJoin(token);
    expect(await answerOf(`team.add_passkey('${joining}', ${aPasskey()}, 'x')`, session?.token)).toBe(
      "try again",
    );
  });

  it("is signed within five minutes, and is not kept longer", async () => {
    const late = await challengeToSignIn();
    const [challenge] = await owner`
      select max(expires_at) - now() < interval '5 minutes 1 second' as is_short from private.challenges`;
    expect(challenge).toEqual({ is_short: true });
    await owner`update private.challenges set expires_at = now() - interval '1 second'`;
    const key = await addPasskey(await inbox.member("Late"));
    const [before] =
      await owner`select count(*)::integer as kept from private.challenges where expires_at < now()`;
    expect(before?.kept).toBeGreaterThan(0);
    expect(await signIn(key, "", late)).toBe("try again");
    await challengeToSignIn();
    const [after] =
      await owner`select count(*)::integer as kept from private.challenges where expires_at < now()`;
    expect(after).toEqual({ kept: 0 });
  });

  it("of a moment ago outlives a flood of others, which ends only the oldest with the same purpose", async () => {
    const token = await invite("In a flood");
    const joining = await challengeToJoin(token);
    const fresh = await challengeToSignIn();
    await owner`
      insert into private.challenges (challenge_hash, purpose, expires_at)
      select sha256(n::text::bytea), 'sign in', now() + interval '4 minutes' from generate_series(1, 10000) n`;
    await challengeToSignIn();
    expect(await signIn(await addPasskey(await inbox.member("Flooded")), "", fresh)).toMatchObject({
      name: "Flooded",
    });
    expect(await join(token, joining)).toMatchObject({ name: "In a flood" });
    await owner`delete from private.challenges`;
  });
});

describe("a passkey", () => {
  it("is added by its own member, and the audit log says so", async () => {
    const member = await inbox.member("Adds one");
    const asked = await answerOf("team.challenge_to_add_passkey()", tokenOf(member));
    const { challenge } = asked as { challenge: string };
    await answerOf(`team.add_passkey('${challenge}', ${aPasskey()}, 'Laptop')`, tokenOf(member));
    expect((await member.call("passkeys")).body.passkeys.map(({ label }) => label)).toEqual(["Laptop"]);
    expect(await audited("Adds one")).toContain("added passkey");
  });

  it("is removed and listed by its own member alone, and the audit log says so", async () => {
    const [owns, other] = [await inbox.member("Owns"), await inbox.member("Other")];
    const key = await addPasskey(owns, "Owned phone");
    await addPasskey(owns);
    for (let n = 0; n < 2; n++) await addPasskey(other);
    expect((await other.call("passkeys/remove", { id: key })).status).toBe(404);
    const labels = async (member: TestMember) =>
      (await member.call("passkeys")).body.passkeys.map(({ label }) => label);
    expect(await labels(other)).toEqual(["Phone", "Phone"]);
    expect(await labels(owns)).toContain("Owned phone");
    expect((await owns.call("passkeys/remove", { id: key })).body).toEqual({ done: true });
    expect((await owns.call("passkeys/remove", { id: key })).status).toBe(404);
    expect(await audited("Owns")).toContain("removed passkey");
    expect(await audited("Other")).not.toContain("removed passkey");
  });

  it("that is a member's last one is removed where they have a company account to sign in with, and stays otherwise", async () => {
    const openIdConnect = { issuer: "https://login.example/", clientId: "leads", clientSecret: "secret" };
    const ofCompany = await serveInbox(database, { openIdConnect });
    const removal = async (at: TestInbox, name: string, issuer?: string) => {
      const member = await at.member(name);
      if (issuer) await owner`insert into private.company_accounts values (${issuer}, ${name}, ${member.id})`;
      return (await member.call("passkeys/remove", { id: await addPasskey(member) })).body;
    };
    expect(await removal(ofCompany, "Linked", "https://login.example")).toEqual({ done: true });
    const stays = { refused: "last one" };
    expect(await removal(ofCompany, "Alone")).toEqual(stays);
    expect(await removal(ofCompany, "Linked at an earlier provider", "https://before.example")).toEqual(
      stays,
    );
    expect(await removal(inbox, "Linked while it was offered", "https://login.example")).toEqual(stays);
    const manager = await ofCompany.member("Sees ways in", "manager");
    const { members } = (await manager.call("members")).body;
    const linked = members.filter(({ name, oidc }) => name.startsWith("Linked") && oidc);
    expect(linked.map(({ name }) => name).sort()).toEqual(["Linked", "Linked while it was offered"]);
  });

  it("stays when another was removed at the same moment and it is the last one now", async () => {
    const member = await inbox.member("In two tabs");
    const [one, other] = [await addPasskey(member), await addPasskey(member)];
    const { answer } = await owner.begin(async (tx) => {
      await tx`select set_config('leads.session', ${tokenOf(member)}, true)`;
      await tx`select team.remove_passkey(${one}, null)`;
      const answer = answerOf(`team.remove_passkey('${other}', null)`, tokenOf(member));
      await expect.poll(() => sessionsWaitingForLocks(owner)).toHaveLength(1);
      return { answer };
    });
    expect(await answer).toBe(false);
  });

  it("is offered by browsers at https with a name, and at the name localhost", () => {
    const at = (address: string) => mayHavePasskeys(new URL(address));
    for (const address of ["https://inbox.example.com", "http://localhost:3001", "https://localhost"])
      expect([address, at(address)]).toEqual([address, true]);
    for (const address of ["http://inbox.example.com", "https://192.168.1.5", "https://[fd00::1]"])
      expect([address, at(address)]).toEqual([address, false]);
  });

  it("of a member who was removed is not checked, even if it is still there", async () => {
    const member = await inbox.member("Removed past all rules");
    const key = await addPasskey(member);
    expect(await answerOf(`team.passkey_to_check('${key}')`)).toMatchObject({ counter: 0 });
    await owner`update private.members set removed_at = now() where id = ${member.id}`;
    expect(await answerOf(`team.passkey_to_check('${key}')`)).toBe("not a member");
    expect((await member.call("me")).status).toBe(401);
  });

  it("is kept with the count of its signatures, by which a copy of it is recognized", async () => {
    const key = await addPasskey(await inbox.member("Counted"));
    counter = 7;
    await signIn(key);
    const [kept] = await owner`
      select counter, backed_up, last_used_at is not null as is_used from private.passkeys where id = ${key}`;
    expect(kept).toEqual({ counter: "7", backed_up: true, is_used: true });
    // Of two sign-ins with the same count, the later one may come from a copy.
    counter = 7;
    expect(await signIn(key)).toBe("not a member");
  });

  it("has a name, whatever the browser called it", async () => {
    const named = async (name: string, label: string) => {
      const token = await invite(name);
      await join(token, await challengeToJoin(token), label);
      const [key] = await owner`
        select p.label from private.passkeys p join private.members m on m.id = p.member_id where m.name = ${name}`;
      return key?.label;
    };
    expect(await named("Unnamed", "  ")).toBe("Passkey");
    expect(await named("Long named", ` ${"x".repeat(150)}`)).toBe("x".repeat(100));
  });
});

describe("a sign-in at the company", () => {
  const begin = (state: string, token?: string, session = "") =>
    answerOf(
      `team.begin_company_sign_in('${state}', 'nonce', 'verifier', ${token ? `'${token}'` : "null"})`,
      session,
    );
  const pending = (state: string) => answerOf(`team.company_sign_in_of('${state}')`);
  // Without a session: the provider sends the browser back from another site, and browsers do not send our cookie then.
  const finish = (state: string, subject: string, issuer = "issuer") =>
    answerOf(`team.sign_in_with_company('${state}', '${issuer}', '${subject}')`);

  it("is finished within ten minutes, and is not kept longer", async () => {
    await begin("slow");
    expect(await pending("slow")).toMatchObject({ nonce: "nonce" });
    const [begun] = await owner`
      select expires_at - begun_at = interval '10 minutes' as is_short from private.company_sign_ins`;
    expect(begun).toEqual({ is_short: true });
    await owner`insert into private.company_accounts values ('issuer', 'slow', ${(await inbox.member("Slow")).id})`;
    await owner`update private.company_sign_ins set expires_at = now() - interval '1 second'`;
    expect(await pending("slow")).toBeNull();
    expect(await finish("slow", "slow")).toBe("try again");
    await begin("next");
    const left = await owner`select from private.company_sign_ins where expires_at < now()`;
    expect(left).toHaveLength(0);
  });

  it("of a moment ago outlives a flood of others", async () => {
    await begin("fresh");
    await owner`
      insert into private.company_sign_ins (state_hash, nonce, code_verifier, expires_at)
      select sha256(n::text::bytea), 'n', 'v', now() + interval '4 minutes' from generate_series(1, 10000) n`;
    await begin("another");
    expect(await pending("fresh")).not.toBeNull();
    await owner`delete from private.company_sign_ins`;
  });

  it("links one account through an invitation, which ends with the link or when it expires", async () => {
    const token = await invite("Links once");
    for (const state of ["first", "second"]) await begin(state, token);
    expect(await finish("first", "one")).toMatchObject({ name: "Links once" });
    expect(await finish("second", "two")).toBe("invitation used");
    expect(await opened(token)).toBe("invitation used");
    const late = await invite("Links late");
    await begin("late", late);
    await owner`update private.invitations set expires_at = now() where used_at is null`;
    expect(await finish("late", "late")).toBe("invitation expired");
  });

  it("is refused when the member was removed meanwhile", async () => {
    await begin("removed", await invite("Removed meanwhile"));
    await owner`update private.members set removed_at = now() where name = 'Removed meanwhile'`;
    expect(await finish("removed", "removed")).toBe("invitation unknown");
  });

  it("unlocks the member's session, and knows an account by its provider too", async () => {
    const member = await inbox.member("Of the company");
    await owner`insert into private.company_accounts values ('issuer', 'subject', ${member.id})`;
    await member.call("lock");
    await begin("elsewhere");
    expect(await finish("elsewhere", "subject", "another")).toBe("not a member");
    await begin("unlock", undefined, tokenOf(member));
    const unlocked = (await finish("unlock", "subject")) as { token: string };
    // The browser may have another cookie by then, so it gets the session's anew.
    const { status, body } = await post<{ name: string }>(
      inbox.url,
      "api/me",
      {},
      `session=${unlocked.token}`,
    );
    expect([status, body.name]).toEqual([200, "Of the company"]);
    expect((await member.call("me")).status).toBe(401);
    expect(await audited("Of the company")).toEqual(["signed in", "locked", "unlocked"]);
  });
});

describe("a session", () => {
  it("that has ended or is another member's is not unlocked by a sign-in, which begins a new one", async () => {
    const [ended, other] = [await inbox.member("Ended"), await inbox.member("At the same browser")];
    const [endedKey, otherKey] = [await addPasskey(ended), await addPasskey(other)];
    expect(await signIn(otherKey, tokenOf(ended))).toHaveProperty("token");
    await ended.call("lock");
    expect(await signIn(otherKey, tokenOf(ended))).toHaveProperty("token");
    expect((await ended.call("me")).status).toBe(423);
    expect(await signIn(endedKey, tokenOf(ended))).not.toHaveProperty("token");
    expect((await ended.call("me")).status).toBe(200);
    await ended.call("sign-out");
    expect(await signIn(endedKey, tokenOf(ended))).toHaveProperty("token");
    await owner`update private.sessions set ends_at = now() where member_id = ${other.id}`;
    expect(await signIn(otherKey, tokenOf(other))).toHaveProperty("token");
  });

  it("ends after the hours that the settings say now, also when it was begun under longer ones", async () => {
    const member = await inbox.member("Since yesterday");
    await owner`
      update private.sessions set created_at = now() - interval '20 hours', ends_at = now() + interval '100 hours'
      where member_id = ${member.id}`;
    await owner`update private.inbox_settings set session_hours = 24`;
    const { ends_at } = (await member.call("me")).body;
    expect(Math.round((Date.parse(ends_at) - Date.now()) / 3_600_000)).toBe(4);
    await owner`update private.inbox_settings set session_hours = 12`;
    expect((await member.call("me")).status).toBe(401);
  });

  it("says in the audit log when it began, was locked and unlocked, and ended, once", async () => {
    const member = await inbox.member("Audited");
    await member.call("lock");
    await signIn(await addPasskey(member), tokenOf(member));
    for (let n = 0; n < 2; n++) await answerOf("team.sign_out()", tokenOf(member));
    expect(await audited("Audited")).toEqual(["signed in", "locked", "unlocked", "signed out"]);
  });

  it("leaves the time at which its member joined as it was", async () => {
    const member = await inbox.member("Joined");
    await owner`update private.members set joined_at = '2026-01-01' where id = ${member.id}`;
    await signIn(await addPasskey(member));
    const { members } = (await maria.call("members")).body;
    expect(members.find(({ id }) => id === member.id)?.joined_at).toMatch(/^2026-01-01/);
  });
});
