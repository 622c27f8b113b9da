// Sign-in with the company's own accounts, against a real OpenID provider that runs in this process.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { isFresh, makeCompanySignIn, questionFor } from "../inbox/company-sign-in.ts";
import { SignInRefused } from "../inbox/passkeys.ts";
import { askAsOperator } from "../team/ask.ts";
import { inviteMember } from "../team/managing.ts";
import { atTheEnd } from "./support/at-the-end.ts";
import { serveInboxOfCompany } from "./support/company-sign-in.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { freePort } from "./support/free-port.ts";
import { post, type TestInbox } from "./support/inbox.ts";

let database: TestDatabase;
let inbox: TestInbox;
const logged: string[] = [];
const nowhere = await freePort();
beforeAll(async () => {
  database = await makeDatabase();
  inbox = await serveInboxOfCompany(database, {}, logged);
});

/** A browser without a window: follows redirects, keeps cookies by host, and fills in the provider's two forms. */
class Browser {
  readonly inbox: TestInbox;
  /** The forms that the provider has shown: `login` asks who is there. */
  readonly prompts: string[] = [];
  readonly cookies = new Map<string, Map<string, string>>();

  constructor(itsInbox = inbox) {
    this.inbox = itsInbox;
  }

  async request(address: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const jar = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as object), ...(cookie && { cookie }) };
    const answer = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    return answer;
  }

  /** Goes to the provider, signs in there as `login`, agrees, and returns the inbox's last answer. */
  async signIn(given: object, login: string): Promise<Response> {
    return this.follow(await this.begin(given), login);
  }

  /** Asks the inbox for the provider's address. */
  async begin(given: object): Promise<string> {
    const { address } = await this.start(given);
    expect(address).toMatch(/^http/);
    return address as string;
  }

  /** The address, or why there is none. */
  async start(given: object): Promise<{ address?: string; error?: string }> {
    const headers = { "content-type": "application/json", origin: this.inbox.url };
    const request = { method: "POST", headers, body: JSON.stringify(given) };
    return (await this.request(`${this.inbox.url}/oidc/start`, request)).json();
  }

  async follow(address: string, login: string): Promise<Response> {
    let at = address;
    let answer = await this.request(at);
    for (let step = 0; step < 20; step += 1) {
      if (new URL(at).origin === this.inbox.url) return answer;
      const location = answer.headers.get("location");
      if (location) {
        at = new URL(location, at).href;
        answer = await this.request(at);
        continue;
      }
      const html = await answer.text();
      const action = /<form[^>]{0,200} action="([^"]+)"/.exec(html)?.[1] ?? at;
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? "";
      this.prompts.push(prompt);
      const body = new URLSearchParams({ prompt, ...(prompt === "login" && { login, password: "any" }) });
      at = new URL(action, at).href;
      answer = await this.request(at, { method: "POST", body });
    }
    throw new Error("The provider goes round in circles.");
  }

  get session(): string | undefined {
    return this.cookies.get(this.inbox.url)?.get("session");
  }
}

const invite = async (name: string) =>
  (await inviteMember(askAsOperator(database.owner), name, "member")).token;

/** Comes back from the provider with this error, or with this code, and expects to be refused. */
async function expectRefusal(given: { error: string } | { code: string }): Promise<void> {
  const browser = new Browser();
  const { searchParams, origin } = new URL(await browser.begin({}));
  const answer = new URLSearchParams({ ...given, iss: origin, state: searchParams.get("state") ?? "" });
  const { headers } = await browser.request(`${inbox.url}/oidc/callback?${answer}`);
  expect(headers.get("location")).toBe("/sign-in#sign-in-refused");
}

const settingsFor = (issuer: string) => ({ issuer, clientId: "leads-inbox", clientSecret: "any" });
const meAs = (browser: Browser) =>
  post<{ name: string }>(inbox.url, "api/me", {}, `session=${browser.session ?? ""}`);

describe("the company's own sign-in", () => {
  it("lets an invited member in, and knows them again by issuer and subject", async () => {
    const first = new Browser();
    const answer = await first.signIn({ token: await invite("Dana") }, "dana@company.example");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect((await meAs(first)).body.name).toBe("Dana");
    const again = new Browser();
    await again.signIn({}, "dana@company.example");
    expect((await meAs(again)).body.name).toBe("Dana");
    const [linked] = await database.owner`select subject from private.company_accounts`;
    expect(linked).toEqual({ subject: "dana@company.example" });
    // Another provider may give the same subject to another person.
    const elsewhere = new Browser(await serveInboxOfCompany(database));
    const refused = await elsewhere.signIn({}, "dana@company.example");
    expect(refused.headers.get("location")).toBe("/sign-in#not-a-member");
  });

  it("lets nobody in who was not invited", async () => {
    const stranger = new Browser();
    const answer = await stranger.signIn({}, "stranger@company.example");
    expect(answer.headers.get("location")).toBe("/sign-in#not-a-member");
    expect(stranger.session).toBeUndefined();
  });

  it("does not link one account to a second member", async () => {
    const answer = await new Browser().signIn({ token: await invite("Lee") }, "dana@company.example");
    expect(answer.headers.get("location")).toBe("/sign-in#not-a-member");
  });

  it("takes an invitation once", async () => {
    const token = await invite("Kim");
    const late = new Browser();
    const asked = await late.begin({ token });
    await new Browser().signIn({ token }, "kim@company.example");
    const answer = await late.follow(asked, "another@company.example");
    expect(answer.headers.get("location")).toBe("/sign-in#invitation-used");
    const second = await post(inbox.url, "oidc/start", { token });
    expect([second.status, second.body]).toEqual([401, { error: "invitation used" }]);
  });

  it("takes the provider's answer only in the browser that asked, and once", async () => {
    const [mine, others] = [new Browser(), new Browser()];
    const asked = await mine.begin({});
    await others.begin({});
    const state = new URL(asked).searchParams.get("state") ?? "";
    const comeBack = async (browser: Browser, withState: string) =>
      (await browser.request(`${inbox.url}/oidc/callback?code=a&state=${withState}`)).headers.get("location");
    expect(await comeBack(others, state)).toBe("/sign-in#try-again");
    expect(await comeBack(mine, "b".repeat(43))).toBe("/sign-in#try-again");
    expect(mine.session).toBeUndefined();
    const answer = await mine.follow(asked, "dana@company.example");
    expect(answer.headers.get("location")).toBe("/");
    expect(await comeBack(mine, state)).toBe("/sign-in#try-again");
  });

  it("leads back to the sign-in page when it fails because of a bug, which the log says", async () => {
    const browser = new Browser();
    const { searchParams } = new URL(await browser.begin({}));
    await database.owner`alter function team.company_sign_in_of rename to company_sign_in_of_put_aside`;
    onTestFinished(async () => {
      await database.owner`alter function team.company_sign_in_of_put_aside rename to company_sign_in_of`;
    });
    logged.length = 0;
    const state = searchParams.get("state") ?? "";
    const { headers } = await browser.request(`${inbox.url}/oidc/callback?code=a&state=${state}`);
    expect(headers.get("location")).toBe("/sign-in#try-again");
    expect(logged).toContain("bug");
  });

  it("is refused, and not logged as failing, when the person cancels at the provider or comes back with a made-up code", async () => {
    logged.length = 0;
    await expectRefusal({ error: "access_denied" });
    await expectRefusal({ code: "made-up" });
    expect(logged).not.toContain("company-sign-in-failed");
  });

  it("is logged again as failing when it fails after somebody has signed in", async () => {
    const token = await invite("Between");
    logged.length = 0;
    for (const given of [{ token }, {}]) {
      await new Browser().signIn(given, "between@company.example");
      for (let attempt = 0; attempt < 2; attempt += 1) await expectRefusal({ error: "server_error" });
    }
    expect(logged.filter((event) => event === "company-sign-in-failed")).toHaveLength(2);
  });

  it.each([
    ["Rosa Martinez", "another error"],
    ["rosa martinez has diabetes", "another error"],
    ["server_error", "server_error"],
    ["invalid_scope", "invalid_scope"],
  ])("logs the error %j of an address as %j, because anybody may write one there", async (error, code) => {
    const log = vi.fn();
    const { origin } = new URL(await new Browser().begin({}));
    const { finish, begin } = makeCompanySignIn(settingsFor(origin), inbox.url, log);
    const { address: _, ...pending } = await begin();
    const comeBack = async (given: object) => {
      const answer = new URLSearchParams({ ...given, iss: origin, state: pending.state });
      await expect(finish(`?${answer}`, pending, new Date())).rejects.toThrow(SignInRefused);
    };
    await comeBack({ error });
    // Neither an address without a code nor one that names another provider is logged after that.
    await comeBack({});
    await comeBack({ code: "made-up", iss: "https://another.example" });
    // An error in the address does not keep the provider's own failure out of the log.
    await comeBack({ code: "made-up" });
    const codes = [code, "invalid_client"];
    expect(log.mock.calls).toEqual(codes.map((logged) => ["company-sign-in-failed", { code: logged }]));
  });

  it("asks no provider without TLS, except one on this machine for a trial", async () => {
    const log = vi.fn();
    const settings = settingsFor("http://192.0.2.1");
    await expect(makeCompanySignIn(settings, inbox.url, log).begin()).rejects.toThrow(SignInRefused);
    expect(log.mock.calls).toEqual([["company-sign-in-failed", { code: "OAUTH_HTTP_REQUEST_FORBIDDEN" }]]);
  });

  it("asks who is there each time, also in a browser where the provider still knows the member", async () => {
    const browser = new Browser();
    await browser.signIn({ token: await invite("Absent") }, "absent@company.example");
    browser.cookies.delete(inbox.url);
    browser.prompts.length = 0;
    await browser.signIn({}, "absent@company.example");
    expect(browser.prompts).toContain("login");
  });

  it("lets nobody in where the provider did not ask who is there, because the question was taken out of the address", async () => {
    const browser = new Browser();
    await browser.signIn({ token: await invite("Away") }, "away@company.example");
    browser.cookies.delete(inbox.url);
    browser.prompts.length = 0;
    logged.length = 0;
    const address = new URL(await browser.begin({}));
    for (const name of ["prompt", "max_age"]) address.searchParams.delete(name);
    const answer = await browser.follow(address.href, "away@company.example");
    expect(browser.prompts).not.toContain("login");
    expect(answer.headers.get("location")).toBe("/sign-in#sign-in-refused");
    // A provider that never says when the person signed in lets nobody in, and the operator has to know.
    expect(logged).toContain("company-sign-in-failed");
    expect(browser.session).toBeUndefined();
  });

  it("needs to be told when the person signed in, by every provider but Google, which is asked for the account alone", () => {
    const begun = new Date("2026-11-23T12:00:00Z");
    const earlier = begun.getTime() / 1000 - 61;
    for (const [issuer, isTrusted, question] of [
      ["https://login.example", false, { prompt: "login", max_age: "0" }],
      ["https://accounts.google.com", true, { prompt: "select_account" }],
    ] as const) {
      const areFresh = [undefined, earlier].map((time) => isFresh(time, begun, issuer));
      expect(areFresh).toEqual([isTrusted, isTrusted]);
      expect(questionFor(issuer)).toEqual(question);
    }
  });

  it("asks for a new sign-in both by `prompt` and by `max_age`, and takes none from before it asked, which is logged once", async () => {
    const browser = new Browser();
    await browser.signIn({ token: await invite("Before") }, "before@company.example");
    logged.length = 0;
    // The provider's clock may be a minute behind.
    for (const seconds of [30, 120, 120]) {
      const landed = seconds < 60 ? "/" : "/sign-in#sign-in-refused";
      const address = await browser.begin({});
      expect(address).toMatch(/[?&]prompt=login&max_age=0(&|$)/);
      await database.owner`
        update private.company_sign_ins set begun_at = begun_at + ${seconds} * interval '1 second'`;
      const answer = await browser.follow(address, "before@company.example");
      expect([seconds, answer.headers.get("location")]).toEqual([seconds, landed]);
    }
    expect(logged.filter((event) => event === "company-sign-in-failed")).toHaveLength(1);
  });

  it.each([
    ["knows another secret of the inbox", { clientSecret: "another" }],
    ["cannot be reached", { issuer: `http://localhost:${nowhere}` }],
  ])("is logged once as failing where the provider %s", async (_, differences) => {
    const logged: string[] = [];
    const failing = await serveInboxOfCompany(database, differences, logged);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const browser = new Browser(failing);
      const asked = await browser.start({});
      const answer = asked.address && (await browser.follow(asked.address, "dana@company.example"));
      expect(answer ? answer.headers.get("location") : asked.error).toMatch(/sign-in.refused$/);
    }
    expect(logged.filter((event) => event === "company-sign-in-failed")).toHaveLength(1);
  });

  it("begins again once a provider that could not be reached is back", async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const failing = await serveInboxOfCompany(database, { issuer });
    expect((await new Browser(failing).start({})).error).toBe("sign-in refused");
    const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    const provider = createServer((_, answer) =>
      answer.setHeader("content-type", "application/json").end(JSON.stringify(metadata)),
    ).listen(port);
    atTheEnd(() => void provider.close());
    await once(provider, "listening");
    expect((await new Browser(failing).start({})).address).toMatch(`${issuer}/auth?`);
  });

  it("is refused where the provider does not answer, before the page gives up and says that there is no connection", async () => {
    const timeouts: [number, AbortController][] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      const timeout = new AbortController();
      timeouts.push([milliseconds, timeout]);
      return timeout.signal;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const provider = createServer(() => {
      for (const [, timeout] of timeouts) timeout.abort(new DOMException("late", "TimeoutError"));
    }).listen(0, "127.0.0.1");
    atTheEnd(() => {
      provider.closeAllConnections();
      provider.close();
    });
    await once(provider, "listening");
    const settings = settingsFor(`http://localhost:${(provider.address() as AddressInfo).port}`);
    const log = vi.fn();
    await expect(makeCompanySignIn(settings, inbox.url, log).begin()).rejects.toThrow(SignInRefused);
    expect(log.mock.calls).toEqual([["company-sign-in-failed", { code: "TimeoutError" }]]);
    expect(timeouts.length).toBeGreaterThan(0);
    // The page waits for 20 seconds (inbox/client/first-requests.ts).
    for (const [milliseconds] of timeouts) expect(milliseconds).toBeLessThan(15_000);
  });

  it("is refused where the provider's key has not signed who the person is", async () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = { ...publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256" };
    const logged: string[] = [];
    const forged = await serveInboxOfCompany(database, {}, logged, JSON.stringify({ keys: [key] }));
    const answer = await new Browser(forged).signIn({}, "dana@company.example");
    expect(answer.headers.get("location")).toBe("/sign-in#sign-in-refused");
    expect(logged).toContain("company-sign-in-failed");
  });

  it("is refused where an answer of the provider has no end, and reads no more of it than fits", async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    let ended = Promise.resolve<unknown>(undefined);
    let sent = 0;
    const part = Buffer.alloc(64 * 1024, "a");
    const provider = createServer((asked, answer) => {
      answer.setHeader("content-type", "application/json");
      if (asked.url !== "/token") return answer.end(JSON.stringify(metadata));
      ended = once(answer, "close");
      const send = () => {
        for (let takesMore = true; takesMore && !answer.destroyed; sent += part.length)
          takesMore = answer.write(part);
      };
      answer.on("drain", send).write('{"access_token":"');
      send();
    }).listen(port);
    atTheEnd(() => void provider.close());
    await once(provider, "listening");
    const browser = new Browser(await serveInboxOfCompany(database, { issuer }));
    const asked = new URL(await browser.begin({}));
    const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
    back.search = `${new URLSearchParams({ code: "a", state: asked.searchParams.get("state") ?? "" })}`;
    const answer = await browser.request(back.href);
    expect(answer.headers.get("location")).toBe("/sign-in#sign-in-refused");
    await ended;
    // More than a megabyte, and less than 16 with what is held in the sockets.
    expect(Math.floor(sent / 1024 ** 2)).toBeOneOf(Array.from({ length: 15 }, (_, nth) => nth + 1));
  });

  it("comes back to the sign-in page where the database fails at the end", async () => {
    await database.owner.unsafe(`
      create function public.out_of_memory() returns trigger language plpgsql
      as 'begin raise exception using errcode = ''53200''; end';
      create trigger out_of_memory before insert on private.sessions execute function public.out_of_memory()`);
    const answer = await new Browser().signIn({ token: await invite("Faye") }, "faye@company.example");
    await database.owner`drop function public.out_of_memory cascade`;
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in#try-again"]);
  });

  it("ends with the removal of the member", async () => {
    const browser = new Browser();
    await browser.signIn({ token: await invite("Soon gone") }, "gone@company.example");
    expect((await meAs(browser)).status).toBe(200);
    await database.owner`select team.remove_member(id) from private.members where name = 'Soon gone'`;
    expect((await meAs(browser)).status).toBe(401);
    const answer = await new Browser().signIn({}, "gone@company.example");
    expect(answer.headers.get("location")).toBe("/sign-in#not-a-member");
  });
});
