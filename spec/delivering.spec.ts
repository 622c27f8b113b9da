// The delivery from outside: the server and `npm run deliver` run as processes, with receivers and mail servers beside them, and are
// killed in between.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { addressAs } from "../database/connect.ts";
import { retryDeadlock } from "../database/retry-transaction.ts";
import { roleAddress } from "../database/role-logins.ts";
import { reference } from "../lead/lead.ts";
import { aLead, makeDatabase, removeLeads } from "./support/database.ts";
import { anonKey } from "./support/intake.ts";
import { decoded, startMailServer } from "./support/mail-server.ts";
import { programEnvironment } from "./support/program-environment.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";
import { insertAt, startServer } from "./support/server.ts";

const { owner: sql, intake, url } = await makeDatabase();
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/** The settings of a channel, as `.env` has them. */
const webhookTo = (address: string) => ({ WEBHOOK_URL: address, WEBHOOK_SECRET: secret });
const mailTo = (address: string) => ({
  SMTP_URL: address,
  MAIL_FROM: "leads@a.example",
  NOTIFY_EMAIL: "team@a.example",
});

let children: ChildProcess[] = [];
beforeEach(async () => {
  await removeLeads(sql);
  await sql`update private.channels set enabled = false, cooldown_until = null`;
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.exitCode === null && end(child, "SIGKILL")));
  children = [];
  // PostgreSQL finishes what a killed process asked for; until then the session holds locks.
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name like 'leads %'`;
});

function startDeliver(env: Record<string, string>) {
  const child = spawn(process.execPath, ["bin/deliver.ts"], { env: programEnvironment(env) });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return { child, output: () => output };
}
async function end(child: ChildProcess, signal: NodeJS.Signals) {
  // Waits for "close" and not for "exit", because "exit" may come before the last output of the process was read.
  const ended = child.exitCode ?? child.signalCode ?? once(child, "close");
  child.kill(signal);
  await ended;
  return child.exitCode;
}
async function start(env: Record<string, string>) {
  const server = await startServer(env);
  onTestFinished(async () => void (await server.end()));
  return server;
}
const insert = (differences = {}) => intake`insert into public.leads ${intake(aLead(differences))}`;
const delivered = async () => {
  const rows = await sql`select channel from private.deliveries where delivered_at is not null`;
  return rows.map((row) => row.channel).sort();
};
const isSetUp = async (count: number) =>
  (await sql`select name from private.channels where enabled`).length === count;

describe("npm run deliver", () => {
  it("sends a lead again under the same id when it was killed after sending the lead and before recording that", async () => {
    const receiver = await startReceiver(() => {});
    const env = { DATABASE_URL: url, ...webhookTo(receiver.url) };
    const first = startDeliver(env);
    await until(() => isSetUp(1), 20);
    await insert();
    await until(() => receiver.received.length === 1);
    await end(first.child, "SIGKILL");
    receiver.answer = answers(204);
    // Ends the lease of the killed process.
    await sql`update private.deliveries set claimed_until = now()`;
    startDeliver(env);
    await until(async () => (await delivered()).length === 1, 20);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map((r) => r.headers["webhook-id"])).size).toBe(1);
    expect(await sql`select attempts from private.deliveries`).toEqual([{ attempts: 2 }]);
  });

  it("brings every lead to both channels while it is killed again and again and the receivers misbehave", async () => {
    const mail = await startMailServer();
    let requests = 0;
    const receiver = await startReceiver((response) => {
      requests += 1;
      if (requests % 5 === 1) response.destroy();
      else response.writeHead(requests % 5 === 2 ? 500 : 204).end();
    });
    const env = {
      DATABASE_URL: url,
      ...webhookTo(receiver.url),
      ...mailTo(mail.url),
    };
    let running = startDeliver(env);
    await until(() => isSetUp(2), 20);
    for (let round = 0; round < 4; round++) {
      const before = receiver.received.length;
      for (let i = 0; i < 20; i++) await insert({ name: `Visitor ${round}-${i}` });
      await until(() => receiver.received.length > before, 20);
      await end(running.child, "SIGKILL");
      // PostgreSQL may still be doing what the killed process asked for.
      await retryDeadlock(
        () => sql`update private.deliveries set claimed_until = null where delivered_at is null`,
      );
      running = startDeliver(env);
    }
    // Ends every backoff and every cooldown at once, so that the test need not wait for them.
    await until(async () => {
      await retryDeadlock(
        () => sql`update private.deliveries set due_at = now() where delivered_at is null and due_at > now()`,
      );
      await sql`update private.channels set cooldown_until = null`;
      return (await delivered()).length === 160;
    }, 25);
    const names = receiver.received.map((r) => r.json.data.name);
    expect(new Set(names).size).toBe(80);
    const byLead = Map.groupBy(receiver.received, (r) => r.json.data.id);
    for (const attempts of byLead.values()) {
      expect(new Set(attempts.map((r) => r.headers["webhook-id"])).size).toBe(1);
    }
    const references = decoded(mail.mails.map((m) => m.raw).join("")).match(/Reference: \w+/g);
    expect(new Set(references).size).toBe(80);
  });

  it("stops on SIGTERM, with exit code 0", async () => {
    const receiver = await startReceiver();
    const { child, output } = startDeliver({
      DATABASE_URL: url,
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: secret,
    });
    await until(() => isSetUp(1), 20);
    expect(await end(child, "SIGTERM")).toBe(0);
    expect(output().split(" stopping: ")[1]).toContain(" stopped: ");
  });

  it("works with the login of the delivery alone, once the tables are there, and records which channels are set up", async () => {
    const receiver = await startReceiver();
    await insert();
    const { output } = startDeliver({
      DELIVERY_DATABASE_URL: roleAddress(url, "leads_delivery"),
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: secret,
    });
    await until(() => isSetUp(1), 20);
    await insert({ name: "Ana" });
    await until(() => receiver.received.length === 2, 20);
    expect(output()).not.toMatch(/ bug: | database-unreachable: /);
  });

  it("says, with the login of the delivery alone and a database without tables, which version it needs and what to do", async () => {
    const { url: empty } = await makeDatabase({ schema: false });
    const { child, output } = startDeliver({ DELIVERY_DATABASE_URL: roleAddress(empty, "leads_delivery") });
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(output()).toMatch(
      /^The tables of the database are of version none, and this program needs \d+\. Start it once with DATABASE_URL, the owner's address, which brings them up to date\.\n$/,
    );
  });

  it("logs in for its deliveries as the role of the delivery, although it was given the owner's address", async () => {
    const receiver = await startReceiver();
    startDeliver({ DATABASE_URL: url, ...webhookTo(receiver.url) });
    await until(() => isSetUp(1), 20);
    const roles = () => sql`
      select distinct usename as role from pg_stat_activity
      where datname = current_database() and application_name = 'leads delivery'`;
    await until(async () => (await roles()).length > 0);
    expect(await roles()).toEqual([{ role: "leads_delivery" }]);
  });

  it("sends the whole backlog after a mail server's address was corrected and it was started again", async () => {
    const mail = await startMailServer();
    const rest = { DATABASE_URL: url, MAIL_FROM: "leads@a.example", NOTIFY_EMAIL: "team@a.example" };
    const wrong = startDeliver({ ...rest, SMTP_URL: `smtps://127.0.0.1:${mail.port}` });
    await until(() => isSetUp(1), 20);
    for (let i = 0; i < 40; i++) await insert({ name: `Visitor ${i}` });
    const lastFailure = async () => {
      const [channel] = await sql`select last_failure from private.channels where name = 'email'`;
      return channel?.last_failure;
    };
    await until(lastFailure, 20);
    expect(await lastFailure()).toContain("the mail server speaks no TLS at this port");
    await end(wrong.child, "SIGTERM");
    // Sets the state after a long outage: every pending delivery is due in hours.
    await sql`
      update private.deliveries set attempts = 9, due_at = now() + interval '4 hours',
        last_error = coalesce(last_error, 'the mail server speaks no TLS at this port')`;
    await sql`update private.channels set cooldown_until = null`;
    startDeliver({ ...rest, SMTP_URL: mail.url });
    await until(async () => (await delivered()).length === 40, 20);
    const references = decoded(mail.mails.map(({ raw }) => raw).join("")).match(/Reference: \w+/g);
    expect(new Set(references).size).toBe(40);
  });

  it("gives e-mail and chat the link to the lead in the inbox, and without an inbox gives chat the reference", async () => {
    const mail = await startMailServer();
    const chat = await startReceiver();
    const env = {
      DATABASE_URL: url,
      CHAT_URL: chat.url,
      INBOX_URL: "https://inbox.example",
      ...mailTo(mail.url),
    };
    const { child } = startDeliver(env);
    await until(() => isSetUp(2), 20);
    await insert();
    await until(() => chat.received.length === 1 && mail.mails.length === 1, 20);
    const [lead] = await sql`select id from public.leads`;
    const link = `https://inbox.example/leads/${reference(lead?.id)}`;
    expect(chat.received[0]?.json).toEqual({ text: `A lead is waiting: ${link}` });
    expect(decoded(mail.mails[0]?.raw ?? "")).toContain(`In the inbox: ${link}`);
    await end(child, "SIGTERM");
    await removeLeads(sql);
    await sql`update private.channels set cooldown_until = null`;
    startDeliver({ ...env, INBOX: "off" });
    await insert();
    await until(() => chat.received.length === 2, 20);
    expect(JSON.stringify(chat.received[1]?.json)).toMatch(/"A lead is waiting: reference [0-9a-f]{8}"/);
  });

  it("logs that the team is not notified when no channel is set up", async () => {
    const { output } = startDeliver({ DATABASE_URL: url });
    await until(
      () => output().includes("no-channel: No channel is set up: leads are stored, but the team is not told"),
      20,
    );
  });

  it("goes on when its standard output is closed, and stops as on SIGTERM when its terminal is closed", async () => {
    const receiver = await startReceiver();
    const env = { DATABASE_URL: url, ...webhookTo(receiver.url) };
    const { child } = startDeliver(env);
    await until(() => isSetUp(1), 20);
    child.stdout?.destroy();
    await insert();
    await until(() => receiver.received.length === 1);
    await until(async () => (await delivered()).length === 1);
    expect(await end(child, "SIGHUP")).toBe(0);
  });

  it("exits with a sentence when the database refuses its user or password", async () => {
    const { child, output } = startDeliver({
      DATABASE_URL: addressAs(url, "leads_owner_of_the_spec", "wrong"),
    });
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(output()).toContain("does not let us in. Check the user and the password in DATABASE_URL.\n");
  });

  it("tells what to do when there is no database", async () => {
    const { child, output } = startDeliver({ DATA_DIR: "/nonexistent/data" });
    await once(child, "close");
    expect(child.exitCode).toBe(1);
    expect(output()).toContain("Set DATABASE_URL, or start the server first: npm start");
  });
});

describe("npm start", () => {
  it("delivers each lead soon after it is stored, whether or not the page also calls submit-lead, and logs nothing of the visitor", async () => {
    const receiver = await startReceiver();
    const mail = await startMailServer();
    const server = await start({
      DATABASE_URL: url,
      ...webhookTo(receiver.url),
      ...mailTo(mail.url),
    });
    await until(() => isSetUp(2), 20);
    for (const [i, callsTwo] of [false, true, false].entries()) {
      expect((await insertAt(server.address, aLead({ name: `Canary ${i}` }))).status).toBe(201);
      if (callsTwo) {
        const headers = { authorization: `Bearer ${anonKey}`, "content-type": "application/json" };
        const body = JSON.stringify(aLead({ name: "Canary forged" }));
        const answer = await fetch(`${server.address}/functions/v1/submit-lead`, {
          method: "POST",
          headers,
          body,
        });
        expect(answer.status).toBe(202);
      }
      await until(() => receiver.received.length > i);
    }
    await until(() => mail.mails.length === 1);
    expect(receiver.received.map((r) => r.json.data.name)).toEqual(["Canary 0", "Canary 1", "Canary 2"]);
    expect(receiver.received[0]?.json.data.permission).toMatchObject({
      wording: "not stated",
    });
    await server.end();
    expect(server.output()).not.toMatch(/canary|rosa|555-0142/i);
    expect(server.output()).toContain(" delivered: ");
  });

  it("delivers nothing with DELIVERY=off, and leaves it to the process beside it", async () => {
    const receiver = await startReceiver();
    const channel = { DATABASE_URL: url, ...webhookTo(receiver.url) };
    startDeliver(channel);
    const server = await start({ ...channel, DELIVERY: "off" });
    await until(() => isSetUp(1), 20);
    await insertAt(server.address, aLead());
    await until(() => receiver.received.length === 1);
    expect(server.output()).toContain("delivery-elsewhere");
  });
});
