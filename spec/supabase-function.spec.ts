// submit-lead as a hosted function: real Deno, and PostgreSQL as Supabase prepares it. What the handler itself promises is
// in the chapter on submit-lead; here is what the entry point around it makes of Supabase's environment.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { atTheEnd } from "./support/at-the-end.ts";
import { browsers, countsOf } from "./support/counts.ts";
import { aLead } from "./support/database.ts";
import { keys, type RunningFunction, startFunction } from "./support/edge-function.ts";
import { freePort } from "./support/free-port.ts";
import { startReceiver, until } from "./support/receiver.ts";
import { type SupabaseLike, startSupabaseLike } from "./support/supabase-like.ts";

const site = "https://www.site.example";
const secret = `whsec_${Buffer.from("a secret of thirty-two bytes....").toString("base64")}`;
const mailSettings = {
  RESEND_API_KEY: "re_of_the_spec",
  MAIL_FROM: "leads@site.example",
  NOTIFY_EMAIL: "team@site.example",
};

let database: SupabaseLike;
let quiet: RunningFunction;
beforeAll(async () => {
  database = await (await startSupabaseLike()).makeDatabase();
  quiet = await startFunction(
    database.url,
    {
      SITE_URL: site,
      ALLOWED_ORIGINS: "https://preview.site.example",
      PROVIDER_NAME: "Provider of the spec",
    },
    atTheEnd,
  );
});
beforeEach(async () => {
  await database.owner.unsafe(
    "delete from leads; delete from private.deliveries; update private.channels set enabled = false",
  );
});

const call = ({ url }: RunningFunction, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", origin: site, ...headers },
    body: JSON.stringify(aLead()),
    ...init,
  });
const authorized = { authorization: `Bearer ${keys.publishable}` };

/** Stores a lead as the visitor's role, as call 1 does. */
const insert = (lead: ReturnType<typeof aLead>) =>
  database.owner.begin(async (tx) => {
    await tx`set local role anon`;
    await tx`insert into leads ${tx(lead)}`;
  });

const post = (
  { url }: RunningFunction,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  fetch(url, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { origin: site, ...headers },
    redirect: "manual",
  });
const typed = (name: string) => ({
  name,
  email: "rosa@example.com",
  phone: "(305) 555-0142",
  zip_code: "33101",
  has_medicare: "on",
});

describe("the hosted submit-lead", () => {
  it("answers the preflight of the page's call 2", async () => {
    const response = await call(
      quiet,
      { "access-control-request-headers": "authorization,content-type" },
      { method: "OPTIONS", body: null },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe(site);
    expect(response.headers.get("access-control-allow-headers")).toMatch(/authorization.{1,100}content-type/);
  });

  it.each(Object.entries(keys))("knows the project's key of kind %s", async (_, key) => {
    const response = await call(quiet, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ accepted: true });
  });

  it.each([
    ["no key", {}],
    ["a wrong key", { authorization: "Bearer sb_publishable_of_somebody_else" }],
    ["a secret key", { authorization: "Bearer sb_secret_of_the_spec" }],
  ])("refuses %s with 401, and lets the page read that", async (_, headers) => {
    const response = await call(quiet, headers);
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe(site);
    expect(await response.json()).toMatchObject({ message: expect.any(String) });
  });

  it("notes the new key by itself after a change of the key, when only the database's calls with the old one come", async () => {
    await call(quiet, authorized);
    await until(async () => (await database.owner`select from private.wake_up_call`).length === 1);
    await database.owner`update private.wake_up_call set key = 'sb_publishable_old'`;
    const startedAnew = await startFunction(database.url, { SITE_URL: site }, onTestFinished);
    const response = await call(startedAnew, { authorization: "Bearer sb_publishable_old" });
    expect(response.status).toBe(401);
    await until(
      async () =>
        (await database.owner`select from private.wake_up_call where key = ${keys.publishable}`).length === 1,
    );
  });

  it("syncs to the database the notice in force, and the address and key for the call each minute", async () => {
    await call(quiet, authorized);
    const row = await until(async () => {
      const [found] = await database.owner`
        select n.text, w.url, w.key from private.notices n, private.wake_up_call w`;
      return found;
    });
    expect(row).toEqual({
      text: expect.stringContaining("Provider of the spec"),
      url: "https://project.example/functions/v1/submit-lead",
      key: keys.publishable,
    });
  });

  it("delivers what waits through the signed webhook, and writes nothing about the person to its output", async () => {
    const receiver = await startReceiver();
    const working = await startFunction(database.url, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secret });
    // No channel is set up before the first call, so the lead is stored owed to none. It is found all the same.
    const lead = aLead({ name: "Waiting for the first call" });
    await insert(lead);
    const delivered = until(async () => {
      await call(working, authorized);
      return receiver.received[0];
    });
    const { headers, body, json } = await delivered;
    new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(json).toMatchObject({ type: "lead.created", data: lead });
    expect(working.output()).not.toMatch(/Waiting for the first|rosa|555-0142/);
  });

  it("answers without waiting for a receiver that never answers", async () => {
    const receiver = await startReceiver(() => {});
    const working = await startFunction(database.url, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secret });
    await call(working, authorized);
    await until(async () => (await database.owner`select from private.channels where enabled`)[0]);
    await insert(aLead({ name: "To a receiver that hangs" }));
    await call(working, authorized);
    await until(() => receiver.received[0]);
    expect((await call(working, authorized)).status).toBe(202);
  });

  it("delivers through the mail API, for SMTP's ports are closed there", async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"1"}'),
    );
    const working = await startFunction(database.url, {
      ...mailSettings,
      MAIL_API_OF_THE_TEST: new URL(receiver.url).origin,
    });
    await insert(aLead({ name: "Told by mail" }));
    const mail = await until(async () => {
      await call(working, authorized);
      return receiver.received[0];
    });
    expect(mail.headers.authorization).toBe("Bearer re_of_the_spec");
    expect(JSON.parse(mail.body)).toMatchObject({ from: "leads@site.example", to: ["team@site.example"] });
    expect(mail.body).not.toContain("Told by mail");
  });

  it.each([
    [
      "refuses the connection",
      async () => `http://127.0.0.1:${await freePort()}/`,
      " refuses the connection: ",
    ],
    [
      "has a certificate that is not trusted",
      async () => `https://127.0.0.1:${await listenWithTls()}/`,
      "'s certificate is not trusted: ",
    ],
    [
      "speaks no TLS",
      async () => (await startReceiver()).url.replace("http:", "https:"),
      " speaks no TLS at this port: ",
    ],
  ])("records that a receiver %s in the same words as our own server does", async (_, addressOf, words) => {
    const url = await addressOf();
    const working = await startFunction(database.url, { WEBHOOK_URL: url, WEBHOOK_SECRET: secret });
    await database.owner`update private.channels set last_failure = null`;
    await insert(aLead({ name: `To a receiver at ${url}` }));
    const failure = await until(async () => {
      await call(working, authorized);
      const [row] = await database.owner`select last_failure from private.channels where name = 'webhook'`;
      return row?.last_failure;
    });
    expect(failure).toContain(`the webhook's server${words}`);
  });

  it("says that a setting is wrong instead of giving no answer", async () => {
    const broken = await startFunction(database.url, {
      WEBHOOK_URL: "http://elsewhere.example",
      WEBHOOK_SECRET: "short",
    });
    const response = await call(broken, authorized);
    expect(response.status).toBe(500);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toMatchObject({ code: "NOT_SET_UP" });
    expect(broken.output()).toMatch(/WEBHOOK_URL must|WEBHOOK_URL .{0,300}https/);
  });
});

describe("the function's import map", () => {
  it("names the very versions of the packages that the tests ran with", async () => {
    const root = new URL("../", import.meta.url);
    const read = async (file: string) => JSON.parse(await readFile(new URL(file, root), "utf8"));
    const { imports } = await read("supabase/functions/submit-lead/deno.json");
    const { packages } = await read("package-lock.json");
    for (const [name, target] of Object.entries(imports)) {
      expect(target).toBe(`npm:${name}@${packages[`node_modules/${name}`].version}`);
    }
  });
});

describe("the plain form post to the hosted function", () => {
  it("stores the lead as the visitor's role, with its permission, and goes on to the thank-you page", async () => {
    const response = await post(quiet, typed("Rosa without script"), {
      referer: `${site}/`,
      "user-agent": "A browser without script",
      "x-forwarded-for": "203.0.113.9, 10.0.0.1",
    });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`${site}/thank-you`);
    const [stored] = await database.owner`
      select l.phone, l.has_medicare, l.has_diabetes, p.address, p.browser, p.page_path
      from leads l join private.permissions p on p.lead_id = l.id where l.name = 'Rosa without script'`;
    expect(stored).toEqual({
      phone: "(305) 555-0142",
      has_medicare: true,
      has_diabetes: false,
      address: "203.0.113.9",
      browser: "A browser without script",
      page_path: "/",
    });
  });

  it("stores it with the visitor's rights and no more", async () => {
    const rights = "insert (name, email, phone, zip_code, has_medicare, has_diabetes) on leads";
    await database.owner.unsafe(`revoke ${rights} from anon`);
    onTestFinished(() => database.owner.unsafe(`grant ${rights} to anon`).then(() => {}));
    const response = await post(quiet, typed("Without the right"));
    expect(response.status).toBe(503);
    expect(await database.owner`select from leads where name = 'Without the right'`).toHaveLength(0);
  });

  it("notifies the team of it", async () => {
    const receiver = await startReceiver();
    const working = await startFunction(database.url, {
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: secret,
      SITE_URL: site,
    });
    await call(working, authorized);
    await until(async () => (await database.owner`select from private.channels where enabled`)[0]);
    await post(working, typed("Told at once"));
    expect((await until(() => receiver.received[0])).json).toMatchObject({ data: { name: "Told at once" } });
  });

  it.each([
    ["its own site", site, site],
    ["another site that may call", "https://preview.site.example", "https://preview.site.example"],
  ])("goes back to the right site when it comes from %s", async (_, origin, expected) => {
    const response = await post(quiet, typed(`From ${origin}`), { origin });
    expect(response.headers.get("location")).toBe(`${expected}/thank-you`);
  });

  it.each([
    ["a stranger's site", "https://stranger.example"],
    ["a page that hides its origin", "null"],
  ])("refuses a lead from %s, because a list says which sites may send leads", async (_, origin) => {
    await call(quiet, authorized);
    await until(
      async () => (await database.owner`select from private.settings where allowed_origins is not null`)[0],
    );
    const response = await post(quiet, typed(`From ${origin}`), { origin });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringMatching(/^This form is not on our own page/),
    ]);
    expect(await database.owner`select from leads where name = ${`From ${origin}`}`).toHaveLength(0);
  });

  it("thanks in words when no site is known", async () => {
    const homeless = await startFunction(database.url);
    await call(homeless, authorized);
    await until(
      async () => (await database.owner`select from private.settings where allowed_origins is null`)[0],
    );
    const response = await post(homeless, typed("Homeless"), { origin: "null" });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Thank you")]);
    const back = await post(homeless, typed("From the only site"), { origin: site });
    expect(back.headers.get("location")).toBe(`${site}/thank-you`);
  });

  it("refuses in plain words that say what to correct and that nothing is lost", async () => {
    const response = await post(quiet, { ...typed("x"), phone: " " });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe(
      "Please enter your phone number.\n\nPress the Back button of your browser. Everything you typed is still there.\n",
    );
    expect(quiet.output()).not.toContain("database-unreachable");
  });

  it("refuses what no person types", async () => {
    const response = await post(quiet, typed("x".repeat(20_000)));
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining("too long")]);
  });

  it("asks to try again when the database is unreachable", async () => {
    const cutOff = await startFunction(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`, {
      SITE_URL: site,
    });
    const response = await post(cutOff, typed("Nobody hears"));
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("try again in a minute"),
    ]);
    expect(response.headers.get("retry-after")).toBe("5");
  });
});

/** A server with a certificate that nobody has signed. */
async function listenWithTls(): Promise<number> {
  const read = (name: string) => readFile(new URL(`support/certificates/${name}`, import.meta.url));
  const server = createServer({ key: await read("self-signed.key"), cert: await read("self-signed.pem") });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("a page load of the static host", () => {
  const count = (origin: string, path = "/c") =>
    fetch(`${quiet.url}${path}`, {
      method: "POST",
      headers: { origin, "user-agent": browsers.phone },
      body: "steps=view.half_read&utm_campaign=hosted",
    });

  it("is counted by the function, for the pages of the site and of the other allowed origins alone", async () => {
    const counted = await count(site);
    expect([counted.status, counted.headers.get("access-control-allow-origin")]).toEqual([204, site]);
    expect((await count("https://preview.site.example")).status).toBe(204);
    expect((await count("https://evil.example")).status).toBe(403);
    await expect
      .poll(() => countsOf(database.owner, "hosted"))
      .toEqual({ "phone half_read": 2, "phone view": 2 });
  });
});
