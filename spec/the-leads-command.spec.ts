// How the command `leads` speaks to a person and to a script: its help, its exit status, and its sentences when something is wrong.
import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { readCommand, releaseCommands } from "../cli/program.ts";
import { aLead, makeDatabase, sessionsWaitingForLocks } from "./support/database.ts";
import { leads, startLeads, waitForExit } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";
import { copyOfRelease } from "./support/release.ts";
import { startTcpProxy } from "./support/tcp-proxy.ts";

const { url, owner } = await makeDatabase();
await owner`insert into public.leads ${owner(aLead())}`;

describe.concurrent("the leads command", () => {
  it.each([["--help"], ["help"], ["-h"]])(
    "prints its commands for %s, under headings of our own",
    async (...words) => {
      const { stdout, ...rest } = await leads(url, ...words);
      expect(rest).toEqual({ status: 0, stderr: "" });
      expect(stdout).not.toMatch(/^(Commands|Options):/m);
      for (const command of ["list", "show <id>", "export", "status", "retry [id]", "restore <file>"])
        expect(stdout).toMatch(new RegExp(`^  ${command.replace(/[[\]]/g, "\\$&")} {2}`, "m"));
      expect(stdout).toContain("Exit status: 0 all is well");
    },
  );

  it("prints its help on one screen, in a clone, in a container, and in an installed release, which has more commands", async ({
    onTestFinished,
  }) => {
    const release = copyOfRelease();
    onTestFinished(() => rmSync(release, { recursive: true }));
    const { stdout: inClone } = await leads(url, "--help");
    // No release is installed on the machine of the test, so this is a container's.
    const { stdout: inContainer } = await waitForExit(
      startLeads(["--help"], {}, join(release, "bin/leads.ts")),
    );
    expect(inContainer).toMatch(/^Usage: leads <command>/);
    expect(inContainer).not.toContain("The installed release");
    for (const help of [inClone, inContainer + releaseCommands])
      expect(
        help.split("\n").length,
        "The help is longer than a screen of 50 lines: shorten the notes in cli/program.ts, or join two groups",
      ).toBeLessThan(50);
  });

  it.each([
    ["list", "--help"],
    ["help", "list"],
    ["list", "-h"],
  ])("prints the help of one command for %s %s", async (...words) => {
    const { stdout, ...rest } = await leads(url, ...words);
    expect(rest).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: npm run leads -- list \[options\]\n/);
    for (const option of ["--since <time>", "--due", "--suspect", "--limit <count>", "--json"])
      expect(stdout).toContain(`  ${option} `);
  });

  it("finds each command of its help by the name that is typed, because a command is loaded by that name alone", async () => {
    const helpOf = async (...words: string[]) => {
      const read = await readCommand([...words, "--help"], 100);
      return "help" in read ? read.help : "";
    };
    const names = [...(await helpOf()).matchAll(/^ {2}([a-z-]+) .*? {2}[a-z]/gm)].map(
      ([, name = ""]) => name,
    );
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(await helpOf(name)).toMatch(new RegExp(`^Usage: .{1,20} ${name} `));
  });

  it.each([
    "help team",
    "team --help",
    "team help",
    "help team invite",
    "team help invite",
    "team invite --help",
  ])("prints the help of a command that has subcommands, or of one of these, for %s", async (words) => {
    const { stdout, ...rest } = await leads(url, ...words.split(" "));
    expect(rest).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      words.includes("invite") ? /^Usage: .{1,20} team invite / : /^Usage: .{1,20} team \[/,
    );
  });

  it.each([
    ["", "What shall it do? For example: npm run leads -- list\nHelp: npm run leads -- --help"],
    ["lits", 'There is no command "lits".\nHelp: npm run leads -- --help'],
    ["help lits", 'There is no command "lits".\nHelp: npm run leads -- --help'],
    ["team lits --help", 'There is no command "lits".\nHelp: npm run leads -- team --help'],
    ["show", "Which <id>?\nType: npm run leads -- show [options] <id>\nHelp: npm run leads -- show --help"],
    [
      "show abcd1234 efgh",
      "One word too many: efgh.\nType: npm run leads -- show [options] <id>\nHelp: npm run leads -- show --help",
    ],
    [
      "show --all",
      "Unknown option '--all'.\nType: npm run leads -- show [options] <id>\nHelp: npm run leads -- show --help",
    ],
    [
      "show xyz",
      "An id is given whole or by its first or last letters and digits, at least 4 of them, such as 3f9c1a2b.\nFind it with: npm run leads -- list",
    ],
    ["list --limit many", "--limit takes a whole number from 1 to 999999999, such as --limit 20."],
    [
      "list --since 2026-02-31",
      "--since takes a length of time, or a day that there is, such as --since 24h, --since 7d, --since 30min or --since 2026-01-31.",
    ],
    [
      "list --since 0026-01-31",
      "--since takes a length of time, or a day that there is, such as --since 24h, --since 7d, --since 30min or --since 2026-01-31.",
    ],
    [
      "erase --older-than 36501 --yes",
      "--older-than takes a whole number from 1 to 36500, such as --older-than 20.",
    ],
    ["export", "In which format? Add --format csv or --format json."],
    ["export --format xml", "In which format? Add --format csv or --format json."],
  ])("exits with 2 and says what is wrong with: %s", async (words, stderr) => {
    // No server listens at this address: what is not understood is refused before anything is opened.
    const ran = await leads("postgres://localhost:1/none", ...words.split(" ").filter(Boolean));
    expect(ran).toEqual({ status: 2, stdout: "", stderr: `${stderr}\n` });
  });

  it.each(["backup", "restore", "campaigns costs add"])(
    "exits with 2 where the name of the file is empty: %s",
    async (command) => {
      expect(await leads("postgres://localhost:1/none", ...command.split(" "), "")).toEqual({
        status: 2,
        stdout: "",
        stderr: "The name of the file is empty.\n",
      });
    },
  );

  it("exits with 1 and says so when the database does not answer, has no tables or is not there yet", async () => {
    const { url: empty } = await makeDatabase({ schema: false });
    const folder = await mkdtemp(join(tmpdir(), "leads-none-"));
    // When root runs this, PostgreSQL runs as another user. Where that user cannot enter the folder, the data is looked for elsewhere.
    await chmod(folder, 0o711);
    const [away, bare, none] = await Promise.all([
      leads("postgres://localhost:1/none", "list"),
      leads(empty, "list"),
      waitForExit(startLeads(["list"], { DATA_DIR: join(folder, "data") })),
    ]);
    await rm(folder, { recursive: true });
    expect(away).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "The database does not answer as it should (ECONNREFUSED). Look at DATABASE_URL, and whether it runs.\n",
    });
    expect(bare).toEqual({
      status: 1,
      stdout: "",
      stderr: "This database has no leads tables yet. Start the server once on it with: npm start\n",
    });
    expect(none).toEqual({
      status: 1,
      stdout: "",
      stderr: `There is no database in ${join(folder, "data")} yet. Start the server once with: npm start\nIf the leads are elsewhere, set DATA_DIR or DATABASE_URL.\n`,
    });
  });

  it("exits quietly when its reader closes the pipe", async () => {
    const child = startLeads(["list"], { DATABASE_URL: url });
    child.stdout?.destroy();
    expect(await waitForExit(child)).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("the leads command, when its connection is lost in the middle", () => {
  it.each(["list", "export --format csv", "export --permission --format json", "backup /tmp/never"])(
    "exits with 1 and a sentence: %s",
    async (words) => {
      const proxy = await startTcpProxy(url);
      onTestFinished(proxy.close);
      const ran = await owner.begin(async (sql) => {
        await sql`lock table leads in access exclusive mode`;
        const leaving = waitForExit(startLeads(words.split(" "), { DATABASE_URL: proxy.url }));
        await until(async () => (await sessionsWaitingForLocks(owner, "leads command")).length > 0);
        proxy.hangUp();
        return leaving;
      });
      expect(ran).toEqual({
        status: 1,
        stdout: "",
        stderr: "The connection to the database was lost. See whether it runs, and type it again.\n",
      });
    },
  );
});

describe("leads watch, of a database that stops answering", () => {
  it("says so within some seconds, and goes on when it answers again", async () => {
    const proxy = await startTcpProxy(url);
    onTestFinished(proxy.close);
    const child = startLeads(["watch", "--json"], { DATABASE_URL: proxy.url });
    const ended = waitForExit(child);
    const lines = createInterface(child.stdout as NodeJS.ReadableStream)[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value));
    expect(await next()).toHaveProperty("accepted");
    proxy.stall();
    expect(await next()).toEqual({ ok: false, error: expect.stringMatching(/^[A-Z_a-z]+$/) });
    proxy.recover();
    let seen = await next();
    while (!("accepted" in seen)) seen = await next();
    child.kill("SIGINT");
    expect((await ended).status).toBe(0);
  });
});
