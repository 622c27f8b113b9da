// How a person is erased: with everything stored about them and every pending delivery, after a confirmation, leaving a receipt that
// does not identify them.
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { reference } from "../lead/lead.ts";
import { eraseLeads } from "../team/erase-leads.ts";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";
import {
  answerOnTerminal,
  leads,
  startLeads,
  startOnTerminal,
  waitForExit,
} from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";
import { insertAt, startServer } from "./support/server.ts";

let database: TestDatabase;
let url: string;
const ids = new Map<string, string>();
const id = (name: string) => ids.get(name) as string;
const short = (name: string) => reference(id(name));

beforeAll(async () => {
  database = await makeDatabase();
  url = database.url;
  await database.owner`update private.channels set enabled = true where name in ('email', 'webhook')`;
});

beforeEach(async () => {
  const { owner } = database;
  await removeLeads(owner);
  const addresses = {
    Rosa: "rosa@example.com",
    "Rosa again": " Rosa@Example.com",
    Other: "other@example.com",
  };
  for (const [name, email] of Object.entries(addresses)) {
    await owner`insert into leads ${owner(aLead({ name, email, phone: name }))}`;
    const [lead] = await owner<{ id: string }[]>`select id from leads where name = ${name}`;
    ids.set(name, lead?.id as string);
    await owner`insert into private.reviews (lead_id, outcome) values (${id(name)}, ${`${name} qualifies`})`;
  }
  // The webhook has got all leads, the mail none.
  await owner`update private.deliveries set attempts = 1, delivered_at = now() where channel = 'webhook'`;
});

/** Everything that the database holds, as text. */
async function everything(): Promise<string> {
  const tables = await database.owner<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'private')`;
  const rows = await Promise.all(
    tables.map(({ name }) => database.owner.unsafe(`select to_jsonb(t)::text from ${name} t`)),
  );
  return JSON.stringify(rows);
}

const names = async () =>
  (await database.owner`select name from leads order by created_at`).map(({ name }) => name);

const notice = (them: "it" | "them") =>
  `Channels that had been told of ${them} are told to erase ${them} too, except retired ones. Backups made before still hold ${them}.\n`;

describe("leads erase", () => {
  it("keeps the message for a retired channel as failed, because nothing would send it before the day it is set up again", async () => {
    const { owner } = database;
    await owner`update private.deliveries set attempts = 1 where lead_id = ${id("Other")}`;
    const enabled = await owner`select name from private.channels where enabled order by name`;
    await owner`update private.channels set enabled = false where name = 'webhook'`;
    await owner`select private.retire_channel('webhook')`;
    expect(await leads(url, "erase", id("Other"), "--yes")).toMatchObject({ status: 0 });
    const owed = await owner`
      select channel, failed_at is not null as failed from private.deliveries
      where event = 'lead.erased' and lead_id = ${id("Other")} order by channel`;
    expect(owed).toEqual(enabled.map(({ name }) => ({ channel: name, failed: name === "webhook" })));
    await owner`update private.channels set enabled = true, retired_at = null where name = 'webhook'`;
  });

  it("removes a lead and leaves nothing that was typed, and its id in a receipt", async () => {
    expect(await everything()).toContain("Rosa again");
    const ran = await leads(url, "erase", short("Rosa again"), "--yes");
    expect(ran).toEqual({ status: 0, stdout: `Erased ${id("Rosa again")}\n`, stderr: notice("it") });
    expect(await names()).toEqual(["Rosa", "Other"]);
    expect(await everything()).not.toContain("Rosa again");
    expect(await database.owner`select lead_id, erased_at, reason from private.erasures`).toEqual([
      { lead_id: id("Rosa again"), erased_at: expect.any(Date), reason: "asked" },
    ]);
  });

  it("enqueues a message for each channel that may have got the lead, which is each with an attempt", async () => {
    await leads(url, "erase", id("Rosa"), "--yes");
    expect(
      await database.owner`select event, channel from private.deliveries where lead_id = ${id("Rosa")}`,
    ).toEqual([{ event: "lead.erased", channel: "webhook" }]);
  });

  it("removes all leads with an e-mail address, however it was typed, also one that the lists do not have yet", async () => {
    // The lists have later leads and not this one, as after a transaction that took long.
    await database.owner`update leads set created_at = now() - interval '1 year' where id = ${id("Rosa again")}`;
    await database.owner`delete from private.lead_work where lead_id = ${id("Rosa again")}`;
    const { stdout, status } = await leads(url, "erase", "--email", "ROSA@example.com ", "--yes");
    expect(status).toBe(0);
    expect(stdout.split("\n").sort()).toEqual(
      ["", `Erased ${id("Rosa")}`, `Erased ${id("Rosa again")}`].sort(),
    );
    expect(await names()).toEqual(["Other"]);
    expect(await leads(url, "erase", "--email", "rosa@example.com", "--yes")).toEqual({
      status: 1,
      stdout: "",
      stderr: "No lead has this e-mail address. Nothing was erased.\n",
    });
  });

  it.each([
    "Rosa Diaz <rosa@example.com>",
    "mailto:Rosa@example.com",
    "rosa@example.com, rosa2@example.com",
    "rosa2@example.com/rosa@example.com",
    "rosa@example.com.",
    "'rosa@example.com'",
    "rosa @ example.com",
    "rosa@example.com (my daughter's)",
  ])("names the leads that have the address with something else, and leaves them: %s", async (email) => {
    const { owner } = database;
    const further = `1 lead has it beside another address or words, and may be somebody else's. To look: npm run leads -- show <id>. To erase: npm run leads -- erase <id>\n  ${id("Other")}\n`;
    await owner`update leads set email = ${email} where id = ${id("Other")}`;
    await owner`delete from private.lead_work where lead_id = ${id("Other")}`;
    // Before the lists have it, and after.
    expect(await leads(url, "erase", "--email", "rosa@example.com", "--yes")).toMatchObject({
      status: 0,
      stderr: further + notice("them"),
    });
    await owner`select private.index_new_leads(look_back => '100 years')`;
    expect(await leads(url, "erase", "--email", "ROSA@example.com", "--yes")).toEqual({
      status: 1,
      stdout: "",
      stderr: `No lead has this e-mail address. Nothing was erased.\n${further}`,
    });
    expect(await names()).toEqual(["Other"]);
  });

  it.each(["maria-rosa@example.com", "rosa@example.com.mx", "rosa@example.community", "Rosa, example.com"])(
    "names no lead whose address only resembles this one: %s",
    async (email) => {
      await database.owner`update leads set email = ${email} where id = ${id("Other")}`;
      await database.owner`delete from private.lead_work where lead_id = ${id("Other")}`;
      await database.owner`select private.index_new_leads(look_back => '100 years')`;
      const { stderr } = await leads(url, "erase", "--email", "rosa@example.com", "--yes");
      expect(stderr).toBe(notice("them"));
    },
  );

  it("takes an address of full width, or with an invisible character, for the same", async () => {
    const { owner } = database;
    await owner`update leads set email = ${"ｒｏｓａ＠example.com\u200b"} where id = ${id("Other")}`;
    await owner`delete from private.lead_work where lead_id = ${id("Other")}`;
    await leads(url, "erase", "--email", "rosa@example.com", "--yes");
    expect(await names()).toEqual([]);
  });

  it("says in the audit log only what was erased", async () => {
    const entries = async () =>
      (await database.owner`select 1 from private.audit_log where action = 'erased lead'`).length;
    const before = await entries();
    await database.owner.unsafe(`
      create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refused before delete on public.leads for each row execute function pg_temp.refuse()`);
    expect((await leads(url, "erase", "--email", "rosa@example.com", "--yes")).status).toBe(1);
    await database.owner`drop trigger refused on public.leads`;
    expect(await entries()).toBe(before);
    await leads(url, "erase", "--email", "rosa@example.com", "--yes");
    expect(await entries()).toBe(before + 2);
    // There is no entry for a lead that somebody else has erased meanwhile.
    const ids = [id("Rosa"), id("Other")];
    expect(await eraseLeads(database.owner, ids)).toEqual([id("Other")]);
    expect(await entries()).toBe(before + 3);
  });

  it("shows what would go and erases nothing when nobody is there to say yes", async () => {
    const { stdout, ...rest } = await leads(url, "erase", "--email", "rosa@example.com");
    expect(rest).toEqual({
      status: 2,
      stderr:
        "Nothing was erased: nobody is here to ask. Add --yes, or look first: npm run leads -- show <id>\n",
    });
    expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "YYYY-MM-DD hh:mm")).toBe(
      `To be erased for good, with permission, deliveries and review:
  ${short("Rosa")}  YYYY-MM-DD hh:mm  Rosa  rosa@example.com
  ${short("Rosa again")}  YYYY-MM-DD hh:mm  Rosa again   Rosa@Example.com
`,
    );
    expect(await names()).toHaveLength(3);
    const opened = await database.owner`
      select lead_id::text from private.audit_log where action = 'opened lead' order by lead_id::text`;
    expect(opened.map(({ lead_id }) => lead_id)).toEqual([id("Rosa"), id("Rosa again")].toSorted());
  });

  it("says “(no name)” of a lead whose name nobody could see, as the other commands do", async () => {
    const { owner } = database;
    await owner`update leads set name = ${"\u3164"}, email = ${"\u2800"} where id = ${id("Other")}`;
    expect((await leads(url, "erase", id("Other"))).stdout).toMatch(/ {2}\(no name\) {2}\(blank\)\n/);
    expect((await leads(url, "list")).stdout).toContain("  (no name)  ");
    expect((await leads(url, "show", id("Other"))).stdout).toMatch(
      /Full Name +\(no name\)\n *Email Address +\(blank\)\n/,
    );
  });

  it.each([
    ["yes", 0, 2],
    ["no", 1, 3],
    ["", 1, 3],
    ["\x03", 130, 3],
    ["\x04", 1, 3],
  ])("asks a person at a terminal, and takes %j for an answer", async (answer, status, left) => {
    const ran = await answerOnTerminal(url, ["erase", id("Rosa")], `${answer}\n`);
    expect(ran.stdout).toContain("Erase this lead? Type yes:");
    expect(ran.stdout).toContain(status ? "Nothing was erased." : "Erased ");
    expect(ran.status).toBe(status);
    expect(await names()).toHaveLength(left);
  });

  it("asks no longer when it is told to end", async () => {
    const child = startOnTerminal(["erase", id("Rosa")], { DATABASE_URL: url });
    const ended = waitForExit(child, { keepOpen: true });
    let seen = "";
    child.stdout?.on("data", (text) => (seen += text));
    await until(async () => seen.includes("Type yes:"));
    const command = execFileSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
    process.kill(Number(command), "SIGTERM");
    expect(await ended).toMatchObject({
      status: 130,
      stdout: expect.stringContaining("Nothing was erased."),
    });
    expect(await names()).toHaveLength(3);
  });

  it("does not begin when Ctrl-C came while the database was starting", async () => {
    const folder = await mkdtemp(join(tmpdir(), "leads-erase-"));
    await chmod(folder, 0o711);
    onTestFinished(() => rm(folder, { recursive: true }));
    const settings = { DATA_DIR: join(folder, "data") };
    const server = await startServer(settings);
    expect((await insertAt(server.address, aLead())).status).toBe(201);
    await server.end("SIGTERM");
    const child = startLeads(["erase", "--email", aLead().email, "--yes"], settings);
    child.stderr?.once("data", () => child.kill("SIGINT"));
    expect(await waitForExit(child)).toEqual({
      status: 130,
      stdout: "",
      stderr:
        "The server is not running; its database was started for this command, and the server cannot start until it has ended.\n",
    });
    const { stdout } = await waitForExit(startLeads(["list", "--json"], settings));
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it.each([
    ["erase", "Which <id>?\nHelp: npm run leads -- erase --help"],
    ["erase --email=", "--email takes an address, such as --email rosa@example.com."],
    [
      "erase abcd1234 --email a@b",
      "Either an <id> or --email, not both.\nHelp: npm run leads -- erase --help",
    ],
  ])("refuses %s", async (words, stderr) => {
    expect(await leads(url, ...words.split(" "))).toEqual({ status: 2, stdout: "", stderr: `${stderr}\n` });
  });
});
