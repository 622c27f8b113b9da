// How leads leave for another program: exact as JSON, exact by one rule as CSV, and harmless in a spreadsheet.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { leads, startLeads, startOnTerminal, waitForExit } from "./support/leads-command.ts";
import { programEnvironment } from "./support/program-environment.ts";

/** The rule for whoever reads an export: a cell that begins with an apostrophe loses that one. */
const readCell = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

/** Four leads that are hard to export, the newest first. Before the tests the withdrawn one moves to the front, where the export has it. */
const typed = [
  aLead({ name: "  José 田中 👩‍👩‍👧 ", email: "\t=1", phone: " ＝1+1", zip_code: "\r\n1" }),
  aLead({ name: 'O\'Brien, "Bob"\r\nsecond line', email: "@x", phone: "'=1+1", zip_code: "02134" }),
  aLead({
    name: '=HYPERLINK("http://x/","y")',
    phone: "+1 305 555 0142",
    zip_code: "-33101",
    has_diabetes: true,
  }),
  aLead({ name: "Withdrawn", phone: "305 555 0199" }),
];

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
  const { owner } = database;
  for (const [hours, lead] of typed.entries()) {
    await owner`insert into leads ${owner(lead)}`;
    await owner`update leads set created_at = now() - make_interval(hours => ${hours}) where name = ${lead.name}`;
  }
  await owner`select private.withdraw_permission(id) from leads where name = 'Withdrawn'`;
  typed.unshift(...typed.splice(3));
});

const unreviewed = {
  id: expect.any(String),
  created_at: expect.any(String),
  reviewed_at: null,
  outcome: null,
};

describe("leads export --format json", () => {
  it("prints one JSON array with every value exactly as typed; leads with a withdrawn permission come first", async () => {
    const { stdout, ...rest } = await leads(database.url, "export", "--format", "json");
    expect(rest).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(
      typed.map((lead, nth) => ({
        ...unreviewed,
        ...lead,
        withdrawn_at: nth === 0 ? expect.any(String) : null,
        marks: lead.name.includes("http") ? ["link in name"] : [],
      })),
    );
  });

  it("prints each time in UTC to the millisecond, whatever its fraction of a second", async () => {
    const { owner, url } = await makeDatabase();
    const [{ name } = { name: "" }] = await owner`select quote_ident(current_database()) as name`;
    await owner.unsafe(`alter database ${name} set timezone = 'America/New_York'`);
    const times = [
      "2026-11-01 09:30:00",
      "2026-11-01 09:30:00.1",
      "2026-11-01 09:30:00.02",
      "2026-11-01 09:30:00.999999",
    ];
    for (const time of times) {
      const [row] = await owner<
        { id: string }[]
      >`insert into leads ${owner(aLead({ name: time }))} returning id`;
      const id = row?.id ?? "";
      const moment = `${time}+00`;
      await owner`update leads set created_at = ${moment} where id = ${id}`;
      await owner`update private.permissions set given_at = ${moment}, withdrawn_at = ${moment} where lead_id = ${id}`;
      await owner`insert into private.reviews (lead_id, reviewed_at) values (${id}, ${moment})`;
    }
    const exact = ["09:30:00.000", "09:30:00.020", "09:30:00.100", "09:30:00.999"].map(
      (time) => `2026-11-01T${time}Z`,
    );
    const timesOf = (printed: string, column: string) =>
      (JSON.parse(printed) as Record<string, string>[]).map((row) => row[column]).sort();
    const { stdout } = await leads(url, "export", "--format", "json");
    for (const column of ["created_at", "withdrawn_at", "reviewed_at"])
      expect(timesOf(stdout, column), column).toEqual(exact);
    const permissions = await leads(url, "export", "--permission", "--format", "json");
    for (const column of ["lead_created_at", "permission_given_at", "permission_withdrawn_at"])
      expect(timesOf(permissions.stdout, column), column).toEqual(exact);
  });

  it.each([
    ["to a full device", "/dev/full", "ENOSPC"],
    ["to a file that takes a part of it", "part.json", "EFBIG"],
  ])("fails in a sentence when it is written %s", async (_, target, code) => {
    const folder = mkdtempSync(join(tmpdir(), "leads-export-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // A file of at most 512 bytes: a write takes what there is room for, and the next one fails.
    const limited = 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@" > "$TARGET"';
    const program = [process.execPath, fileURLToPath(new URL("../bin/leads.ts", import.meta.url))];
    const child = spawn("sh", ["-c", limited, ...program, "export", "--format", "json"], {
      cwd: folder,
      env: programEnvironment({ DATABASE_URL: database.url, TARGET: target, NODE_COMPILE_CACHE: "" }),
      stdio: ["pipe", "pipe", "pipe"],
    });
    expect(await waitForExit(child)).toEqual({
      status: 1,
      stdout: "",
      stderr: `What this prints could not be written (${code}). The file is incomplete.\n`,
    });
  });

  it("prints an empty array when there is nothing, and takes --since", async () => {
    const none = await leads(database.url, "export", "--format", "json", "--since", "2999-01-01");
    expect(none).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
    const some = await leads(database.url, "export", "--format", "json", "--since", "90min");
    expect(JSON.parse(some.stdout).map(({ name }: { name: string }) => name)).toEqual([
      typed[1]?.name,
      typed[2]?.name,
    ]);
  });
});

describe("leads export --format csv", () => {
  it("prints RFC 4180 with a header, every formula disarmed, and exact again by the rule", async () => {
    const { stdout, ...rest } = await leads(database.url, "export", "--format", "csv");
    expect(rest).toEqual({ status: 0, stderr: "" });
    const [heading, ...records] = parse(stdout, { record_delimiter: "\r\n" }) as string[][];
    expect(heading?.join()).toBe(
      "id,created_at,name,email,phone,zip_code,has_medicare,has_diabetes,withdrawn_at,reviewed_at,outcome,marks",
    );
    expect(records.map((cells) => cells.map(readCell).slice(2, 8))).toEqual(
      typed.map((lead) => Object.values(lead).map(String)),
    );
    expect(records.map((cells) => cells.slice(2, 6))).toEqual([
      ["Withdrawn", "rosa@example.com", "305 555 0199", "33101"],
      ["  José 田中 👩‍👩‍👧 ", "'\t=1", "' ＝1+1", "'\r\n1"],
      ['O\'Brien, "Bob"\r\nsecond line', "'@x", "''=1+1", "02134"],
      ['\'=HYPERLINK("http://x/","y")', "rosa@example.com", "'+1 305 555 0142", "'-33101"],
    ]);
  });

  it("prints the header alone when there is nothing", async () => {
    const { stdout } = await leads(database.url, "export", "--format", "csv", "--since", "2999-01-01");
    expect(stdout).toMatch(/^id,created_at,[a-z_,]+\r\n$/);
  });
});

describe("leads export --permission", () => {
  const wording =
    "I agree in writing that “Example Supply” may phone me\nabout a continuous glucose monitor.";
  let evidence: TestDatabase;
  beforeAll(async () => {
    evidence = await makeDatabase();
    const { owner } = evidence;
    await owner`insert into leads ${owner(aLead({ name: "Says none", phone: "1" }))}`;
    const unknown = { "x-permission-notice": "ab".repeat(32), origin: "https://b.example" };
    await owner`insert into leads ${owner({ ...aLead({ name: "Not known", phone: "2" }), request_headers: owner.json(unknown) })}`;
    await owner`insert into private.notices (hash, language, text) values (encode(sha256(${wording}), 'hex'), 'en', ${wording})`;
    const headers = {
      referer: "https://a.example/?utm_source=news",
      "x-forwarded-for": "192.0.2.7",
      "x-permission-notice": createHash("sha256").update(wording).digest("hex"),
      "user-agent": "=B/1",
    };
    await owner`insert into leads ${owner({ ...aLead(), request_headers: owner.json(headers) })}`;
    await owner`select private.withdraw_permission(id) from leads where name = 'Rosa Martinez'`;
  });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

  it("prints for each lead who agreed to which wording, when, from where, and when it was withdrawn", async () => {
    const { stdout, ...rest } = await leads(evidence.url, "export", "--permission", "--format", "json");
    expect(rest).toEqual({ status: 0, stderr: "" });
    const common = {
      lead_id: expect.any(String),
      lead_created_at: time,
      permission_given_at: time,
      exported_at: time,
      ...aLead(),
    };
    const none = {
      permission_withdrawn_at: null,
      notice_text: null,
      notice_in_force_from: null,
      page_path: null,
      address: null,
      browser: null,
      utm: null,
      notice_language: null,
    };
    expect(JSON.parse(stdout)).toEqual([
      {
        ...common,
        ...none,
        name: "Says none",
        phone: "1",
        notice_sha256: null,
        wording: "not stated",
        page_origin: null,
      },
      {
        ...common,
        ...none,
        name: "Not known",
        phone: "2",
        notice_sha256: "ab".repeat(32),
        wording: "not known",
        page_origin: "https://b.example",
      },
      {
        ...common,
        permission_withdrawn_at: time,
        notice_text: wording,
        notice_sha256: createHash("sha256").update(wording).digest("hex"),
        notice_in_force_from: time,
        page_path: "/",
        address: "192.0.2.7",
        browser: "=B/1",
        utm: { utm_source: "news" },
        wording: "shown",
        notice_language: "en",
        page_origin: "https://a.example",
      },
    ]);
  });

  it.each(["--since=1999-12-31", "--permission"])(
    "has the columns of CSV in the order of JSON's keys: %s",
    async (words) => {
      const [csv, json] = await Promise.all(
        ["csv", "json"].map((format) => leads(evidence.url, "export", words, "--format", format)),
      );
      const [columns] = parse(csv?.stdout ?? "") as string[][];
      expect(Object.keys(JSON.parse(json?.stdout ?? "")[0])).toEqual(columns);
    },
  );

  it("prints the same records as CSV, where a formula gets an apostrophe", async () => {
    const { stdout } = await leads(evidence.url, "export", "--permission", "--format", "csv");
    const [columns = [], ...lines] = parse(stdout) as string[][];
    expect(columns.slice(-4)).toEqual(["exported_at", "wording", "notice_language", "page_origin"]);
    const records = lines.map((line) =>
      Object.fromEntries(columns.map((name, nth) => [name, line[nth] ?? ""])),
    );
    const json = await leads(evidence.url, "export", "--permission", "--format", "json");
    const same = records.map((cells, nth) => {
      const values = Object.entries(JSON.parse(json.stdout)[nth] as Record<string, unknown>);
      return values.filter(
        ([name, value]) => readCell(cells[name] ?? "") !== asCell(value) && name !== "exported_at",
      );
    });
    expect(same).toEqual([[], [], []]);
    expect(records[2]).toMatchObject({
      notice_text: wording,
      permission_withdrawn_at: time,
      browser: "'=B/1",
      utm: '{"utm_source":"news"}',
      has_medicare: "true",
    });
  });
});

/** A value of JSON as a cell of CSV has it. */
const asCell = (value: unknown): string =>
  value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

describe("an export that is printed on a terminal", () => {
  it.each(["csv", "json"])("holds nothing that the terminal would obey: %s", async (format) => {
    const { url, owner } = await makeDatabase();
    // ESC, BEL, DEL, the one character that stands for ESC [, and a mark that turns the line around.
    const name = "Rosa\u001b[2J\u0007\u007f\u009b2J\u202e";
    await owner`insert into leads ${owner(aLead({ name }))}`;
    const words = ["export", "--format", format];
    const { stdout } = await waitForExit(startOnTerminal(words, { DATABASE_URL: url }));
    expect(stdout).toContain(
      format === "csv"
        ? ",Rosa\\u{1b}[2J\\u{7}\\u{7f}\\u{9b}2J\\u{202e},"
        : '"Rosa\\u001b[2J\\u0007\\u007f\\u009b2J\\u202e"',
    );
    for (const character of "\u001b\u0007\u007f\u009b\u202e")
      expect(stdout.split("Rosa")[1]).not.toContain(character);
    expect((await leads(url, ...words)).stdout).toContain(format === "csv" ? `,${name},` : "\\u001b");
  });

  it("has a line for each record, also where a name has line breaks that look like another one", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into leads ${owner(aLead({ name: "Rosa\r\nReviewed,Nobody" }))}`;
    const words = ["export", "--format", "csv"];
    const { stdout } = await waitForExit(startOnTerminal(words, { DATABASE_URL: url }));
    expect(stdout).toContain(',"Rosa\\r\\nReviewed,Nobody",');
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  });
});

describe("an export for which the database has no room on its disk", () => {
  it("says so in a sentence", async () => {
    const { url, owner } = await makeDatabase();
    await owner`
      create or replace function private.leads_to_index(at_most integer default null, look_back interval default '15 seconds') returns setof uuid language plpgsql stable as
      $$ begin raise exception using errcode = 'disk_full'; end $$`;
    expect(await leads(url, "export", "--format", "csv")).toMatchObject({
      status: 1,
      stderr:
        "The disk of the database is full (53100). Nothing was lost. Make room on it, and type it again.\n",
    });
  });
});

describe("an export of many leads", () => {
  let many: TestDatabase;
  beforeAll(async () => {
    many = await makeDatabase();
    await addMany(many.owner, 10_000);
  });

  it("ends when its reader has read enough, although the database has more to send", async () => {
    const child = startLeads(["export", "--format", "csv"], { DATABASE_URL: many.url });
    const stdout = child.stdout as NonNullable<typeof child.stdout>;
    await new Promise((resolve) => stdout.once("readable", resolve));
    stdout.destroy();
    expect(await waitForExit(child)).toMatchObject({ status: 0, stderr: "" });
  });

  it("takes little memory, and has the leads exactly as they were when it began", async () => {
    const { url, owner } = many;
    // 17 MB of leads would not fit: they must pass through page by page.
    const child = startLeads(["export", "--format", "json"], {
      DATABASE_URL: url,
      NODE_OPTIONS: "--max-old-space-size=24",
    });
    const stdout = child.stdout as NonNullable<typeof child.stdout>;
    await new Promise((resolve) => stdout.once("readable", resolve));
    // It waits for its reader now. What happens meanwhile is not in it.
    await owner`delete from leads where phone < repeat('0', 485) || '05000'`;
    await owner`insert into leads ${owner(aLead({ name: "Too late" }))}`;
    const exported = JSON.parse(await text(stdout)) as { name: string }[];
    expect(exported).toHaveLength(10_000);
    expect(exported.filter(({ name }) => name === "Too late")).toEqual([]);
  });
});

/** Inserts leads of 1.7 kB each without the triggers, which would take most of the time and are not tested here. */
async function addMany(owner: TestDatabase["owner"], count: number): Promise<void> {
  await owner.begin(async (tx) => {
    await tx`alter table leads disable trigger user`;
    await tx`
      insert into leads (name, email, phone, zip_code)
      select 'n', repeat('e', 490), lpad(n::text, 490, '0'), repeat('z', 490) from generate_series(1, ${count}::int) n`;
    await tx`insert into private.permissions (lead_id) select id from leads`;
    await tx`alter table leads enable trigger user`;
  });
}
