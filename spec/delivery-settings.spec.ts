// The settings of the delivery: what is taken, and what stops the start with which sentence.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";
import { channelNames, howToSetUp, makeChannels } from "../delivery/channels/registry.ts";
import { messageFor } from "./support/refused-settings.ts";

const webhook = {
  WEBHOOK_URL: "https://crm.example.com/leads",
  WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};
const smtp = {
  SMTP_URL: "smtp://mail.example.com",
  MAIL_FROM: "leads@example.com",
  NOTIFY_EMAIL: "team@example.com",
};

const chat = { CHAT_URL: "https://hooks.example.com/services/T0/B0/secret" };

/** The channels that some settings set up. */
const channelsOf = (env: Record<string, string>) =>
  makeChannels(readConfig(env).delivery.channels, { log: () => {}, linkTo: () => undefined }).map(
    ({ name }) => name,
  );

describe("a channel", () => {
  it("is named by its first setting in the advice where none is set up, in .env.example, in the guide for Supabase and in the text on privacy", () => {
    const named = howToSetUp()
      .split(/[ ,]/)
      .filter((word) => word.includes("_"));
    expect(named).toHaveLength(channelNames.length);
    expect(howToSetUp()).toMatch(/^Set WEBHOOK_URL, NOTIFY_EMAIL.{0,200} or [A-Z_]{3,50} \(see/);
    const privacy = readFileSync(new URL("../docs/privacy.md", import.meta.url), "utf8");
    for (const setting of named) expect(privacy).toContain(`\`${setting}\``);
    for (const file of [".env.example", "docs/deploy-supabase.md"]) {
      const lines = readFileSync(new URL(`../${file}`, import.meta.url), "utf8").split("\n");
      const settings = lines.map((line) => line.trim().replace(/^#/, "").split("=")[0]);
      expect(settings, file).toEqual(expect.arrayContaining(named));
    }
  });

  it("is set up by its first setting alone, or stops the start and names the others, but is never left out in silence", () => {
    let tried = 0;
    const examples = readFileSync(new URL("../.env.example", import.meta.url), "utf8");
    for (const [, name = "", value = ""] of examples.matchAll(/^#([A-Z_]{1,40})=(.{1,200})$/gm)) {
      if (!howToSetUp().includes(name)) continue;
      tried += 1;
      const refusal = messageFor({ [name]: value });
      expect([name, refusal || channelsOf({ [name]: value })]).toEqual([
        name,
        refusal ? expect.stringMatching(/must be set as well/) : [expect.any(String)],
      ]);
    }
    expect(tried).toBe(channelNames.length);
  });
});

describe("the settings of the delivery", () => {
  it("name no channel by default, and keep a permission's circumstances for five years and leads for good", () => {
    expect(channelsOf({})).toEqual([]);
    expect(readConfig({}).delivery).toMatchObject({
      on: true,
      keepAddress: true,
      permissionDays: 1826,
      retentionDays: undefined,
    });
  });

  it.each([
    ["Maple Lane, Inc. <leads@example.com>", '"Maple Lane, Inc." <leads@example.com>'],
    ['"Maple Lane, Inc." <leads@example.com>', '"Maple Lane, Inc." <leads@example.com>'],
    ["Maple Lane <leads@example.com>", "Maple Lane <leads@example.com>"],
  ])("take a sender whose name may hold a comma, quoted or not: %s", (given, from) => {
    expect(readConfig({ ...smtp, MAIL_FROM: given }).delivery.channels.MAIL_FROM).toBe(from);
  });

  it("take all channels, several mailboxes, and what is kept and for how long", () => {
    const given = {
      ...webhook,
      ...smtp,
      ...chat,
      DELIVERY: "off",
      MAIL_FROM: "Leads of Maple Lane <leads@example.com>",
      NOTIFY_EMAIL: "a@example.com, b@example.com",
      PERMISSION_ADDRESS: "off",
      PERMISSION_DAYS: "30",
      RETENTION_DAYS: "90",
    };
    expect(channelsOf(given)).toEqual(["webhook", "email", "chat"]);
    expect(readConfig(given).delivery).toMatchObject({
      on: false,
      channels: { NOTIFY_EMAIL: ["a@example.com", "b@example.com"] },
      keepAddress: false,
      permissionDays: 30,
      retentionDays: 90,
    });
  });

  it("set up each channel by its own settings alone", () => {
    expect(channelsOf(webhook)).toEqual(["webhook"]);
    expect(channelsOf(smtp)).toEqual(["email"]);
    expect(channelsOf(chat)).toEqual(["chat"]);
  });

  it("take the HTTP mail API in place of SMTP", () => {
    const { SMTP_URL: _, ...rest } = smtp;
    expect(channelsOf({ ...rest, RESEND_API_KEY: "re_1" })).toEqual(["email"]);
  });

  it.each([
    "http://localhost:8080/x",
    "http://127.0.0.1/x",
    "http://127.9.9.9/x",
    "http://[::1]:1/x",
    "https://a.example",
  ])("take %s for the webhook", (url) => expect(messageFor({ ...webhook, WEBHOOK_URL: url })).toBe(""));

  it.each([
    "smtp://mail.example.com",
    "smtps://leads%40example.com:p%23ss@mail.example.com:465/",
    "smtp://10.0.0.7:2525?pool=true",
    "smtp://[::1]:25",
  ])("take %s for the mail server", (SMTP_URL) => expect(messageFor({ ...smtp, SMTP_URL })).toBe(""));

  it.each(["u:p#1@h", "u:1#2@h", "u:1/2@h", "u:1?2@h", "u:%zz@h", "u:%ff@h"])(
    "tell how to write the password in smtp://%s",
    (rest) => {
      expect(messageFor({ ...smtp, SMTP_URL: `smtp://${rest}` })).toBe(
        "SMTP_URL must be as smtp://user:password@host:port or smtps://. In the password write @ as %40, / as %2F, ? as %3F, # as %23, % as %25.",
      );
    },
  );

  it.each([
    [
      { ...webhook, WEBHOOK_URL: "http://crm.example.com" },
      "WEBHOOK_URL must start with https://, unless it is on this machine.",
    ],
    [{ ...webhook, WEBHOOK_URL: "http://127.0.0.1.example.com" }, "WEBHOOK_URL must start with https://"],
    [{ ...webhook, WEBHOOK_URL: "http://localhost.example.com" }, "WEBHOOK_URL must start with https://"],
    [
      { ...webhook, WEBHOOK_URL: "https://a:b@crm.example.com" },
      "WEBHOOK_URL must not hold a user or a password, because none is sent.",
    ],
    [
      { CHAT_URL: "https://a:b@hooks.example.com" },
      "CHAT_URL must not hold a user or a password, because none is sent.",
    ],
    [
      { ...webhook, WEBHOOK_URL: "crm.example.com" },
      "WEBHOOK_URL must be an address that starts with https://",
    ],
    [{ ...webhook, WEBHOOK_SECRET: "secret" }, "WEBHOOK_SECRET must be whsec_ and 24 to 64 random bytes"],
    [
      { ...webhook, WEBHOOK_SECRET: "whsec_c2hvcnQ=" },
      "WEBHOOK_SECRET must be whsec_ and 24 to 64 random bytes",
    ],
    [{ WEBHOOK_URL: webhook.WEBHOOK_URL }, "WEBHOOK_SECRET must be set as well"],
    [{ WEBHOOK_SECRET: webhook.WEBHOOK_SECRET }, "WEBHOOK_URL must be set as well"],
    [{ SMTP_URL: smtp.SMTP_URL }, "MAIL_FROM and NOTIFY_EMAIL must be set as well"],
    [
      { NOTIFY_EMAIL: "a@example.com", MAIL_FROM: "b@example.com" },
      "SMTP_URL (or RESEND_API_KEY) must be set as well",
    ],
    [{ ...smtp, RESEND_API_KEY: "re_1" }, "RESEND_API_KEY cannot be set together with SMTP_URL."],
    ...["RESEND_API_KEY", "SUPABASE_SECRET_KEY", "SUPABASE_SERVICE_ROLE_KEY"].map(
      (name): [Record<string, string>, string] => [
        {
          MAIL_FROM: smtp.MAIL_FROM,
          NOTIFY_EMAIL: smtp.NOTIFY_EMAIL,
          RESEND_API_KEY: "re_1",
          [name]: "re_1…",
        },
        `${name} must be one word of plain letters, digits and signs`,
      ],
    ),
    [{ ...smtp, SMTP_URL: "http://mail.example.com" }, "SMTP_URL must be as smtp://user:password@host:port"],
    [{ ...smtp, SMTP_URL: "smtp://[bad" }, "SMTP_URL must be as smtp://user:password@host:port"],
    [{ ...smtp, SMTP_URL: "smtps://" }, "SMTP_URL must be as smtp://user:password@host:port"],
    [
      { ...smtp, NOTIFY_EMAIL: " , " },
      "NOTIFY_EMAIL must be one e-mail address without a name, or several with commas between them.",
    ],
    [{ ...smtp, MAIL_FROM: "Leads" }, "MAIL_FROM must be an address"],
    [{ ...smtp, MAIL_FROM: "a@example.com\r\nBcc: c@example.com" }, "MAIL_FROM must be an address"],
    [
      { ...smtp, NOTIFY_EMAIL: "a@example.com; b@example.com" },
      "NOTIFY_EMAIL must be one e-mail address without a name, or several",
    ],
    [
      { ...smtp, NOTIFY_EMAIL: "a@example.com\nBcc: c@example.com" },
      "NOTIFY_EMAIL must be one e-mail address without a name, or several",
    ],
    [{ ...smtp, MAIL_DETAILS: "yes" }, "MAIL_DETAILS must be none or full."],
    [{ DELIVERY: "maybe" }, "DELIVERY must be on or off."],
    [{ RETENTION_DAYS: "0" }, "RETENTION_DAYS must be a whole number from 1 to 36500."],
    [{ PERMISSION_DAYS: "five years" }, "PERMISSION_DAYS must be a whole number from 1 to 36500."],
  ])("refuse %j", (env, sentence) => {
    expect(messageFor(env as Record<string, string>)).toContain(sentence);
  });
});
