// What deploy/install makes of a machine, and what its removal leaves, tried in a folder that stands for one: the scripts are the real ones; the release is
// small, and what only root may run is a stand-in. A real machine is tried by deploy/trial-machine.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { writeClockProgram } from "./support/clock-program.ts";
import { operatorsFiles, writeManifest } from "./support/machine.ts";
import { mountSmallDisk } from "./support/small-disk.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

let machine: string;
const at = (path: string) => join(machine, path);
const read = (path: string) => readFileSync(at(path), "utf8");

// The stand-ins. They write down what systemd is asked, which user is made, and who is to own a file.
const programs = {
  systemctl: `echo "$*" >> "$LEADS_PREFIX/asked"
case $* in
  *ActiveState*) echo active ;;
  is-enabled*) test -e "$LEADS_PREFIX/enabled" ;;
  enable*leads*) touch "$LEADS_PREFIX/enabled" ;;
esac`,
  // Root calls, and the machine has no user leads yet.
  id: "[ $1 = -u ] && echo 0",
  useradd: 'echo "useradd $*" >> "$LEADS_PREFIX/asked"',
  install:
    'echo "install $*" >> "$LEADS_PREFIX/asked"; for word; do case $word in -*) ;; *) mkdir -p "$word" ;; esac; done',
  chown: 'echo "chown $*" >> "$LEADS_PREFIX/asked"',
  caddy: "",
};

/** The Caddyfile of Debian's package, which shows a page of Caddy's. */
const debiansPage = ":80 {\n\troot * /usr/share/caddy\n\n\t# A file server.\n\tfile_server\n}\n";

// The release's Node says the version, and finds every server ready.
const node = '#!/bin/sh\n[ "$1" = -e ] || cat "$(dirname "$(dirname "$0")")/VERSION"\n';

beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), "leads-installing-"));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  for (const folder of ["run/systemd/system", "etc/caddy", "bin", "release/runtime"])
    mkdirSync(at(folder), { recursive: true });
  for (const [name, text] of Object.entries(programs))
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  writeFileSync(at("etc/caddy/Caddyfile"), debiansPage);
  for (const name of ["deploy", ".env.example"])
    cpSync(join(root, name), at(`release/${name}`), { recursive: true });
  writeFileSync(at("release/VERSION"), "1.0.0\n");
  writeFileSync(at("release/POSTGRESQL"), "18\n");
  writeFileSync(at("release/runtime/node"), node, { mode: 0o755 });
  writeManifest(at("release"));
});

/** Runs a script of the release with these words, and returns its exit status and what it said. */
const type = (script: string, ...words: string[]) => typeAndAnswer("", script, ...words);

/** The same, and answers the script's question with `input`. */
function typeAndAnswer(
  input: string,
  script: string,
  ...words: string[]
): { status: number | null; said: string } {
  const env = { PATH: `${at("bin")}:${process.env.PATH}`, LEADS_PREFIX: machine };
  const { status, stdout, stderr } = spawnSync("sh", [at(`release/deploy/${script}`), ...words], {
    env,
    encoding: "utf8",
    input,
  });
  return { status, said: stdout + stderr };
}

/** What the stand-ins have written down. */
const recorded = () => (existsSync(at("asked")) ? read("asked") : "");
const startCommand = "enable --quiet --now leads.socket leads.service leads-status.timer";

describe("an installation", () => {
  it("starts the server once, and prints the first steps", () => {
    expect(type("install")).toMatchObject({ status: 0, said: expect.stringContaining("First steps:") });
    expect(type("install").said).toContain("in force already");
    expect(recorded().split(startCommand)).toHaveLength(2);
  });

  it("writes settings, a data folder and a backup folder that no other user of the machine can read, and keeps the settings that are there", () => {
    expect(type("install", "--site", "www.maple.example").status).toBe(0);
    const written = read("etc/leads/settings.env");
    for (const line of [
      "TRUST_PROXY=loopback",
      "SITE_URL=https://www.maple.example",
      "DATA_DIR=/var/lib/leads/data",
      "BACKUP_DIR=/var/backups/leads",
    ])
      expect(written.split("\n")).toContain(line);
    expect(statSync(at("etc/leads/settings.env")).mode & 0o777).toBe(0o640);
    expect(recorded()).toMatch(/^chown root:leads .*settings\.env/m);
    expect(recorded()).toMatch(/^useradd --system .* leads$/m);
    const [data, backups] = [at("var/lib/leads"), at("var/backups/leads")];
    expect(recorded()).toContain(`--mode=700 --owner=leads --group=leads ${data} ${backups}\n`);
    expect(readlinkSync(at("usr/local/bin/leads"))).toBe("/opt/leads/current/deploy/leads");
    expect(type("install", "--site", "www.oak.example").status).toBe(0);
    expect(read("etc/leads/settings.env")).toBe(written);
  });

  it.each([
    ["root", [], () => writeFileSync(at("bin/id"), "#!/bin/sh\necho 1000\n")],
    ["a clone", [], () => rmSync(at("release/MANIFEST"))],
    ["systemd", [], () => rmSync(at("run"), { recursive: true })],
    ["another processor", [], () => writeFileSync(at("release/runtime/node"), "#!/bin/sh\nexit 1\n")],
    ["--caddy needs", ["--caddy"]],
    ["--site takes", ["--site", "https://www.maple.example"]],
    ["no option --sit", ["--sit", "www.maple.example"]],
  ])("makes nothing where it can only fail, and says why: %s", (why, words, prepare = () => {}) => {
    prepare();
    const { status, said } = type("install", ...words);
    expect([status, said]).toEqual([1, expect.stringContaining(why)]);
    expect([recorded(), existsSync(at("opt")), existsSync(at("etc/leads"))]).toEqual(["", false, false]);
  });

  it("starts the server when it is typed again after it was broken off before the start", () => {
    mkdirSync(at("opt/leads/releases"), { recursive: true });
    expect(type("releases", "first", at("release")).status).toBe(0);
    expect(recorded()).not.toContain("--now");
    expect(type("install")).toMatchObject({ status: 0, said: expect.stringContaining("First steps:") });
    expect(recorded()).toContain(startCommand);
  });

  it("puts Caddy in front, also when that is asked for later, and gives the server the site's name", () => {
    type("install");
    expect(recorded()).not.toContain("caddy");
    expect(type("install", "--site", "www.maple.example", "--caddy").status).toBe(0);
    expect(read("etc/caddy/Caddyfile")).toContain("www.maple.example");
    expect(read("etc/caddy/Caddyfile.before-leads")).toBe(debiansPage);
    expect(read("etc/leads/settings.env")).toContain("\nSITE_URL=https://www.maple.example\n");
    expect(recorded()).toContain("try-restart leads.service\n");
    expect(recorded()).toContain("restart caddy\n");
  });

  it.each([
    ["a proxy", "www.oak.example {\n  reverse_proxy localhost:8080\n}\n"],
    ["files", "shop.example {\n\troot * /srv/shop\n\tfile_server\n}\n"],
  ])(
    "leaves a Caddyfile alone that somebody wrote, and does not say that our site can be reached: %s",
    (_, caddyfile) => {
      writeFileSync(at("etc/caddy/Caddyfile"), caddyfile);
      const { said } = type("install", "--site", "www.maple.example", "--caddy");
      expect(said).toContain("stays as it is");
      expect(said).not.toContain("from outside");
      expect(read("etc/caddy/Caddyfile")).toBe(caddyfile);
    },
  );

  it("starts Caddy when it is run again, where Caddy did not start before", () => {
    const whereCaddyFails = 'echo "$*" >> "$LEADS_PREFIX/asked"; [ "$*" != "restart caddy" ]';
    writeFileSync(at("bin/systemctl"), `#!/bin/sh\n${whereCaddyFails}\n`, { mode: 0o755 });
    expect(type("install", "--site", "www.maple.example", "--caddy").said).toContain("Caddy does not start");
    writeFileSync(at("bin/systemctl"), `#!/bin/sh\n${programs.systemctl}\n`, { mode: 0o755 });
    rmSync(at("asked"));
    expect(type("install", "--site", "www.maple.example", "--caddy").status).toBe(0);
    expect(recorded()).toContain("restart caddy\n");
  });

  it.each([
    ["no line for it", "DATA_DIR=/var/lib/leads/data"],
    ["an empty one", "SITE_URL=\nDATA_DIR=/var/lib/leads/data\n"],
    ["one with nothing in its quotes", "SITE_URL=''\nDATA_DIR=/var/lib/leads/data\n"],
  ])("gives the server the site's name where the settings have %s", (_, settings) => {
    mkdirSync(at("etc/leads"), { recursive: true });
    writeFileSync(at("etc/leads/settings.env"), settings);
    expect(type("install", "--site", "www.maple.example").status).toBe(0);
    const lines = read("etc/leads/settings.env").split("\n").filter(Boolean).toSorted();
    expect(lines).toEqual(["DATA_DIR=/var/lib/leads/data", "SITE_URL=https://www.maple.example"]);
  });

  it("makes the files readable for the server's user where the release was unpacked for one user alone", () => {
    execFileSync("chmod", ["-R", "go=", at("release")]);
    expect(type("install").status).toBe(0);
    const modes = ["VERSION", "runtime/node", "deploy"].map(
      (name) => statSync(at(`opt/leads/releases/1.0.0/${name}`)).mode & 0o777,
    );
    expect(modes).toEqual([0o644, 0o755, 0o755]);
  });
});

describe("an installation whose server is never ready", () => {
  it("gives up after a minute, however long each try takes, and says where to look", () => {
    // A server that answers nothing would keep each try until its request times out. Nobody waits for that here: this clock is 31 s later
    // each time it is read.
    const clock = writeClockProgram(at("bin/date"), 31);
    writeFileSync(at("release/runtime/node"), node.replace("[ ", '[ "$1" != -e ] || exit 1\n[ '), {
      mode: 0o755,
    });
    writeManifest(at("release"));
    const { status, said } = type("install");
    expect({ status, said }).toEqual({ status: 1, said: expect.stringContaining("journalctl -u leads") });
    // The clock is read first for the end, which is 31 + 60, and then after each try: the second one, at 93, is past it.
    expect(clock.seconds()).toBe(93);
  });
});

describe("a removal", () => {
  const program = ["opt/leads/current", "usr/local/lib/systemd/system/leads.service"];
  const whatIsThere = () => [...program, ...operatorsFiles].filter((file) => existsSync(at(file)));
  const installAndWork = () => {
    type("install");
    for (const file of operatorsFiles.slice(1)) writeFileSync(at(file), "");
    expect(whatIsThere()).toEqual([...program, ...operatorsFiles]);
  };

  it("is asked for by --remove: --purge alone installs nothing and erases nothing", () => {
    expect(type("install", "--purge")).toMatchObject({ status: 1, said: "--purge goes with --remove.\n" });
    expect(whatIsThere()).toEqual([]);
    installAndWork();
    expect(type("install", "--purge").status).toBe(1);
    expect(whatIsThere()).toEqual([...program, ...operatorsFiles]);
  });

  it("by the script that installed stops the server, and keeps leads, settings and backups", () => {
    installAndWork();
    expect(type("install", "--remove").status).toBe(0);
    expect(whatIsThere()).toEqual(operatorsFiles);
    expect(recorded()).toContain("disable --now leads.socket leads.service leads-status.timer\n");
  });

  it("with --purge erases them after the word erase is typed", () => {
    installAndWork();
    expect(typeAndAnswer("yes\n", "install", "--remove", "--purge").status).toBe(1);
    expect(whatIsThere()).toEqual([...program, ...operatorsFiles]);
    expect(typeAndAnswer("erase\n", "install", "--remove", "--purge").status).toBe(0);
    expect(whatIsThere()).toEqual([]);
  });
});

describe("a removal with all that was kept", () => {
  it("erases backups on another disk, too", () => {
    mkdirSync(at("disk"));
    mkdirSync(at("var/backups"), { recursive: true });
    symlinkSync(at("disk"), at("var/backups/leads"));
    type("install");
    writeFileSync(at("disk/one.backup"), "");
    expect(type("releases", "remove", "--purge", "--yes").status).toBe(0);
    expect(readdirSync(at("disk"))).toEqual([]);
    expect(readdirSync(at("var/backups"))).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)(
    "erases also the data on a disk of its own, and leaves that disk",
    () => {
      type("install");
      const disk = mountSmallDisk(1);
      onTestFinished(disk.remove);
      const data = at("var/lib/leads/data");
      mkdirSync(data);
      execFileSync("mount", ["--bind", disk.folder, data]);
      onTestFinished(() => void execFileSync("umount", ["--lazy", data]));
      mkdirSync(join(data, "postgresql"));
      writeFileSync(join(data, "postgresql/PG_VERSION"), "18\n");
      expect(type("releases", "remove", "--purge", "--yes").status).toBe(0);
      expect(readdirSync(at("var/lib/leads"))).toEqual(["data"]);
      expect(readdirSync(data)).toEqual([]);
      for (const folder of ["etc/leads", "var/backups/leads"]) expect(existsSync(at(folder))).toBe(false);
    },
  );
});
