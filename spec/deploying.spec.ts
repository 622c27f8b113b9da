// What an operator copies out of deploy/ and docs/, run as the machine would run it, and what a release is made of.
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeDatabase } from "./support/database.ts";
import { leads, startLeads, waitForExit } from "./support/leads-command.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
/** The names of the product's settings. */
const ourSettings = new Set([...read(".env.example").matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name));

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "leads-deploying-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const trackedFiles = () =>
  execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");

/** The names in a list of deploy/build-release. */
function namesInBuild(list: "modules" | "files"): string[] {
  return new RegExp(`^${list}="(.*)"$`, "m").exec(read("deploy/build-release"))?.[1]?.split(" ") ?? [];
}

describe("the container's health check", () => {
  const [, words = ""] =
    /^HEALTHCHECK [^[]{0,200}CMD (\[[^[\]]*\])/m.exec(read("deploy/Containerfile")) ?? [];
  const [program = "", ...args] = JSON.parse(words.replace("\\\n", "")) as string[];

  async function check(answer: Parameters<typeof createServer>[1]): Promise<number | null> {
    const server = createServer(answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const PORT = String((server.address() as AddressInfo).port);
    const child = spawn(program === "node" ? process.execPath : program, args, { env: { PORT } });
    const [status] = await once(child, "exit");
    return status;
  }

  it("passes when the server answers, and fails when it answers that it is not well", async () => {
    expect(await check((_, response) => response.end("ok"))).toBe(0);
    expect(await check((_, response) => response.writeHead(500).end())).toBe(1);
  });

  it("ends by itself: it fails when no answer comes, and passes when at least the start of a good answer comes", async () => {
    expect(await check(() => {})).toBe(1);
    expect(await check((_, response) => response.flushHeaders())).toBe(0);
  });
});

describe("the nightly backup that docs/backup.md tells cron to make", () => {
  const [, line = ""] = /^ {4}(\d{1,2} \d{1,2} \* \* \* .*)$/m.exec(read("docs/backup.md")) ?? [];

  it("gets the day as its name, and the log gets what the command says, also when that day has its backup already", async () => {
    const [user, ...words] = line.split(" ").slice(5);
    const command = words.join(" ");
    expect(user).toBe("leads");
    // A % that stands alone ends the command in cron, and `\%` is one of its characters.
    expect(command.replaceAll("\\%", "")).not.toContain("%");
    const folder = temporaryFolder();
    const logged = join(folder, "logged");
    writeFileSync(join(folder, "logger"), `#!/bin/sh\ncat > ${logged}\n`, { mode: 0o755 });
    // Always the same day, because midnight may come between the two runs.
    const date = `#!/bin/sh\nPATH="\${PATH#*:}"\nexec date -d "2026-02-28 23:59" "$@"\n`;
    writeFileSync(join(folder, "date"), date, { mode: 0o755 });
    const { url } = await makeDatabase();
    const asHere = command
      .replaceAll("\\%", "%")
      .replace("/usr/local/bin/leads", `${process.execPath} ${join(root, "bin/leads.ts")}`)
      .replace("/var/backups/leads", folder);
    // The environment that cron gives, with the logger and the date from above, this machine's programs and a database of the test.
    const env = { HOME: folder, SHELL: "/bin/sh", PATH: `${folder}:${process.env.PATH}`, DATABASE_URL: url };
    // cron starts it in the user's home folder, where no .env of a developer is.
    const asCron = { env, cwd: folder };
    await promisify(execFile)("/bin/sh", ["-c", asHere], asCron);
    const file = join(folder, "2026-02-28.backup");
    expect(readFileSync(logged, "utf8")).toContain(`Backed up 0 leads and 0 deliveries to ${file}`);
    await promisify(execFile)("/bin/sh", ["-c", asHere], asCron);
    expect(readFileSync(logged, "utf8")).toMatch(/there already|exists/);
  });
});

describe("the way back from a loss, as docs/deploy-server.md shows it,", () => {
  it("takes the newest finished backup, from a folder that only root may read", () => {
    const [, shown = ""] = read("docs/deploy-server.md").split('sudo leads restore "$(');
    const [newest = ""] = shown.split(')" &&');
    const folder = temporaryFolder();
    const [hidden, named] = [join(folder, "hidden"), join(folder, "named")];
    mkdirSync(hidden);
    const backups = ["before-an-update", "leads-2026-11-21T000000.000Z", "leads-2026-11-20T000000.000Z"];
    for (const [nth, name] of backups.entries()) {
      writeFileSync(join(hidden, `${name}.backup`), "");
      utimesSync(join(hidden, `${name}.backup`), nth % 2, nth % 2);
    }
    writeFileSync(join(hidden, `leads-2026-11-22T000000.000Z.backup.unfinished-leads-backup-7`), "");
    const sudo = `#!/bin/sh\nln -s ${hidden} ${named}\n"$@"\nrm ${named}\n`;
    writeFileSync(join(folder, "sudo"), sudo, { mode: 0o755 });
    const asHere = newest.replaceAll("/var/backups/leads", named);
    const { stdout } = spawnSync("sh", ["-c", asHere], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: "utf8",
    });
    expect(stdout).toBe(`${named}/leads-2026-11-21T000000.000Z.backup\n`);
  });
});

describe("the container's settings", () => {
  const composeFiles = ["compose.yaml", "compose.postgres.yaml", "compose.caddy.yaml"];

  /** The names that a compose file sets in the environment of a service. */
  function settingsOf(service: string, file: string): string[] {
    const [, after = ""] = read(`deploy/${file}`).split(`\n  ${service}:\n`);
    const [own = ""] = after.split(/\n {2}[a-z]+:\n/);
    const [, environment = ""] = own.split("\n    environment:\n");
    const [lines = ""] = environment.split(/\n {4}[a-z]/);
    return [...lines.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name as string);
  }

  const settingsOfPrograms = ["PATH", "NODE_ENV", "MALLOC_ARENA_MAX"];

  it("have the names of .env.example", () => {
    const [, line = ""] = /^ENV (.*)$/m.exec(read("deploy/Containerfile")) ?? [];
    const inImage = line.split(" ").map((setting) => setting.split("=")[0]);
    const inCompose = composeFiles.flatMap((file) => settingsOf("leads", file));
    expect(inCompose.length).toBeGreaterThan(5);
    for (const name of [...inImage, ...inCompose].filter((name) => !settingsOfPrograms.includes(name ?? "")))
      expect(ourSettings).toContain(name);
  });

  it("for Caddy are those that the Caddyfile reads", () => {
    const names = [...read("deploy/Caddyfile").matchAll(/\{\$([A-Z_]+):/g)].map(([, name]) => name);
    expect(settingsOf("caddy", "compose.caddy.yaml")).toEqual(names);
  });
});

describe("the systemd units", () => {
  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
  const units = readdirSync(join(root, "deploy")).filter((name) => /\.(service|socket|timer)$/.test(name));

  it.runIf(hasSystemd)("are understood by systemd to the last line", () => {
    const folder = temporaryFolder();
    for (const name of units) {
      // systemd looks whether the programs are there.
      const unit = read(`deploy/${name}`)
        .replaceAll("/opt/leads/current/runtime/node", process.execPath)
        .replaceAll("/opt/leads/current/", root);
      writeFileSync(join(folder, name), unit);
    }
    const paths = units.map((name) => join(folder, name));
    const { stderr, status } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], {
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
      encoding: "utf8",
    });
    expect(stderr.split("\n").filter((line) => line.includes("leads"))).toEqual([]);
    expect(status).toBe(0);
  });

  it("start a program of the installed release, with the settings file that the installation writes", () => {
    const install = read("deploy/install");
    for (const name of units.filter((unit) => unit.endsWith(".service"))) {
      const [, command = ""] = /^ExecStart=(.*)$/m.exec(read(`deploy/${name}`)) ?? [];
      const [program = "", ...words] = command.split(" ");
      expect(program).toMatch(/^\/opt\/leads\/current\/(runtime\/node|deploy\/leads)$/);
      // deploy/leads starts a command, which reads the file itself.
      const file = program.endsWith("/node")
        ? words.find((word) => word.startsWith("--env-file"))?.split("=")[1]
        : /^settings=(.*)$/m.exec(read("deploy/leads"))?.[1];
      expect(file).toMatch(/^\/etc\//);
      expect(install).toContain(`settings=$prefix${file}\n`);
    }
    expect(read("deploy/build-release")).toContain("runtime/node");
  });

  it.each([
    ["runs", "while the server runs", "echo active"],
    ["runs", "while the server fails and is started again and again", "echo activating; exit 3"],
    ["runs", "where systemd cannot be asked", "exit 1"],
    ["is skipped, which is no failure,", "while the server is stopped on purpose", "echo inactive; exit 3"],
  ])("check each hour whether leads reach the team: this %s %s", (runs, _, answer) => {
    expect(read("deploy/leads-status.timer")).toContain("\nOnCalendar=hourly\n");
    const unit = read("deploy/leads-status.service");
    // A missing dependency of another kind fails the unit, and starts what its OnFailure= names.
    expect(unit).not.toMatch(/^(Requisite|Requires|BindsTo|Assert\w+)=/m);
    const [, program = "", words = ""] = /^ExecCondition=(\S+) -c '(.*)'$/m.exec(unit) ?? [];
    const folder = temporaryFolder();
    writeFileSync(join(folder, "systemctl"), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    const { status } = spawnSync(program, ["-c", words.replaceAll("$$", "$")], { env });
    // 1 to 254 skip the unit (systemd.service(5), ExecCondition=).
    expect(status).toBe(runs === "runs" ? 0 : 1);
  });

  it("are all named where the program is removed", () => {
    const removal = read("deploy/releases");
    for (const name of units) expect(removal).toContain(`"$units"/${name}`);
  });
});

describe("the settings that the installation writes", () => {
  it("are lines of .env.example, which it uncomments", () => {
    const names = [...read("deploy/install").matchAll(/s\|\^#([A-Z_]+)=/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) expect(ourSettings).toContain(name);
  });
});

/** Files of a clone that hold secrets or leads, where an operator may have put them. */
const secretFiles = [
  ".env",
  ".env.supabase",
  "data/leads.txt",
  "deploy/.env",
  "deploy/.env.old",
  "deploy/cluster/.env",
  "deploy/data/leads.txt",
  "deploy/leads.backup",
  "deploy/site.key",
  "deploy/site.pem",
  "supabase/.temp/pooler-url",
  "supabase/functions/.env",
];

describe("the files that an image is built from", () => {
  it("are all files of the program, and none that holds secrets or leads", () => {
    const folder = temporaryFolder();
    const git = (args: string[], input = "") =>
      spawnSync("git", args, { cwd: folder, encoding: "utf8", input }).stdout;
    git(["init", "--quiet"]);
    // A line of .dockerignore means what the same line with a slash before it means to git.
    const rules = read(".dockerignore").replace(/^(!?)(?=[^#\n])/gm, "$1/");
    writeFileSync(join(folder, ".gitignore"), rules);
    const modules = namesInBuild("modules").concat(namesInBuild("files"));
    const needed = trackedFiles().filter((path) => modules.includes(path.split("/")[0] as string));
    const asked = [...secretFiles, ...needed].join("\n");
    const leftOut = git(["check-ignore", "--no-index", "--stdin"], asked).trim().split("\n");
    expect(leftOut).toEqual(secretFiles);
  });
});

describe("a release", () => {
  it("holds no settings, backups, keys or leads that lie in the folders of the program", () => {
    const folder = temporaryFolder();
    const write = (path: string, content: string, mode = 0o644) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), content, { mode });
    };
    for (const path of [...secretFiles, ".env.example", "deploy/compose.yaml"]) write(path, "");
    write("package.json", read("package.json"));
    write("deploy/build-release", read("deploy/build-release"), 0o755);
    // Stands for npm, which is started when the program is copied: lists what is there, and ends the build.
    write("bin-of-test/npm", `#!/bin/sh\nfind . -type f | LC_ALL=C sort > ${folder}/copied\nexit 1\n`, 0o755);
    const env = { PATH: `${folder}/bin-of-test:${process.env.PATH}` };
    spawnSync(join(folder, "deploy/build-release"), { env });
    const copied = ["./.env.example", "./deploy/build-release", "./deploy/compose.yaml", "./package.json"];
    expect(readFileSync(join(folder, "copied"), "utf8").trim().split("\n")).toEqual(copied);
  });

  it("is made of every module that the program has, and of no test or measurement", () => {
    const modules = namesInBuild("modules");
    const inFolders = trackedFiles().filter((path) => /^[^.][^/]*\//.test(path));
    const folders = new Set(inFolders.map((path) => path.split("/")[0] as string));
    for (const name of ["bench", "check", "spec"]) folders.delete(name);
    expect(modules).toEqual(expect.arrayContaining([...folders].sort()));
    for (const name of ["bench", "check", "spec", "data"]) expect(modules).not.toContain(name);
  });

  it("has a version that the command prints and that the changelog tells of", async () => {
    const { version } = JSON.parse(read("package.json"));
    const printed = { status: 0, stdout: `${version}\n`, stderr: "" };
    expect(await waitForExit(startLeads(["--version"], {}))).toEqual(printed);
    expect(read("CHANGELOG.md")).toContain(`\n## ${version}\n`);
  });
});

describe("the command of a release that was rolled back to", () => {
  it("works on the tables that the newer release has brought up to date", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into supabase_migrations.schema_migrations (version, name) values ('29990101000000', 'later')`;
    expect(await leads(url, "list")).toMatchObject({ status: 0, stderr: "No leads.\n" });
  });

  it("refuses, in a sentence, tables that the newer release has made unfit for it", async () => {
    const { url, owner } = await makeDatabase();
    await owner`insert into supabase_migrations.schema_migrations (version, name, statements) values ('29990101000000', 'later',
      array['-- Older programs do not work on these tables.', 'alter table leads drop column name'])`;
    const refused = await leads(url, "list");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^A newer release has changed the tables \(migration 29990101000000\) .* Put the newer release in force again/,
    );
  });
});

describe("the scripts of deploy/", () => {
  const scripts = readdirSync(join(root, "deploy"), { withFileTypes: true })
    .filter((entry) => entry.isFile() && read(`deploy/${entry.name}`).startsWith("#!"))
    .map(({ name }) => name);

  it.each(scripts)("%s is understood by its shell to the end, and may be run", (name) => {
    const [interpreter = ""] = read(`deploy/${name}`).slice(2).split("\n");
    const shell = interpreter.split("/").at(-1) as string;
    const script = join(root, "deploy", name);
    const { status, stderr } = spawnSync(shell, ["-n", script], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(() => execFileSync("test", ["-x", script])).not.toThrow();
  });
});
