// The inbox on the network: its API answers nothing without a session and nothing to another page, and no cache keeps what it says of a lead;
// its event stream; and how it is served, beside the site or alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { roleAddress } from "../database/role-logins.ts";
import { calls, type RequestOf } from "../inbox/api.ts";
import { makeCookies } from "../inbox/cookies.ts";
import { eventStream } from "../inbox/live-events.ts";
import { eraseLeads } from "../team/erase-leads.ts";
import { callLead } from "./support/calls.ts";
import { aLead, makeDatabase } from "./support/database.ts";
import { freePort } from "./support/free-port.ts";
import { addLead, makeInbox, post, serveInbox, type TestMember } from "./support/inbox.ts";
import { allEventsSent, hear, ids } from "./support/live-events.ts";
import { programEnvironment } from "./support/program-environment.ts";
import { insertAt, startServer } from "./support/server.ts";

const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");

describe("everything below /api/", () => {
  it("is answered with 401 and nothing else without a session, with a forged one and after it has ended", async () => {
    const ended = await inbox.member("Ended");
    await ended.call("sign-out");
    for (const cookie of [
      "",
      "session=",
      `session=${"A".repeat(43)}`,
      "session=none",
      ended.cookie,
      "session='; drop",
    ]) {
      for (const name of [...Object.keys(calls), "no-such-call", "", "../api/me"]) {
        const { status, text } = await post(inbox.url, `api/${name}`, {}, cookie);
        expect([cookie, name, status, text]).toEqual([cookie, name, 401, ""]);
      }
      for (const [method, path] of [
        ["GET", "events"],
        ["GET", "queue"],
        ["DELETE", "open"],
        ["POST", ""],
      ] as const) {
        const answer = await fetch(`${inbox.url}/api${path && "/"}${path}`, { method, headers: { cookie } });
        expect([path, answer.status, await answer.text()]).toEqual([path, 401, ""]);
      }
    }
  });

  it("takes requests of its own page alone", async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${inbox.url}/api/queue`, {
        method: "POST",
        headers: { cookie: dana.cookie, ...headers },
        body: "{}",
      });
    const json = { "content-type": "application/json" };
    expect((await send({ ...json, origin: inbox.url })).status).toBe(200);
    expect((await send({ ...json, "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect((await send({ ...json, origin: "https://evil.example" })).status).toBe(403);
    expect((await send({ ...json, origin: "null" })).status).toBe(403);
    expect((await send({ ...json, origin: inbox.url, "sec-fetch-site": "cross-site" })).status).toBe(403);
    for (const site of ["same-site", "none"])
      expect((await send({ ...json, "sec-fetch-site": site })).status).toBe(403);
    expect((await send({ ...json })).status).toBe(403);
    expect((await send({ "content-type": "text/plain", origin: inbox.url })).status).toBe(415);
    expect(
      (await send({ "content-type": "application/x-www-form-urlencoded", origin: inbox.url })).status,
    ).toBe(415);
  });

  it("refuses what is no request, in few words", async () => {
    const send = async (name: string, body: string) => {
      const headers = { cookie: dana.cookie, "content-type": "application/json", origin: inbox.url };
      const answer = await fetch(`${inbox.url}/api/${name}`, { method: "POST", headers, body });
      return [answer.status, await answer.text()];
    };
    const notARequest = [400, '{"error":"not a request"}'];
    for (const body of ["", "null", "[]", "{", '{"id":"1"}', '{"id":1}', '{"id":null,"more":1}', "0"]) {
      expect([body, ...(await send("claim", body))]).toEqual([body, ...notARequest]);
    }
    expect(await send("queue", '{"after":"a|b|c|d"}')).toEqual([400, '{"error":"not a value"}']);
    expect(await send("queue", '{"after":"1|f|2026-01-01"}')).toEqual([200, expect.any(String)]);
    expect(await send("no-such-call", "{}")).toEqual([404, '{"error":"not found"}']);
    expect((await send("search", JSON.stringify({ text: "x".repeat(100_000) })))[0]).toBe(413);
  });
});

describe("every answer", () => {
  it("keeps other sites out by its headers, and is never taken from a cache unasked, unless it is a file of the pages", async () => {
    for (const path of ["/", "/leads/12345678", "/api/me", "/healthz", "/assets/none.js"]) {
      const { headers } = await fetch(inbox.url + path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self';.* frame-ancestors 'none'/,
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("cache-control")).toMatch(/^no-(store|cache)$/);
    }
  });

  it("binds the cookies that it sets to the host and to TLS, where the address has TLS", async () => {
    const secure = await serveInbox(database, { url: "https://inbox.example.com" });
    const { cookie } = await inbox.member("Sam");
    const answer = await fetch(`${secure.url}/api/sign-out`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: "https://inbox.example.com",
        cookie: cookie.replace("session=", "__Host-session="),
      },
      body: "{}",
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("set-cookie")).toBe(
      "__Host-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure",
    );
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=63072000");
    const cookies = makeCookies("https://inbox.example.com");
    // Lax, because the identity provider sends the browser back from another site.
    expect(cookies.setState("state")).toBe(
      "__Host-company-sign-in=state; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure",
    );
    expect(cookies.setSession("token", new Date(Date.now() - 1000).toISOString())).toBe(
      "__Host-session=token; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure",
    );
  });

  it("to a path of the application is the same page, which says nothing about anybody", async () => {
    const id = await addLead(database);
    const page = await (await fetch(`${inbox.url}/leads/${id.slice(-8)}`)).text();
    expect(page).toBe(await (await fetch(`${inbox.url}/`)).text());
    expect(page).not.toMatch(/Rosa|Dana/);
  });
});

describe("the pages' files", () => {
  it("are sent compressed to a browser that takes that, and as they are to another", async () => {
    const page = await (await fetch(inbox.url)).text();
    const [script = ""] = /\/assets\/[\w.-]+\.js/.exec(page) ?? [];
    for (const path of ["/", script]) {
      const ask = (encoding: string) => fetch(inbox.url + path, { headers: { "accept-encoding": encoding } });
      const [compressed, plain] = [await ask("gzip, br"), await ask("identity")];
      const answers = [compressed, plain, await ask("br;q=0.9"), await ask("gzip, br; q=0")];
      expect(answers.map(({ headers }) => headers.get("content-encoding"))).toEqual(["br", null, "br", null]);
      const lengths = [compressed, plain].map(({ headers }) => Number(headers.get("content-length")));
      expect(lengths[0]).toBeLessThan((lengths[1] as number) * 0.7);
      expect(await compressed.text()).toBe(await plain.text());
    }
  });
});

describe("the event stream", () => {
  it("announces a new lead by its id alone", async () => {
    let id = "";
    const insert = async () => {
      const [lead] = await database.intake<
        { id: string }[]
      >`insert into public.leads ${database.intake(aLead())}`.then(
        () => database.owner<{ id: string }[]>`select id from public.leads order by created_at desc limit 1`,
      );
      id = lead?.id ?? "";
    };
    const { heard, text } = await hear(inbox, dana, insert, (heard) => ids(heard, "new").includes(id));
    expect(ids(heard, "new")).toContain(id);
    expect(text).not.toMatch(/Rosa|555-0142|example\.com/);
  });

  it("sends a claim to other members, and the lock of a session to its member only", async () => {
    const id = await addLead(database);
    const lee = await inbox.member("Lee");
    await hear(
      inbox,
      dana,
      () => lee.call("claim", { id }),
      (heard) => ids(heard, "changed").includes(id),
    );
    const { heard } = await hear(
      inbox,
      dana,
      async () => {
        await lee.call("lock");
        await dana.call("claim", { id: await addLead(database) });
      },
      (heard) => heard.some(({ kind }) => kind === "leads"),
    );
    expect(heard.map(({ kind }) => kind)).not.toContain("session");
    const own = await inbox.member("Own");
    await hear(
      inbox,
      own,
      () => own.call("lock"),
      (heard) => heard.some(({ kind }) => kind === "session"),
    );
  });

  it("has every page load its lists anew after its connection to the database was lost, because it heard nothing in between", async () => {
    // An inbox of its own, because an event of another test would be lost as well.
    const { database, inbox } = await makeInbox();
    const loseTheConnection = async () => {
      const lost = await database.owner`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'leads inbox events' and query ilike 'listen%'`;
      expect(lost.length).toBeGreaterThan(0);
    };
    await allEventsSent(database, inbox, await inbox.member("Waits for the inbox"));
    await hear(
      inbox,
      await inbox.member("Hears the team again"),
      loseTheConnection,
      (heard) => heard.some(({ kind }) => kind === "team") && heard.some(({ kind }) => kind === "leads"),
    );
  });

  it("is over at once when the server stops before the stream has begun", async () => {
    let listeners = 0;
    const subscribe = () => {
      listeners += 1;
      return () => {
        listeners -= 1;
      };
    };
    const events = { subscribe, ended: AbortSignal.abort(), end: async () => {} };
    const answer = eventStream(events, dana.id, async () => true, new AbortController().signal);
    expect(await answer.text()).toBe("");
    expect(listeners).toBe(0);
  });

  it("is not begun for HEAD, because an answer without a body would never end it", async () => {
    const ask = (method: string, cookie: string) =>
      fetch(`${inbox.url}/api/events`, { method, headers: { cookie } });
    expect((await ask("HEAD", dana.cookie)).status).toBe(405);
    expect((await ask("HEAD", "")).status).toBe(401);
  });

  it("announces whatever a colleague does with a lead, by its id", async () => {
    const [lee, maria] = [await inbox.member("Lee at work"), await inbox.member("Mia at work", "manager")];
    const id = await addLead(database);
    let call_id = "";
    let outcome_id = "";
    const answers: RequestOf<"eligibility-check">["answers"] = {
      diabetes: "yes",
      insulin: "yes",
      recurrent_lows: "no",
      low_with_help: "no",
      visit_planned: "yes",
      trained: "yes",
      plan: "part_b",
      prescriber: "Dr. Lopez",
      visit_on: null,
    } as const;
    const acts = {
      claim: () => lee.call("claim", { id }),
      release: () => lee.call("release", { id }),
      "take next": async () => expect((await lee.call("take-next")).body).toEqual({ id }),
      "take back": () => maria.call("take-back", { id, member: lee.id }),
      call: async () => ({ call_id } = await callLead(lee, id)),
      outcome: async () => {
        const { body } = await lee.call("outcome", { id, call_id, outcome: "no_answer" });
        if ("outcome_id" in body) ({ outcome_id } = body);
      },
      undo: () => lee.call("undo-outcome", { outcome_id }),
      "eligibility check": () => lee.call("eligibility-check", { id, answers }),
      stop: () => lee.call("stop", { id }),
      erase: () => maria.call("erase", { id, reference: id }),
    };
    await database.owner`update private.lead_work set stage = 'closed' where lead_id <> ${id}`;
    for (const act of Object.values(acts)) {
      const { heard } = await hear(inbox, dana, act, (heard) => ids(heard, "changed").includes(id));
      expect(ids(heard, "changed")).toContain(id);
    }
  });

  it("announces an erasure, whoever erases the lead: a command, its age, or a table editor", async () => {
    for (const erase of [
      (id: string) => eraseLeads(database.owner, [id]),
      (id: string) =>
        database.owner`select private.erase_oldest(created_at + interval '1 second', 1) from leads where id = ${id}`,
      (id: string) => database.owner`delete from public.leads where id = ${id}`,
    ]) {
      const id = await addLead(database, {}, 9000);
      const { heard } = await hear(
        inbox,
        dana,
        () => erase(id),
        (heard) => ids(heard, "changed").includes(id),
      );
      expect(ids(heard, "changed")).toContain(id);
    }
  });

  it("ends at once when the session is locked or ends, whoever ends it", async () => {
    const maria = await inbox.member("Maria", "manager");
    const ends: ((member: TestMember) => Promise<unknown>)[] = [
      (member) => member.call("lock"),
      (member) => member.call("sign-out"),
      ({ id }) => maria.call("members/recover", { id }),
      ({ id }) => maria.call("members/remove", { id }),
    ];
    for (const [nth, end] of ends.entries()) {
      const member = await inbox.member(`Leaves ${nth}`);
      const answer = await fetch(`${inbox.url}/api/events`, { headers: { cookie: member.cookie } });
      await end(member);
      expect(await answer.text()).toContain('{"kind":"session"}');
    }
  });
});

describe("the inbox", () => {
  const children: ReturnType<typeof spawn>[] = [];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  it("is served by `npm start` on its own port, and the site's port serves nothing of it", async () => {
    const port = await freePort();
    const settings = { INBOX: "on", INBOX_PORT: String(port), DATABASE_URL: database.url, DELIVERY: "off" };
    const server = await startServer(settings);
    const url = `http://localhost:${port}`;
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    expect((await fetch(`${url}/api/me`)).status).toBe(401);
    for (const path of ["/api/me", "/api/events", "/join", "/sign-in"]) {
      expect((await fetch(server.address + path)).status).toBe(404);
    }
    const member = await inbox.member("At the other port");
    const insert = () => insertAt(server.address, aLead({ phone: "111-555-4321" }));
    const { heard } = await hear({ url }, member, insert, (heard) => ids(heard, "new").length > 0);
    expect(ids(heard, "new")).toHaveLength(1);
    expect((await server.end()).code).toBe(0);
  });

  it("does not disturb the site when INBOX_HOST is no address of the machine, and says so", async () => {
    const { url } = await makeDatabase();
    const server = await startServer({
      INBOX: "on",
      INBOX_HOST: "192.0.2.1",
      INBOX_PORT: "0",
      DATABASE_URL: url,
      DELIVERY: "off",
    });
    await expect.poll(() => server.output()).toContain("host=192.0.2.1 port=0 code=EADDRNOTAVAIL");
    expect(server.output()).toContain("Correct them, or set INBOX=off.");
    expect((await fetch(server.address)).status).toBe(200);
    await server.end();
  });

  it("does not disturb the site when its port is taken, and keeps no connection to the database", async () => {
    const { url, owner } = await makeDatabase();
    const port = new URL(inbox.url).port;
    const server = await startServer({
      INBOX: "on",
      INBOX_PORT: port,
      DATABASE_URL: url,
      DELIVERY: "off",
    });
    await expect.poll(() => server.output()).toContain("inbox-not-listening");
    expect((await fetch(server.address)).status).toBe(200);
    const ofTheInbox = () => owner`
      select application_name from pg_stat_activity
      where datname = current_database() and application_name like 'leads inbox%'`;
    await expect.poll(ofTheInbox).toEqual([]);
    await server.end();
  });

  it.each([
    ["the owner's address", () => ({ DATABASE_URL: database.url })],
    [
      "a login that can do nothing else",
      () => ({ INBOX_DATABASE_URL: roleAddress(database.url, "leads_team") }),
    ],
  ])("runs alone beside the database, with %s, and stops when asked", async (_, address) => {
    const port = await freePort();
    const child = spawn(process.execPath, ["bin/inbox.ts"], {
      env: programEnvironment({ INBOX_PORT: String(port), ...address() }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    for await (const line of createInterface(child.stdout)) if (line.includes("inbox-listening")) break;
    const { status } = await fetch(`http://localhost:${port}/api/me`);
    expect(status).toBe(401);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});
