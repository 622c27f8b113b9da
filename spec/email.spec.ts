// E-mail as the team's mail server meets it: a real SMTP server, and a receiver in the shape of Resend's API.
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type EmailSettings, makeEmail } from "../delivery/channels/email.ts";
import { writeMessage } from "../delivery/channels/email-message.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { aDelivery } from "./support/a-delivery.ts";
import { aLead } from "./support/database.ts";
import { decoded, refusal, startMailServer } from "./support/mail-server.ts";
import { answers, startReceiver } from "./support/receiver.ts";

const neverStops = new AbortController().signal;

const settings = (via: EmailSettings["via"], differences: Partial<EmailSettings> = {}): EmailSettings => ({
  from: "Leads <leads@provider.example>",
  to: ["team@provider.example"],
  details: false,
  via,
  ...differences,
});
const post = (
  smtpUrl: string,
  deliveries: [Delivery, ...Delivery[]] = [aDelivery()],
  differences: Partial<EmailSettings> = {},
  options = {},
) => makeEmail(settings({ smtpUrl }, differences), options).send(deliveries, neverStops);

const several = (count: number): [Delivery, ...Delivery[]] =>
  Array.from({ length: count }, (_, i) =>
    aDelivery({
      id: `0b8f6a52-7d6b-4c58-9a4f-${String(i).padStart(12, "0")}`,
      leadId: `${10_000_000 + i}-1`,
    }),
  ) as [Delivery, ...Delivery[]];

describe("an e-mail to the team", () => {
  it("says that a lead waits, its reference, when it came, by when it is to be reviewed, and how to see it", () => {
    const { subject, text } = writeMessage([aDelivery()], { details: false });
    expect(subject).toBe("A lead is waiting: 3f9c2b1a");
    expect(text).toBe(
      `A lead is waiting.

The thank-you page promises a review within 24 hours.

  Reference: 3f9c2b1a
  Came: Sat, Nov 21, 2026, 11:59 AM UTC
  Review by: Sun, Nov 22, 2026, 11:59 AM UTC
  To see it: npm run leads -- show 3f9c2b1a
`,
    );
  });

  it("holds a link to the lead when the team has an inbox", () => {
    const linkTo = (id: string) => `https://inbox.example/leads/${id.slice(-8)}`;
    const { text } = writeMessage([aDelivery()], { details: false, linkTo });
    expect(text).toContain("  In the inbox: https://inbox.example/leads/3f9c2b1a\n");
  });

  it("says which language the person reads, where the notice that was shown tells it", () => {
    const { text, html } = writeMessage([aDelivery({ language: "es" })], { details: false });
    expect(text).toContain("  Reads: Spanish\n");
    expect(html).toContain("<tr><td>Reads</td><td>Spanish</td></tr>");
    expect(writeMessage([aDelivery({ language: "xx-1x" })], { details: false }).text).toContain(
      "  Reads: xx-1x\n",
    );
    expect(writeMessage([aDelivery()], { details: false }).text).not.toContain("Reads");
  });

  it("names no person, contact or answer, nor the visitor's network address", async () => {
    const { url, mails } = await startMailServer();
    await post(url);
    const words = decoded(mails[0]?.raw ?? "");
    expect(words).toContain("3f9c2b1a");
    for (const value of ["Rosa", "rosa", "555-0142", "33101", "Medicare", "diabetes", "192.0.2.7"]) {
      expect(words).not.toContain(value);
    }
  });

  it("names them when the operator asks for it, in text and in HTML that nothing typed can break", async () => {
    const name = "<b>Rosa</b>\r\nBcc: evil@example.com\r\n\r\n  Reference: 00000000";
    const lead = { ...aDelivery().lead, ...aLead({ name }) } as Delivery["lead"];
    const { url, mails } = await startMailServer();
    await post(url, [aDelivery({ lead })], { details: true });
    const [mail] = mails;
    const words = decoded(mail?.raw ?? "");
    expect(words).toContain("  Full Name: <b>Rosa</b> Bcc: evil@example.com   Reference: 00000000");
    expect(words).toContain("<td>&#60;b&#62;Rosa&#60;/b&#62; Bcc: evil@example.com");
    expect(words).toContain("  I have Medicare: yes");
    expect(mail?.headers.has("bcc")).toBe(false);
    expect(mail?.to).toEqual(["team@provider.example"]);
  });

  it("says “(no name)” where it names a lead whose name nobody could see", async () => {
    const lead = { ...aDelivery().lead, ...aLead({ name: "\u3164", email: "\u200b" }) } as Delivery["lead"];
    const { url, mails } = await startMailServer();
    await post(url, [aDelivery({ lead })], { details: true });
    expect(decoded(mails[0]?.raw ?? "")).toMatch(/Full Name: \(no name\)\s+Email Address: \(blank\)/);
  });

  it("tells several things at once, the withdrawals and erasures first", () => {
    const [one, two, three] = several(3);
    const { subject, text, html } = writeMessage(
      [
        one,
        two as Delivery,
        { ...(three as Delivery), event: "lead.erased", lead: null, permission: null },
        aDelivery({ event: "permission.withdrawn" }),
        aDelivery({ event: "lead.overdue", flags: ["honeypot filled"] }),
      ],
      { details: false },
    );
    const titles = [
      "A permission was withdrawn",
      "A lead was erased",
      "A lead has waited more than 20 hours",
      "2 leads are waiting",
    ];
    expect(subject).toBe(titles.join(", "));
    const inOrderOf = (words: string) =>
      titles.toSorted((one, other) => words.indexOf(one) - words.indexOf(other));
    expect([inOrderOf(text), inOrderOf(html)]).toEqual([titles, titles]);
    expect(text).toContain("Do not phone");
    expect(text).toContain("Looks like spam: honeypot filled");
    expect(text.match(/Reference: /g)).toHaveLength(5);
  });

  it("goes to every mailbox, from the sender, under an id that stays the same for the same deliveries", async () => {
    const { url, mails } = await startMailServer();
    const to = ["team@provider.example", "owner@provider.example"];
    expect(await post(url, [aDelivery()], { to })).toEqual({ kind: "delivered" });
    await post(url, [aDelivery({ attempt: 2 })], { to });
    await post(url, several(50));
    await post(url, several(50).toReversed() as [Delivery]);
    expect(mails[0]?.to).toEqual(to);
    expect(mails[0]?.headers.get("from")).toBe("Leads <leads@provider.example>");
    const ids = mails.map((mail) => mail.headers.get("message-id"));
    expect(ids[0]).toBe("<lead-0b8f6a52-7d6b-4c58-9a4f-0f9a3a1f7c11@provider.example>");
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).toMatch(/^<lead-[0-9a-f]{32}@provider.example>$/);
    expect(ids[3]).toBe(ids[2]);
    expect(mails[2]?.headers.get("subject")).toBe("50 leads are waiting");
  });
});

describe("the mail server", () => {
  it("may refuse every mailbox, which the operator can fix, so it is tried again", async () => {
    const { url } = await startMailServer({ onRcptTo: (_, __, done) => done(refusal(550)) });
    expect(await post(url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 550 to RCPT TO: check the mailboxes",
    });
  });

  it.each(["onMailFrom", "onRcptTo"] as const)(
    "may stop at %s, for which no setting is to blame",
    async (at) => {
      const { url } = await startMailServer({
        [at]: (_: unknown, __: unknown, done: (error: Error) => void) => done(refusal(421)),
      });
      expect(await post(url)).toEqual({
        kind: "transient",
        reason: "the mail server answered 421: it is busy or stops",
      });
    },
  );

  it("may refuse the connection itself, and then the reason names no command", async () => {
    const { url } = await startMailServer({ onConnect: (_, done) => done(refusal(554)) });
    expect(await post(url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 554 to the connection",
    });
  });

  it("may want a sign-in or TLS before it takes a sender, and then the sender is not called wrong", async () => {
    const { url } = await startMailServer({ onMailFrom: (_, __, done) => done(refusal(530)) });
    expect(await post(url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 530 to MAIL FROM: it wants a user and a password, or TLS",
    });
  });

  it("may refuse one mailbox for ever and another for now, which is tried again", async () => {
    const { url } = await startMailServer({
      onRcptTo: ({ address }, _, done) => done(refusal(address.startsWith("gone") ? 550 : 451)),
    });
    const to = ["gone@provider.example", "team@provider.example"];
    expect(await post(url, [aDelivery()], { to })).toMatchObject({ kind: "transient" });
  });

  it("may refuse one mailbox and take the mail for others, which counts as delivered, and the refusal is reported", async () => {
    const { url, mails } = await startMailServer({
      onRcptTo: ({ address }, _, done) => done(address.startsWith("gone") ? refusal(550) : null),
    });
    let rejected = 0;
    const onRejected = (count: number) => {
      rejected += count;
    };
    const to = ["gone@provider.example", "team@provider.example"];
    expect(await post(url, [aDelivery()], { to }, { onRejected })).toEqual({ kind: "delivered" });
    expect([mails.length, rejected]).toEqual([1, 1]);
  });

  it("may refuse the mail itself, which is tried again unless it says that the mail is too large for it", async () => {
    const refusing = (code: number, words?: string) =>
      startMailServer({
        onData: (stream, _, done) => stream.resume().on("end", () => done(refusal(code, words))),
      });
    expect(await post((await refusing(554)).url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 554 to DATA",
    });
    expect(await post((await refusing(554, "5.7.1 Rejected as spam")).url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 554 to DATA",
      mayPassDivided: true,
    });
    expect(await post((await refusing(552, "5.3.4 Message too big for system")).url)).toEqual({
      kind: "permanent",
      reason: "the mail is too large for the mail server (552)",
      mayPassDivided: true,
    });
    expect(await post((await refusing(552, "5.2.2 Mailbox full")).url)).toEqual({
      kind: "transient",
      reason: "a mailbox is full (552)",
    });
    expect(await post((await refusing(552, "5.7.26 Blocked for its content")).url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 552 to DATA",
      mayPassDivided: true,
    });
    expect(await post((await refusing(552, "Exceeded storage allocation")).url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 552 to DATA: a mailbox is full, or the mail is too large",
      mayPassDivided: true,
    });
  });

  it.each([
    [true, 554, "5.7.1 Rejected as spam", { mayPassDivided: true, isRefusedContent: true }],
    [true, 550, "Message looks like SPAM", { mayPassDivided: true, isRefusedContent: true }],
    [true, 550, "5.1.1 No such user", {}],
    [true, 451, "Try again", {}],
    [false, 550, "Message looks like SPAM", {}],
  ])(
    "may refuse what a visitor typed, where the mail holds it, and no other mail (details %s, %i %s)",
    async (details, code, words, says) => {
      const { url } = await startMailServer({
        onData: (stream, _, done) => stream.resume().on("end", () => done(refusal(code, words))),
      });
      const outcome = await post(url, [aDelivery()], { details });
      const reason = `the mail server answered ${code} to DATA`;
      expect(outcome).toEqual(Object.assign({ kind: "transient", reason }, says));
    },
  );

  it.each([
    [535, /: check the user and the password$/],
    [504, /: it offers no sign-in with a user and a password$/],
    [538, /: it wants TLS before the sign-in$/],
    [454, /^the mail server answered 454 to AUTH \S+$/],
  ])("may refuse our sign-in with %i, which is tried again", async (code, says) => {
    const { port } = await startMailServer({
      onAuth: (_, __, done) => done(refusal(code)),
      authOptional: false,
      allowInsecureAuth: true,
    });
    const outcome = await post(`smtp://leads:wrong@127.0.0.1:${port}`);
    expect(outcome).toEqual({ kind: "transient", reason: expect.stringMatching(says) });
  });

  it("may refuse our sender, which the operator can mend, so it is tried again", async () => {
    const { url } = await startMailServer({ onMailFrom: (_, __, done) => done(refusal(553)) });
    expect(await post(url)).toEqual({
      kind: "transient",
      reason: "the mail server answered 553 to MAIL FROM: check the sender",
    });
  });

  it("may be away, close in the middle, or say nothing, which is tried again", async () => {
    const silent = createServer(() => {});
    const closing = createServer((socket) => socket.end("220 he"));
    for (const server of [silent, closing]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
    }
    const at = (server: typeof silent) => `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
    expect(await post(at(closing))).toMatchObject({
      kind: "transient",
      reason: expect.stringContaining("mail server"),
    });
    expect(await post(at(silent), [aDelivery()], {}, { timeout: 50 })).toEqual({
      kind: "transient",
      reason: "not sent within 0.05 s",
    });
    const { port, server } = await startMailServer();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(await post(`smtp://127.0.0.1:${port}`)).toMatchObject({
      kind: "transient",
      reason:
        "the mail server refuses the connection: nothing listens at this address and port (ECONNREFUSED)",
    });
  });
});

describe("the e-mail channel", () => {
  // Opens files until no more can be opened, sends a mail, closes them, and sends it again.
  const script = `
    import { closeSync, openSync } from "node:fs";
    import { makeEmail } from "./delivery/channels/email.ts";
    import { aDelivery } from "./spec/support/a-delivery.ts";
    const channel = makeEmail(JSON.parse(process.argv[1]));
    const files = [];
    const send = async () => {
      const { kind } = await channel.send([aDelivery()], new AbortController().signal).catch(() => ({}));
      return kind === "delivered" ? kind : "not sent";
    };
    try { for (;;) files.push(openSync("/dev/null")); } catch {}
    const first = await send();
    files.forEach((file) => closeSync(file));
    console.log(JSON.stringify([first, await send()]));`;

  const ways = {
    SMTP: async () => {
      const { port } = await startMailServer();
      return { smtpUrl: `smtp://127.0.0.1:${port}` };
    },
    "a mail API": async () => ({
      apiKey: "re_secret",
      apiUrl: new URL((await startReceiver()).url).origin,
    }),
  };

  it.each(Object.entries(ways))(
    "sends its next mail by %s even where no file could be opened for the first",
    async (_, start) => {
      const via = await start();
      const { stdout } = await promisify(execFile)("sh", [
        "-c",
        'ulimit -n 200; exec "$0" --input-type=module -e "$1" "$2"',
        process.execPath,
        script,
        JSON.stringify(settings(via)),
      ]);
      expect(JSON.parse(stdout)).toEqual(["not sent", "delivered"]);
    },
  );
});

describe("the HTTP mail API", () => {
  const key = "re_secret";
  const postTo = (apiUrl: string, deliveries: [Delivery, ...Delivery[]] = [aDelivery()]) =>
    makeEmail(settings({ apiKey: key, apiUrl })).send(deliveries, neverStops);
  const base = (receiver: { url: string }) => new URL(receiver.url).origin;

  it("gets the mail with the key, the Message-ID and the same idempotency key for the same mail", async () => {
    const receiver = await startReceiver(answers(500));
    expect(await postTo(base(receiver))).toEqual({ kind: "transient", reason: "the mail API answered 500" });
    receiver.answer = answers(200);
    expect(await postTo(base(receiver), [aDelivery({ attempt: 2 })])).toEqual({ kind: "delivered" });
    await postTo(base(receiver), several(2));
    const [first, second, other] = receiver.received;
    expect(first?.headers.authorization).toBe(`Bearer ${key}`);
    expect(JSON.parse(first?.body ?? "")).toEqual({
      from: "Leads <leads@provider.example>",
      to: ["team@provider.example"],
      ...writeMessage([aDelivery()], { details: false }),
      headers: { "Message-ID": `<lead-${aDelivery().id}@provider.example>` },
    });
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
    expect(other?.headers["idempotency-key"]).not.toBe(first?.headers["idempotency-key"]);
  });

  it.each([
    [422, { kind: "transient", reason: "the mail API answered 422" }],
    [401, { kind: "transient", reason: "the mail API answered 401: check the secret or the key" }],
    [409, { kind: "transient", reason: "the mail API answered 409" }],
    [
      302,
      { kind: "transient", reason: "the mail API answered 302: it points elsewhere, where no lead is sent" },
    ],
    [413, { kind: "permanent", reason: "the mail API answered 413", mayPassDivided: true }],
  ])("may answer %i", async (status, outcome) => {
    expect(await postTo(base(await startReceiver(answers(status))))).toEqual(outcome);
  });

  it("may ask us to wait, or be away", async () => {
    const receiver = await startReceiver(answers(429, { "retry-after": "60" }));
    expect(await postTo(base(receiver))).toMatchObject({ kind: "transient", askedToWait: 60 });
    await receiver.close();
    expect(await postTo(base(receiver))).toEqual({
      kind: "transient",
      reason: "the mail API refuses the connection: nothing listens at this address and port (ECONNREFUSED)",
    });
    await receiver.open();
  });
});
