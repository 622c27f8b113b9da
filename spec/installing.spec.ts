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
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { mountSmallDisk } from "./support/small-disk.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

let machine: string;
const at = (path: string) => join(machine, path);
const read = (path: string) => readFileSync(at(path), "utf8");

// The stand-ins. What is asked of systemd is written down.
const programs = {
  systemctl: `echo "$*" >> "$LEADS_PREFIX/asked"
case $* in
  *ActiveState*) echo active ;;
  is-enabled*) test -e "$LEADS_PREFIX/enabled" ;;
  enable*leads*) touch "$LEADS_PREFIX/enabled" ;;
esac`,
  id: "echo 0",
  install: 'for word; do case $word in -*) ;; *) mkdir -p "$word" ;; esac; done',
  chown: "",
  caddy: "",
};

// The release's Node says the version, and finds every server ready.
const node = '#!/bin/sh\n[ "$1" = -e ] || cat "$(dirname "$(dirname "$0")")/VERSION"\n';

beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), "leads-installing-"));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  for (const folder of ["run/systemd/system", "etc/caddy", "bin", "release/runtime"])
    mkdirSync(at(folder), { recursive: true });
  for (const [name, text] of Object.entries(programs))
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  writeFileSync(at("etc/caddy/Caddyfile"), ":80 {\n}\n");
  for (const name of ["deploy", ".env.example"])
    cpSync(join(root, name), at(`release/${name}`), { recursive: true });
  writeFileSync(at("release/VERSION"), "1.0.0\n");
  writeFileSync(at("release/POSTGRESQL"), "18\n");
  writeFileSync(at("release/runtime/node"), node, { mode: 0o755 });
  execFileSync("sh", ["-c", "find . -type f ! -name MANIFEST -exec sha256sum {} + > MANIFEST"], {
    cwd: at("release"),
  });
});

/** Runs a script of the release with these words, and returns its exit status and what it said. */
function type(script: string, ...words: string[]): { status: number | null; said: string } {
  const env = { PATH: `${at("bin")}:${process.env.PATH}`, LEADS_PREFIX: machine };
  const { status, stdout, stderr } = spawnSync("sh", [at(`release/deploy/${script}`), ...words], {
    env,
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

const asked = () => (existsSync(at("asked")) ? read("asked") : "");
const start = "enable --quiet --now leads.socket leads.service leads-status.timer";

describe("an installation", () => {
  it("starts the server once, and prints the first steps", () => {
    expect(type("install")).toMatchObject({ status: 0, said: expect.stringContaining("First steps:") });
    expect(type("install").said).toContain("in force already");
    expect(asked().split(start)).toHaveLength(2);
  });

  it("that was broken off before it had started the server starts it when it is typed again", () => {
    mkdirSync(at("opt/leads/releases"), { recursive: true });
    expect(type("releases", "first", at("release")).status).toBe(0);
    expect(asked()).not.toContain("--now");
    expect(type("install")).toMatchObject({ status: 0, said: expect.stringContaining("First steps:") });
    expect(asked()).toContain(start);
  });

  it("puts Caddy in front, also when that is asked for later, and gives the server the site's name", () => {
    type("install");
    expect(asked()).not.toContain("caddy");
    expect(type("install", "--site", "www.maple.example", "--caddy").status).toBe(0);
    expect(read("etc/caddy/Caddyfile")).toContain("www.maple.example");
    expect(read("etc/caddy/Caddyfile.before-leads")).toBe(":80 {\n}\n");
    expect(read("etc/leads/settings.env")).toContain("\nSITE_URL=https://www.maple.example\n");
    expect(asked()).toContain("try-restart leads.service\n");
    expect(asked()).toContain("restart caddy\n");
  });

  it.each([
    ["no line for it", "DATA_DIR=/var/lib/leads/data"],
    ["an empty one", "SITE_URL=\nDATA_DIR=/var/lib/leads/data\n"],
  ])("gives the server the site's name where the settings have %s", (_, settings) => {
    mkdirSync(at("etc/leads"), { recursive: true });
    writeFileSync(at("etc/leads/settings.env"), settings);
    expect(type("install", "--site", "www.maple.example").status).toBe(0);
    const lines = read("etc/leads/settings.env").split("\n").filter(Boolean).toSorted();
    expect(lines).toEqual(["DATA_DIR=/var/lib/leads/data", "SITE_URL=https://www.maple.example"]);
  });

  it("of a release that was unpacked for one user alone can be read by the server's user", () => {
    execFileSync("chmod", ["-R", "go=", at("release")]);
    expect(type("install").status).toBe(0);
    const modes = ["VERSION", "runtime/node", "deploy"].map(
      (name) => statSync(at(`opt/leads/releases/1.0.0/${name}`)).mode & 0o777,
    );
    expect(modes).toEqual([0o644, 0o755, 0o755]);
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
