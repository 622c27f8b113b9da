// How a person is erased: with everything kept and owed about them, after somebody said so, leaving a receipt that
// tells nothing about whom it was.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { reference } from "../lead/lead.ts";
import { aLead, makeDatabase, removeLeads, type TestDatabase } from "./support/database.ts";
import { leads, startLeads, startOnTerminal, waitForExit } from "./support/leads-command.ts";
import { insertAt, startServer } from "./support/server.ts";

let database: TestDatabase;
let url: string;
const ids = new Map<string, string>();
const id = (name: string) => ids.get(name) as string;
const short = (name: string) => reference(id(name));

beforeAll(async () => {
  database = await makeDatabase();
  url = database.url;
  await database.owner`update private.channels set enabled = true where name <> 'chat'`;
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
  // The webhook has heard of all, the mail of none.
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

const notice =
  "Channels that had been told of it are told to erase it too. Backups made before still hold it.\n";

describe("leads erase", () => {
  it("removes a lead and leaves nothing of it but its id in a receipt", async () => {
    expect(await everything()).toContain("Rosa again");
    const ran = await leads(url, "erase", short("Rosa again"), "--yes");
    expect(ran).toEqual({ status: 0, stdout: `Erased ${id("Rosa again")}\n`, stderr: notice });
    expect(await names()).toEqual(["Rosa", "Other"]);
    expect(await everything()).not.toContain("Rosa again");
    expect(await database.owner`select lead_id, erased_at, reason from private.erasures`).toEqual([
      { lead_id: id("Rosa again"), erased_at: expect.any(Date), reason: "asked" },
    ]);
  });

  it("owes word of it, by the id alone, to the channels that had heard of the lead", async () => {
    await leads(url, "erase", id("Rosa"), "--yes");
    expect(
      await database.owner`select event, channel from private.deliveries where lead_id = ${id("Rosa")}`,
    ).toEqual([{ event: "lead.erased", channel: "webhook" }]);
  });

  it("removes all leads with an e-mail address, however it was typed", async () => {
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
  });

  it.each([
    ["yes", 0, 2],
    ["no", 1, 3],
    ["", 1, 3],
    ["\x03", 1, 3],
    ["\x04", 1, 3],
  ])("asks a person at a terminal, and takes %j for an answer", async (answer, status, left) => {
    const ran = await atTerminal(["erase", id("Rosa")], `${answer}\n`);
    expect(ran.stdout).toContain("Erase this lead? Type yes:");
    expect(ran.stdout).toContain(status ? "Nothing was erased." : "Erased ");
    expect(ran.status).toBe(status);
    expect(await names()).toHaveLength(left);
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
      stderr: "The server is not running; its database is started for this command.\n",
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

/** Runs the command on a terminal with what a person types there. */
async function atTerminal(words: string[], typed: string) {
  const child = startOnTerminal(words, { DATABASE_URL: url });
  let seen = "";
  child.stdout?.on("data", (text) => {
    if (seen.includes("Type yes:")) return;
    seen += text;
    if (seen.includes("Type yes:")) child.stdin?.write(typed);
  });
  return waitForExit(child, { keepOpen: true });
}
