// Who gets into the inbox, and who stays in: invitations, passkeys in a real browser, the lock, the end of a session, recovery and
// removal. The authenticator is Chromium's virtual one.
import type { CDPSession, Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Passkeys, SignInRefused } from "../inbox/passkeys.ts";
import { useBrowser } from "./support/browser.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { addLead, post, serveInbox, type TestInbox } from "./support/inbox.ts";
import { runLeads } from "./support/leads-command.ts";

const { open } = useBrowser();
let database: TestDatabase;
let inbox: TestInbox;
beforeAll(async () => {
  database = await makeDatabase();
  inbox = await serveInbox(database);
});
afterEach(async () => {
  await database.owner`update private.inbox_settings set idle_minutes = 15, session_hours = 12`;
});

const leads = (...words: string[]) =>
  runLeads({ DATABASE_URL: database.url, INBOX_URL: inbox.url }, ...words);
const tokenIn = (link: string) => link.trim().split("#")[1] ?? "";
const invite = async (...words: string[]) => tokenIn((await leads("team", "invite", ...words)).stdout);

/** A browser at the inbox, whose device checks who is there, or does not. */
async function openBrowser({ verifies = true } = {}): Promise<Page> {
  const page = await open(inbox.url);
  const devtools: CDPSession = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      automaticPresenceSimulation: true,
      hasUserVerification: verifies,
      isUserVerified: verifies,
    },
  });
  return page;
}

interface Outcome {
  status: number;
  body: { name?: string; role?: string; error?: string };
}

/** What the page does: asks for options, has the device act, and sends what it signed. */
const withPasskey = (
  page: Page,
  kind: "create" | "get",
  begin: string,
  finish: string,
  given: object = {},
  isCareless = false,
) =>
  page.evaluate(
    async ({ kind, begin, finish, given, isCareless }) => {
      const send = async (path: string, body: object) => {
        const answer = await fetch(`/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
        return { status: answer.status, body: JSON.parse((await answer.text()) || "{}") };
      };
      const asked = await send(begin, given);
      if (asked.status !== 200) return asked;
      const options = asked.body.options;
      // As a page that does not ask for user verification, on purpose or not.
      if (isCareless && kind === "get") options.userVerification = "discouraged";
      if (isCareless && kind === "create") options.authenticatorSelection.userVerification = "discouraged";
      const credential =
        kind === "create"
          ? await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
            })
          : await navigator.credentials.get({
              publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
            });
      return send(finish, { ...given, credential: (credential as PublicKeyCredential).toJSON() });
    },
    { kind, begin, finish, given, isCareless },
  ) as Promise<Outcome>;
const join = (page: Page, token: string) =>
  withPasskey(page, "create", "join/options", "join/verify", { token });
const signIn = (page: Page) => withPasskey(page, "get", "sign-in/options", "sign-in/verify");
/** Joins from a page that does not ask the device to check who is there. */
const joinCarelessly = (page: Page, token: string) =>
  withPasskey(page, "create", "join/options", "join/verify", { token }, true);
const signInCarelessly = (page: Page) =>
  withPasskey(page, "get", "sign-in/options", "sign-in/verify", {}, true);
const me = (page: Page) =>
  page.evaluate(async () => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/api/me", { method: "POST", headers, body: "{}" });
    return { status: answer.status, text: await answer.text() };
  });

describe("an invitation", () => {
  it("is one line, a link that says whom it is for, and lets a member in with a new passkey", async () => {
    const { status, stdout } = await leads("team", "invite", "Dana Kim");
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${inbox.url}/join#[A-Za-z0-9_-]{43}\n$`));
    const token = tokenIn(stdout);
    expect((await post(inbox.url, "join/open", { token })).body).toMatchObject({ name: "Dana Kim" });
    const { body } = await post<{ options: object }>(inbox.url, "join/options", { token });
    expect(body.options).toMatchObject({
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const page = await openBrowser();
    expect(await join(page, token)).toMatchObject({
      status: 200,
      body: { name: "Dana Kim", role: "member" },
    });
    const { status: inStatus, text } = await me(page);
    expect([inStatus, JSON.parse(text)]).toMatchObject([
      200,
      { name: "Dana Kim", role: "member", passkeys: 1 },
    ]);
  });

  it("works once, for 24 hours, and not when it was made up", async () => {
    const token = await invite("Once");
    expect((await join(await openBrowser(), token)).status).toBe(200);
    expect(await join(await openBrowser(), token)).toMatchObject({
      status: 401,
      body: { error: "invitation used" },
    });
    const old = await invite("Late");
    const [made] = await database.owner`
      select expires_at - created_at = interval '24 hours' as is_a_day from private.invitations where used_at is null`;
    expect(made).toEqual({ is_a_day: true });
    await database.owner`update private.invitations set expires_at = now() where used_at is null`;
    expect((await post(inbox.url, "join/open", { token: old })).body).toEqual({
      error: "invitation expired",
    });
    const forged = "A".repeat(43);
    expect((await post(inbox.url, "join/open", { token: forged })).body).toEqual({
      error: "invitation unknown",
    });
  });

  it("makes a manager with --manager, and no second member of one name", async () => {
    const page = await openBrowser();
    expect(await join(page, await invite("Maria", "--manager"))).toMatchObject({ body: { role: "manager" } });
    for (const name of ["maria", "operator"])
      expect(await leads("team", "invite", name)).toEqual({
        status: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /^This name is taken\. Invite under another one, or, for a member of this name: .* team recover <name>\n$/,
        ),
      });
  });

  it("is kept by its hash alone", async () => {
    const token = await invite("Hashed");
    const rows = await database.owner`select * from private.invitations`;
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it("is refused when the device did not check who is there", async () => {
    const page = await openBrowser({ verifies: false });
    expect(await joinCarelessly(page, await invite("Nobody checked"))).toEqual({
      status: 401,
      body: { error: "user not verified" },
    });
    expect((await me(page)).status).toBe(401);
  });
});

describe("a passkey", () => {
  it("signs its member in, and sets a cookie that scripts and other sites do not get", async () => {
    const page = await openBrowser();
    await join(page, await invite("Signs in"));
    await page.context().clearCookies();
    expect((await me(page)).status).toBe(401);
    expect(await signIn(page)).toMatchObject({ status: 200, body: { name: "Signs in" } });
    expect((await me(page)).status).toBe(200);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: "session", httpOnly: true, sameSite: "Strict", path: "/" });
  });

  it("is refused when the device did not check who is there", async () => {
    const page = await openBrowser();
    await join(page, await invite("Unchecked"));
    await page.context().clearCookies();
    expect(await signInCarelessly(page)).toEqual({ status: 401, body: { error: "user not verified" } });
    expect((await me(page)).status).toBe(401);
  });

  it("of a member who was removed is refused", async () => {
    const page = await openBrowser();
    await join(page, await invite("Removed"));
    expect((await leads("team", "remove", "Removed")).status).toBe(0);
    expect((await me(page)).status).toBe(401);
    expect(await signIn(page)).toMatchObject({ status: 401, body: { error: "not a member" } });
  });

  it("is not taken twice for one challenge, nor for another address than the inbox's", async () => {
    const page = await openBrowser();
    await join(page, await invite("Twice"));
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/sign-in/verify")) sent.push(request.postData() ?? "");
    });
    await signIn(page);
    const request = JSON.parse(sent[0] ?? "");
    const again = await post(inbox.url, "sign-in/verify", request);
    expect([again.status, again.body]).toEqual([401, { error: "try again" }]);
    // The other address is on the same host: the port counts too.
    const [row] = await database.owner`select team.passkey_to_check(${request.credential.id}) as kept`;
    const kept = { ...row?.kept, counter: 0 };
    const check = (address: string) =>
      new Passkeys(address, "Inbox").checkSignature(request.credential, kept);
    await expect(check("http://localhost:1")).rejects.toThrow(SignInRefused);
    await expect(check(inbox.url)).resolves.toMatchObject({ id: request.credential.id });
  });

  it("lets its member in while strangers begin a flood of sign-ins, of which the database keeps a limited number", async () => {
    await database.owner`
      insert into private.challenges (challenge_hash, purpose, expires_at)
      select sha256(n::text::bytea), 'sign in', now() + interval '4 minutes' from generate_series(1, 10000) n`;
    await database.owner`
      insert into private.company_sign_ins (state_hash, nonce, code_verifier, expires_at)
      select sha256(n::text::bytea), 'n', 'v', now() + interval '4 minutes' from generate_series(1, 10000) n`;
    const page = await openBrowser();
    expect((await join(page, await invite("Flooded"))).status).toBe(200);
    expect((await signIn(page)).status).toBe(200);
    await database.owner`select team.begin_company_sign_in('state', 'n', 'v', null)`;
    const [kept] = await database.owner`
      select (select count(*)::integer from private.challenges) as challenges,
        (select count(*)::integer from private.company_sign_ins) as company_sign_ins`;
    expect(kept?.challenges).toBeLessThan(10_000);
    expect(kept?.company_sign_ins).toBeLessThan(10_000);
  });

  it("can be joined by a second one on another device, and the last one stays", async () => {
    const page = await openBrowser();
    await join(page, await invite("Two keys"));
    const add = () => withPasskey(page, "create", "api/passkeys/options", "api/passkeys/add");
    await expect(add()).rejects.toThrow("InvalidStateError");
    await database.owner`update private.passkeys set id = 'Zmlyc3Q' where member_id = (select id from private.members where name = 'Two keys')`;
    expect((await add()).status).toBe(200);
    const call = (path: string, body: object) =>
      page.evaluate(
        async ({ path, body }) => {
          const headers = { "content-type": "application/json" };
          const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
          return answer.json();
        },
        { path, body },
      );
    expect((await call("/api/passkeys", {})).passkeys).toHaveLength(2);
    expect(await call("/api/passkeys/remove", { id: "Zmlyc3Q" })).toEqual({ done: true });
    const [last] = (await call("/api/passkeys", {})).passkeys;
    expect(await call("/api/passkeys/remove", { id: last.id })).toEqual({ refused: "last one" });
  });
});

describe("a session", () => {
  it("is locked after idle minutes, answers nothing but that, and is unlocked by the passkey", async () => {
    const page = await openBrowser();
    await join(page, await invite("Idle"));
    const [before] = await page.context().cookies();
    await database.owner`
      update private.sessions s set last_seen_at = now() - interval '15 minutes 1 second'
      from private.members m where m.id = s.member_id and m.name = 'Idle'`;
    expect(await me(page)).toEqual({ status: 423, text: "" });
    expect((await signIn(page)).status).toBe(200);
    expect((await me(page)).status).toBe(200);
    const [after] = await page.context().cookies();
    expect(after?.value).toBe(before?.value);
  });

  it("is locked when it was last used by a clock that was years ahead, because it would otherwise stay open for years", async () => {
    const member = await inbox.member("Ahead");
    const wasAhead = (by: string) => database.owner`
      update private.sessions set last_seen_at = now() + ${by}::text::interval where member_id = ${member.id}`;
    await wasAhead("1 minute");
    expect((await member.call("me")).status).toBe(200);
    await wasAhead("3 years");
    expect((await member.call("me")).status).toBe(423);
  });

  it("ends after 12 hours, whatever its member does", async () => {
    const member = await inbox.member("Long day");
    const [session] = await database.owner`
      select ends_at - created_at = interval '12 hours' as half_a_day from private.sessions where member_id = ${member.id}`;
    expect(session).toEqual({ half_a_day: true });
    await database.owner`update private.sessions set ends_at = now() where member_id = ${member.id}`;
    expect([(await member.call("me")).status, (await member.call("me")).text]).toEqual([401, ""]);
  });

  it("has ended when it began by a clock that was a year ahead, because it would otherwise last for a year", async () => {
    const member = await inbox.member("Began ahead");
    await database.owner`
      update private.sessions set created_at = created_at + interval '1 year', ends_at = ends_at + interval '1 year'
      where member_id = ${member.id}`;
    expect((await member.call("me")).status).toBe(401);
  });

  it("can be locked and left by its member", async () => {
    const member = await inbox.member("Leaves");
    await member.call("lock");
    expect((await member.call("me")).status).toBe(423);
    expect((await member.call("queue", {})).status).toBe(423);
    expect((await member.call("sign-out")).status).toBe(200);
    expect((await member.call("me")).status).toBe(401);
  });

  it("stays open while its member works, and not while the page only listens", async () => {
    const member = await inbox.member("Works");
    const rewind = () => database.owner`
      update private.sessions set last_seen_at = now() - interval '14 minutes' where member_id = ${member.id}`;
    const idle = async () => {
      const [row] = await database.owner<{ idle: boolean }[]>`
        select last_seen_at < now() - interval '13 minutes' as idle from private.sessions where member_id = ${member.id}`;
      return row?.idle;
    };
    await rewind();
    await member.call("queue", {});
    await member.call("me");
    expect(await idle()).toBe(true);
    await member.call("keep-alive", {});
    expect(await idle()).toBe(false);
  });

  it("ends with a recovery, as the passkeys do, and the member comes back with a new link", async () => {
    const page = await openBrowser();
    await join(page, await invite("Lost it"));
    const { stdout } = await leads("team", "recover", "lost it");
    expect((await me(page)).status).toBe(401);
    expect(await signIn(page)).toMatchObject({ status: 401, body: { error: "not a member" } });
    expect((await join(await openBrowser(), tokenIn(stdout))).status).toBe(200);
  });

  it("ends at once when its member is removed, and gives their leads back", async () => {
    const member = await inbox.member("Gone");
    const maria = await inbox.member("Maria the manager", "manager");
    const id = await addLead(database);
    expect((await member.call("claim", { id })).status).toBe(200);
    expect((await maria.call("members/remove", { id: maria.id })).body).toEqual({ refused: "yourself" });
    expect((await maria.call("members/remove", { id: member.id })).body).toEqual({ done: true });
    expect((await member.call("me")).status).toBe(401);
    expect((await maria.call("open", { id })).body.claim).toBeNull();
  });
});

describe("leads team", () => {
  it("list says who is invited, who has joined and who was removed", async () => {
    await leads("team", "invite", "Zoe Invited");
    await inbox.member("Ann Joined");
    await inbox.member("Left Us");
    await leads("team", "remove", "Left Us");
    const { stdout } = await leads("team", "list");
    expect(stdout).toMatch(/^NAME {1,30}ROLE {1,30}STATE {1,30}LAST SEEN$/m);
    expect(stdout).toMatch(/^Zoe Invited {1,30}member {1,30}invited {1,30}-$/m);
    expect(stdout).toMatch(/^Ann Joined {1,30}member {1,30}joined /m);
    expect(stdout).toMatch(/^Left Us {1,30}member {1,30}removed /m);
  });

  it("remove finds a name as it was typed for the invitation, though it is kept without its invisible characters", async () => {
    const typed = "Jose\u0301 \u200b Paz";
    expect((await leads("team", "invite", typed)).status).toBe(0);
    expect(await leads("team", "remove", typed)).toMatchObject({
      stdout: "Removed Jos\u00e9 Paz.\n",
      status: 0,
    });
  });

  it("remove refuses a name that no member has, and invite a name of blanks", async () => {
    expect((await leads("team", "remove", "Nobody like this")).stderr).toContain("No member is called");
    expect((await leads("team", "invite", " ")).status).toBe(2);
  });
});
