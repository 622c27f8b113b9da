// How the operator learns whether each channel takes what it is sent, before a lead depends on it: `leads test`.
import { beforeAll, describe, expect, it } from "vitest";
import { howToSetUp } from "../delivery/channels/registry.ts";
import type { Log } from "../log/log.ts";
import { testChannels } from "../team/test-channels.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { runLeads, startLeads, waitForExit } from "./support/leads-command.ts";
import { decoded, refusal, startMailServer } from "./support/mail-server.ts";
import { answers, startReceiver, until } from "./support/receiver.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

const leadsTest = (settings: Record<string, string>) =>
  runLeads({ DATABASE_URL: database.url, ...settings }, "test");

describe("leads test", () => {
  it("sends a marked message down every channel that is set up, and says that each took it", async () => {
    const receiver = await startReceiver();
    const chat = await startReceiver();
    const mail = await startMailServer();
    const ran = await leadsTest({
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: secret,
      CHAT_URL: chat.url,
      SMTP_URL: mail.url,
      MAIL_FROM: "leads@a.example",
      NOTIFY_EMAIL: "team@a.example",
    });
    expect(ran).toEqual({
      status: 0,
      stdout:
        "webhook  took the test message\nemail    took the test message\nchat     took the test message\n",
      stderr: "",
    });
    const [posted] = receiver.received;
    expect(posted?.json).toMatchObject({
      type: "test",
      data: { name: expect.stringContaining("TEST"), marks: ["test"] },
    });
    expect(posted?.headers["webhook-signature"]).toMatch(/^v1,/);
    expect(chat.received[0]?.body).toContain("This is a test");
    expect(decoded(mail.mails[0]?.raw ?? "")).toContain("This is a test");
    expect(mail.mails[0]?.headers.get("subject")).toMatch(/^This is a test/);
  });

  it("exits with 130 when Ctrl-C comes before a channel has answered, and says what each answered until then", async () => {
    const silent = await startReceiver(() => {});
    const chat = await startReceiver();
    const settings = { WEBHOOK_URL: silent.url, WEBHOOK_SECRET: secret, CHAT_URL: chat.url };
    const child = startLeads(["test"], { DATABASE_URL: database.url, ...settings });
    const ended = waitForExit(child);
    await until(() => silent.received.length + chat.received.length === 2);
    child.kill("SIGINT");
    const { status, stdout } = await ended;
    expect([status, stdout]).toEqual([
      130,
      expect.stringMatching(/^webhook .*: stopped while sending\nchat /),
    ]);
  });

  it("stores no lead and owes no delivery", async () => {
    const receiver = await startReceiver();
    await leadsTest({ WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secret });
    expect(receiver.received).toHaveLength(1);
    expect(await database.owner`select from leads`).toHaveLength(0);
    expect(await database.owner`select from private.deliveries`).toHaveLength(0);
  });

  it("exits with 1 and says why a channel did not take the message", async () => {
    const receiver = await startReceiver(answers(410));
    const mail = await startMailServer();
    const { status, stdout } = await leadsTest({
      WEBHOOK_URL: receiver.url,
      WEBHOOK_SECRET: secret,
      SMTP_URL: mail.url,
      MAIL_FROM: "leads@a.example",
      NOTIFY_EMAIL: "team@a.example",
    });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^webhook {2}DID NOT take it: .*410/);
    expect(stdout).toContain("\nemail    took the test message\n");
  });

  it("exits with 1 and says how many of the team's mailboxes were rejected while others took the mail", async () => {
    const mail = await startMailServer({
      onRcptTo: ({ address }, _, done) => done(address.startsWith("gone") ? refusal(550) : null),
    });
    const ran = await leadsTest({
      SMTP_URL: mail.url,
      MAIL_FROM: "leads@a.example",
      NOTIFY_EMAIL: "team@a.example, gone@a.example",
    });
    expect(ran).toEqual({
      status: 1,
      stdout:
        "email  took the test message, but the mail server rejected 1 of the 2 mailboxes in NOTIFY_EMAIL\n",
      stderr: "",
    });
    expect(mail.mails.map(({ to }) => to)).toEqual([["team@a.example"]]);
  });

  it("says what each channel answered also where one has a bug, and reports the bug", async () => {
    const lines: string[] = [];
    const log: Log = (event, facts) => void lines.push(JSON.stringify({ event, ...facts }));
    const channel = { batch: 1, concurrency: 1, cooldown: 0 };
    const broken = { ...channel, name: "broken", send: () => Promise.reject(new TypeError("x is null")) };
    const works = { ...channel, name: "works", send: async () => ({ kind: "delivered" }) as const };
    const { signal } = new AbortController();
    expect(await testChannels([broken, works], signal, log)).toEqual([
      { channel: "broken", outcome: { kind: "transient", reason: "a bug of this program (TypeError)" } },
      { channel: "works", outcome: { kind: "delivered" } },
    ]);
    expect(lines).toEqual([expect.stringContaining('"event":"bug","class":"TypeError"')]);
  });

  it("exits with 1 where no channel is set up", async () => {
    expect(await leadsTest({})).toEqual({
      status: 1,
      stdout: "",
      stderr: `No channel is set up. ${howToSetUp()} and start the server again.\n`,
    });
  });
});
