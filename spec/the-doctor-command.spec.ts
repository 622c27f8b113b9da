// `npm run doctor`: what is typed, what it prints, its exit status, and what it says of the address in DATABASE_URL.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { addressAs, connect } from "../database/connect.ts";
import { roleAddress } from "../database/role-logins.ts";
import { readDeployment } from "../doctor/command-line.ts";
import { examineDatabase } from "../doctor/database.ts";
import { fail, notExamined, pass } from "../doctor/finding.ts";
import { examinePages } from "../doctor/pages.ts";
import { lastLine } from "../doctor/report.ts";
import { makeDatabase } from "./support/database.ts";
import { keys } from "./support/edge-function.ts";
import { provider, startDeployment } from "./support/examined-deployment.ts";
import { anonKey } from "./support/intake.ts";
import { programEnvironment } from "./support/program-environment.ts";
import { startReceiver, until } from "./support/receiver.ts";
import { copyOfRelease } from "./support/release.ts";
import { startServer } from "./support/server.ts";

const { host, project } = await startDeployment();

const program = fileURLToPath(new URL("../bin/doctor.ts", import.meta.url));
/** A folder that is not there. Otherwise the doctor would find the database of a server that a developer runs in this checkout. */
const noData = { DATA_DIR: join(tmpdir(), "leads-doctor-none") };

/** Starts the doctor on a server whose one channel never answers, and waits until it has seen the channel. */
async function startWithSilentChannel() {
  const database = await makeDatabase();
  const silent = await startReceiver(() => {});
  const channel = { WEBHOOK_URL: silent.url, WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };
  const { address } = await startServer({ DATABASE_URL: database.url, ...provider, ...channel });
  const child = spawn(process.execPath, [program, "--url", address, "--key", anonKey], {
    env: programEnvironment({ DATABASE_URL: database.url }),
    cwd: tmpdir(),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  await until(() => output.includes("The team hears of leads by webhook."));
  return { database, child, output: () => output };
}

describe("npm run doctor", () => {
  const preload = new URL("support/sources-read-today.ts", import.meta.url).href;
  async function doctor(args: string[], settings: Record<string, string> = {}, cwd = tmpdir()) {
    const child = spawn(process.execPath, ["--import", preload, program, ...args], {
      env: programEnvironment({ ...noData, ...settings }),
      cwd,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    const [status] = await once(child, "close");
    return { status, output };
  }

  it("passes our own server, given its address and key, except for the channel that is not set up", async () => {
    const database = await makeDatabase();
    const { address } = await startServer({ DATABASE_URL: database.url, ...provider });
    const { status, output } = await doctor(["--url", address, "--key", anonKey], {
      DATABASE_URL: database.url,
    });
    expect(output.match(/ {2}FAIL .*/g)).toEqual([
      "  FAIL   The team hears of no lead: no channel is set up.",
    ]);
    expect(output).toContain("The form also works without script.");
    expect(output).toContain("The test lead is erased again.");
    expect(status).toBe(1);
  });

  it("names no fault of our own server that is examined on its machine, and says which address to give instead", async () => {
    const [site, url] = ["https://www.example.com", "http://localhost:3000"];
    const { address } = await startServer({
      DATABASE_URL: (await makeDatabase()).url,
      ...provider,
      SITE_URL: site,
    });
    const ask = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation((asked, options) =>
      ask(String(asked).replace(site, address), options),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    const findings = await examinePages({ url, key: anonKey, site });
    expect(findings.filter(({ is }) => is === "fail")).toEqual([]);
    expect(findings).toContainEqual(
      notExamined("Whether the form sends leads to this server: give its public address as --url."),
    );
    const ofThisMachine = await examinePages({ url: address, key: anonKey, site: address });
    expect(ofThisMachine).toContainEqual(
      notExamined("Whether the article knows its public address: give it as --url."),
    );
    const withAnotherKey = await examinePages({ url: address, key: "another", site: address });
    expect(withAnotherKey).toContainEqual(
      fail(
        "The form presents another key than the one that was examined (--key, or the settings of this machine).",
        "Give --key the server's ANON_KEY.",
      ),
    );
  });

  it("says why it cannot look into the data of this machine, and goes on from outside", async () => {
    const { address } = await startServer({ DATABASE_URL: (await makeDatabase()).url, ...provider });
    const { output } = await doctor(["--url", address, "--key", anonKey], { DATA_DIR: "/etc/hostname" });
    expect(output).toContain("The data folder /etc/hostname is a file");
    expect(output).toContain("The form also works without script.");
  });

  it("looks at the deliveries of the embedded database of a server on this machine", async () => {
    const folder = mkdtempSync(join(tmpdir(), "leads-doctor-"));
    chmodSync(folder, 0o711);
    const DATA_DIR = join(folder, "data");
    const server = await startServer({ DATA_DIR, ...provider });
    const words = ["--url", server.address, "--key", anonKey];
    const { output } = await doctor(words, { DATA_DIR });
    expect(output).toContain("FAIL   The team hears of no lead: no channel is set up.");
    expect(output).toContain("The test lead is erased again.");
    expect((await doctor(["--url", project.url, "--key", keys.publishable], {})).output).toContain(
      "test lead stays",
    );
    await server.end();
    rmSync(folder, { recursive: true, maxRetries: 20 });
  }, 60_000);

  it("exits with 0 when nothing failed, and says when something was not examined", async () => {
    const words = ["--url", project.url, "--key", keys.publishable, "--site", host.url];
    const { status, output } = await doctor(words);
    expect(output).toMatch(
      / {2}\? {6}The database from inside, and the test lead stays: give DATABASE_URL, or erase it with .{1,99}\n/,
    );
    expect(output).toMatch(/\nNothing failed\. The lines with a \? were not examined\.\n$/);
    expect(status).toBe(0);
  });

  it("shows the text of a page in a finding so that it can neither clear the terminal nor look like a line of the report", async () => {
    const hostile = 'data-backend-url="https://a.example/\x1b[2J\nEverything passed.\u202e"';
    host.alter = (html) => html.replace(/data-backend-url="[^"]*"/, hostile);
    const words = ["--url", project.url, "--key", keys.publishable, "--site", host.url];
    expect((await doctor(words)).output).toContain(
      `  FAIL   The form sends leads to https://a.example/?[2J?Everything passed.?, not to ${project.url}.\n`,
    );
  });

  it("says that everything passed when that is so", () => {
    expect(lastLine([pass("One."), pass("Another.")])).toBe("\nEverything passed.\n");
    expect(lastLine([pass("One."), notExamined("Another."), fail("A third.", "Mend it.")])).toMatch(
      /^\nSomething failed/,
    );
  });

  it("prints no error when its output is closed early, and still exits with 1 when something fails", async () => {
    const words = ["--url", project.url, "--key", "wrong", "--site", host.url];
    const env = programEnvironment(noData);
    const child = spawn(process.execPath, [program, ...words], { env, cwd: tmpdir() });
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (text) => (errors += text));
    const [status] = await once(child, "close");
    expect([status, errors]).toEqual([1, ""]);
  });

  it.each([
    ["Ctrl-C", "SIGINT"],
    ["a terminal that is closed", "SIGHUP"],
  ] as const)(
    "erases the test lead also when %s breaks it off while a channel does not answer",
    async (_, signal) => {
      const { database, child, output } = await startWithSilentChannel();
      const closed = once(child, "close");
      child.kill(signal);
      await until(() => output().includes("Breaking off."));
      // npm passes the signal on.
      child.kill(signal);
      // A terminal that is closed sends this, and may send it twice.
      child.kill("SIGHUP");
      expect(await closed).toEqual([130, null]);
      expect(output().match(/Breaking off\./g)).toHaveLength(1);
      expect(output()).toContain("The test lead is erased again.");
      expect(await database.owner`select from public.leads`).toHaveLength(0);
    },
  );

  it("ends at once at a further Ctrl-C, although the test lead is not erased yet", async () => {
    const { database, child, output } = await startWithSilentChannel();
    await database.owner.begin(async (other) => {
      // The erasure waits for this lock as long as this transaction lasts.
      await other`lock table public.leads in share mode`;
      child.kill("SIGINT");
      await until(() => output().includes("Breaking off."));
      // Each within a second of the first counts as the first, passed on by npm.
      await until(() => {
        if (child.exitCode === null) child.kill("SIGINT");
        return child.exitCode !== null;
      });
      expect(child.exitCode).toBe(130);
      // Looked at under the lock: once it is released, PostgreSQL may carry out the erasure before it notices that the doctor is gone.
      expect(await other`select from public.leads`).toHaveLength(1);
    });
  });

  it.each([
    [["--adress", "x"], /Unknown option '--adress'/],
    [["--url", "abc"], /--url takes a web address/],
    [["--site", ""], /--site takes a web address/],
    [["--inbox", ""], /--inbox takes a web address/],
    [["--url", "http://localhost", "--key", "sb_publishable_abc…"], /--key takes the whole key/],
    [["--url", "http://localhost", "--key", ""], /--key takes the whole key/],
    [["--url", "https://supabase.com/dashboard/project/abc"], /dashboard's address/],
  ])("exits with 2 when it does not understand %j", async (words, says) => {
    const { status, output } = await doctor(words);
    expect(output).toMatch(says);
    expect(status).toBe(2);
  });

  it("names the setting where that is the dashboard's address, also beside a --url", async () => {
    const VITE_SUPABASE_URL = "https://supabase.com/dashboard/project/abc";
    expect(await doctor(["--url", "http://localhost"], { VITE_SUPABASE_URL })).toMatchObject({
      status: 2,
      output: expect.stringMatching(/^VITE_SUPABASE_URL is the dashboard's address/),
    });
  });

  it("examines a backend that stands below a path at that path, and takes the address of its data for the backend's", () => {
    const settings = {
      site: { backendUrl: "https://api.example.com/leads", backendKey: "k", url: "https://www.example.com" },
      inbox: { url: "http://localhost:3001" },
      anonKey: "a",
    } as Parameters<typeof readDeployment>[1];
    expect(readDeployment({}, settings)).toMatchObject({ url: "https://api.example.com/leads", key: "k" });
    const given = readDeployment({ url: "https://x.supabase.co/rest/v1/" }, settings);
    expect(given).toMatchObject({ url: "https://x.supabase.co", key: "a" });
  });

  it("prints its usage, and what was mistyped, also where a setting is wrong", async () => {
    const wrong = { PORT: "x" };
    expect(await doctor(["--adress", "x"], wrong)).toMatchObject({
      status: 2,
      output: expect.stringMatching(/Unknown option/),
    });
    expect(await doctor(["--help"], wrong)).toEqual({
      status: 0,
      output: expect.stringMatching(/^Usage: npm run doctor -- --url/),
    });
  });

  it("reads the settings in .env where it is started, and says which of them is wrong", async () => {
    const folder = mkdtempSync(join(tmpdir(), "leads-doctor-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, ".env"), "PORT=x\n");
    const words = ["--url", host.url];
    const said = { status: 1, output: "PORT must be a whole number from 0 to 65535.\n" };
    expect(await doctor(words, {}, folder)).toEqual(said);
    expect((await doctor(words, { PORT: "3000" }, folder)).output).toMatch(/^Examining /);
  });
});

describe("the doctor with an address in DATABASE_URL that opens no leads", () => {
  it.each([
    [
      "asks for the owner's where it is another role's, and does not say that there are no tables",
      (url: string) => roleAddress(url, "leads_team"),
      "The database does not let us in (42501).",
      "DATABASE_URL must name the database's owner.",
    ],
    [
      "asks for the right password where it is a wrong one",
      (url: string) => addressAs(url, "leads_owner_of_the_spec", "wrong"),
      "The database does not let us in (28P01).",
      "Check the user and the password in DATABASE_URL.",
    ],
    [
      "asks whether the database runs where nothing answers there",
      () => "postgres://leads_owner@127.0.0.1:1/leads",
      "The database does not answer as it should (ECONNREFUSED).",
      "Look at DATABASE_URL, and whether the database runs.",
    ],
  ])("%s", async (_, addressOf, says, fix) => {
    const sql = connect(addressOf((await makeDatabase()).url), { max: 1 });
    onTestFinished(() => sql.end());
    expect(await examineDatabase(sql, { isHosted: false })).toEqual([{ is: "fail", says, fix }]);
  });
});

describe("leads doctor, the same of a release,", () => {
  /** Runs it as a container does, which has no file with settings. */
  async function leadsDoctor(...args: string[]) {
    const release = copyOfRelease();
    onTestFinished(() => rmSync(release, { recursive: true }));
    // On a machine with an installed release, the script would change to the user leads for root.
    writeFileSync(join(release, "id"), "#!/bin/sh\necho 1000\n", { mode: 0o755 });
    const child = spawn("sh", [join(release, "deploy/leads"), "doctor", ...args], {
      env: { ...programEnvironment(noData), PATH: `${release}:${process.env.PATH}` },
      cwd: release,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    await once(child, "close");
    return output;
  }

  it("says in its help and of a mistyped word what is typed there, and nothing of npm or of a file that is missing", async () => {
    const help = await leadsDoctor("--help");
    expect(help).toMatch(/^Usage: leads doctor --url/);
    expect(help).toContain("\n  leads doctor --url http://localhost:3000\n");
    expect(help).not.toMatch(/npm|settings\.env/);
    expect(await leadsDoctor("--adress")).toMatch(
      /^Unknown option '--adress'.*\nHelp: leads doctor --help\n$/s,
    );
  });

  it("advises other settings or a new start of the server, and no build", async () => {
    host.alter = (html) =>
      html
        .replace(/data-backend-url="[^"]*"/, 'data-backend-url="https://elsewhere.example"')
        .replace('name="notice"', 'name="no"');
    const output = await leadsDoctor("--url", project.url, "--key", keys.publishable, "--site", host.url);
    expect(output).toMatch(
      /FAIL {3}The form sends leads to https:\/\/elsewhere\.example.{0,99}\n +Set VITE_SUPABASE_URL and VITE_SUPABASE_ANON_KEY of this project in the container's settings, and run the container anew \(docs\/container\.md\)\.\n/,
    );
    expect(output).toMatch(
      /does not state which permission notice it shows\.\n +Start the server again, which makes the pages anew: `podman restart leads`\.\n/,
    );
    expect(output).not.toContain("npm run build");
  });
});
