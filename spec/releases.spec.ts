// What an installation does with releases (deploy/releases), tried in a folder that stands for a machine: the scripts are the
// real ones; the releases are small, and systemd is a stand-in. A real machine is tried by deploy/trial-machine.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { until } from "./support/receiver.ts";
import { mountSmallDisk } from "./support/small-disk.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const isRoot = process.getuid?.() === 0;

let machine: string;
const at = (path: string) => join(machine, path);

// A server is "active", and what is asked of systemd is written down.
const systemctl = `#!/bin/sh
echo "$*" >> "$LEADS_PREFIX/asked"
case $* in *ActiveState*) cat "$LEADS_PREFIX/state" ;; esac
`;

// Stands for a release's Node: runs the program, which says its version, and asks the server, which answers where the release is
// a good one.
const node = `#!/bin/sh
here=$(dirname "$(dirname "$0")")
case $* in
  *"team list"*) exec test ! -e "$LEADS_PREFIX/changed-tables" ;;
  *" upgrade") exec test ! -e "$here/upgrades-nothing" ;;
  -e*/readyz) [ ! -e "$here/unready" ] && [ ! -e "$LEADS_PREFIX/database-down" ] || exit 1 ;;
esac
[ "$1" != -e ] || exec test ! -e "$here/broken"
[ ! -e "$here/slow" ] || { touch "$LEADS_PREFIX/under-way"; exec sleep 1000; }
cat "$here/VERSION"
`;

beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), "leads-releases-"));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  for (const folder of ["opt/leads/releases", "etc/leads", "var/lib/leads", "var/backups/leads", "bin"])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("bin/systemctl"), systemctl, { mode: 0o755 });
  writeFileSync(at("state"), "active\n");
  writeFileSync(at("etc/leads/settings.env"), `DATA_DIR=${at("var/lib/leads")}\n`);
});

interface Extras {
  [file: string]: string;
}

/** Packs a release, with further files in it, and returns the path of the archive. */
function pack(version: string, extras: Extras = {}): string {
  const folder = at(`leads-${version}`);
  for (const name of ["deploy", "runtime", "supabase/migrations"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["releases", "leads", "leads.service", "leads.socket"])
    cpSync(join(root, "deploy", name), join(folder, "deploy", name));
  const files = { VERSION: `${version}\n`, POSTGRESQL: "18\n", "runtime/node": node, ...extras };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chmodSync(join(folder, "runtime/node"), 0o755);
  execFileSync("sh", ["-c", "find . -type f ! -name MANIFEST -exec sha256sum {} + > MANIFEST"], {
    cwd: folder,
  });
  const archive = at(`leads-${version}.tar.gz`);
  execFileSync("tar", ["-czf", archive, "-C", machine, `leads-${version}`]);
  return archive;
}

const environment = () => ({
  PATH: `${at("bin")}:${process.env.PATH}`,
  LEADS_PREFIX: machine,
});

/** Types a command of deploy/releases and returns its exit status and what it said. */
function type(...words: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("sh", [join(root, "deploy/releases"), ...words], {
    env: environment(),
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

const inForce = () => readlinkSync(at("opt/leads/current"));
const kept = () => readdirSync(at("opt/leads/releases")).sort();
const asked = () => (existsSync(at("asked")) ? readFileSync(at("asked"), "utf8") : "");

describe("an update", () => {
  it("puts the release in force with a link, restarts the server, and keeps the release before and no older one", () => {
    expect(type("first", pack("1.0.0")).status).toBe(0);
    expect(asked()).not.toContain("restart");
    expect(type("update", pack("1.1.0")).said).toContain("Release 1.1.0 is in force.");
    expect(asked()).toContain("restart leads.service");
    expect(type("update", pack("1.2.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.2.0");
    expect(kept()).toEqual(["1.1.0", "1.2.0"]);
    expect(type("releases").said).toBe("1.1.0  before that: sudo leads rollback\n1.2.0  in force\n");
  });

  it("brings the units of the release", () => {
    type("first", pack("1.0.0"));
    type("update", pack("1.1.0", { "deploy/leads.service": "[Service]\nExecStart=/bin/true\n" }));
    const unit = at("usr/local/lib/systemd/system/leads.service");
    expect(readFileSync(unit, "utf8")).toContain("/bin/true");
    expect(asked()).toContain("daemon-reload");
    type("rollback");
    expect(readFileSync(unit, "utf8")).toBe(read("deploy/leads.service"));
  });

  it.each(["inactive", "failed"])("leaves a server stopped that is stopped: %s", (state) => {
    type("first", pack("1.0.0"));
    writeFileSync(at("state"), `${state}\n`);
    expect(type("update", pack("1.1.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.1.0");
    expect(asked()).not.toContain("restart");
  });

  it("takes an unpacked release too, and does nothing when it is in force already", () => {
    type("first", pack("1.0.0"));
    expect(type("update", at("leads-1.0.0")).said).toContain("in force already");
    expect(asked()).not.toContain("restart");
  });
});

describe("an update of a server whose database is down", () => {
  it("asks the new one only to be alive", () => {
    type("first", pack("1.0.0"));
    writeFileSync(at("database-down"), "");
    expect(type("update", "--wait", "0", pack("1.1.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.1.0");
  });
});

describe("an update that fails half way leaves the release in force as it was", () => {
  const broken: [why: string, make: () => string | string[]][] = [
    [
      "the archive is cut short",
      () => {
        const archive = pack("1.1.0");
        truncateSync(archive, 2_000);
        return archive;
      },
    ],
    [
      "a file of it is missing",
      () => {
        pack("1.1.0", { "serve.ts": "" });
        rmSync(at("leads-1.1.0/serve.ts"));
        return at("leads-1.1.0");
      },
    ],
    [
      "a file of it was changed",
      () => {
        pack("1.1.0", { "serve.ts": "" });
        writeFileSync(at("leads-1.1.0/serve.ts"), "another");
        return at("leads-1.1.0");
      },
    ],
    ["its program does not run here", () => pack("1.1.0", { "runtime/node": "#!/bin/sh\nexit 1\n" })],
    ["it has the version of the release in force and is another", () => pack("1.0.0", { more: "" })],
    ["it names a folder elsewhere", () => pack("1.1.0", { VERSION: "../../elsewhere\n" })],
    [
      "it is no release",
      () => {
        execFileSync("tar", ["-czf", at("other.tar.gz"), "-C", machine, "etc"]);
        return at("other.tar.gz");
      },
    ],
    ["it is not there", () => at("nothing.tar.gz")],
    ...[["10m"], ["soon"], ["09"], [""], []].map((given): [string, () => string[]] => [
      `the time to wait is no number of seconds: ${given}`,
      () => [pack("1.1.0", { broken: "" }), "--wait", ...given],
    ]),
  ];

  it.each(broken)("when %s", (_, make) => {
    type("first", pack("1.0.0"));
    const { status, said } = type("update", ...[make()].flat());
    expect(status).toBe(1);
    expect(said).toContain("Nothing was changed");
    expect(inForce()).toBe("releases/1.0.0");
    expect(kept()).toEqual(["1.0.0"]);
    expect(asked()).not.toContain("restart");
  });

  it.runIf(isRoot)("when the disk is full", () => {
    const disk = mountSmallDisk(2);
    onTestFinished(disk.remove);
    rmSync(at("opt"), { recursive: true });
    execFileSync("ln", ["-s", disk.folder, at("opt")]);
    mkdirSync(at("opt/leads/releases"), { recursive: true });
    type("first", pack("1.0.0"));
    const archive = pack("1.1.0", { large: "x".repeat(3_000_000) });
    const { status, said } = type("update", archive);
    expect(status).toBe(1);
    expect(said).toContain("Nothing was changed");
    expect(said).toContain("takes 3 MB when it is unpacked");
    // The same in an unpacked folder, which is copied until the disk is full.
    expect(type("update", at("leads-1.1.0")).said).toContain("Nothing was changed");
    expect(inForce()).toBe("releases/1.0.0");
    expect(kept()).toEqual(["1.0.0"]);
  });

  it("when it is killed, and the next update removes what it has left", async () => {
    type("first", pack("1.0.0"));
    const child = spawn("sh", [join(root, "deploy/releases"), "update", pack("1.1.0", { slow: "" })], {
      env: environment(),
      detached: true,
      stdio: "ignore",
    });
    await until(() => existsSync(at("under-way")));
    process.kill(-(child.pid as number), "SIGKILL");
    await once(child, "exit");
    expect(inForce()).toBe("releases/1.0.0");
    expect(readdirSync(at("opt/leads/releases"))).toHaveLength(2);
    rmSync(at("leads-1.1.0/slow"));
    expect(type("update", pack("1.1.0")).status).toBe(0);
    expect(kept()).toEqual(["1.0.0", "1.1.0"]);
  });

  it("when another one is under way", () => {
    type("first", pack("1.0.0"));
    const words = ["sh", join(root, "deploy/releases"), "update", pack("1.1.0")];
    const ran = spawnSync("flock", [at("opt/leads/.lock"), ...words], {
      env: environment(),
      encoding: "utf8",
    });
    expect([ran.status, ran.stderr]).toEqual([1, "Another update, rollback or removal is under way.\n"]);
    expect(inForce()).toBe("releases/1.0.0");
  });

  it.each(["broken", "unready"])(
    "when the server is %s with it: the release before is put in force again",
    (file) => {
      type("first", pack("1.0.0"));
      type("update", pack("1.1.0"));
      const { status, said } = type("update", "--wait", "0", pack("1.2.0", { [file]: "" }));
      expect(status).toBe(1);
      expect(said).toContain("Release 1.1.0 is in force again.");
      expect(inForce()).toBe("releases/1.1.0");
      expect(asked().match(/restart leads.service/g)).toHaveLength(3);
      // The way back from the release that runs is the one before it, not the one that failed.
      expect(readlinkSync(at("opt/leads/previous"))).toBe("releases/1.0.0");
    },
  );
});

describe("an update that changes the tables so that older programs do not work on them", () => {
  const breaks = {
    "supabase/migrations/2028_breaks.sql": "-- Older programs do not work on these tables.\n",
    broken: "",
  };

  it("stays in force when it does not become ready, because the release before would refuse to start, and names the way back", () => {
    type("first", pack("1.0.0"));
    writeFileSync(at("changed-tables"), "");
    const { status, said } = type("update", "--wait", "0", pack("2.0.0", breaks));
    expect(status).toBe(1);
    expect(said).toContain("Release 2.0.0 stays in force");
    expect(said).toContain("restore it with release 1.0.0");
    expect(inForce()).toBe("releases/2.0.0");
    expect(readlinkSync(at("opt/leads/previous"))).toBe("releases/1.0.0");
    expect(asked().trim().split("\n").at(-1)).toBe("start leads.socket leads.service");
  });

  it("is put back when it failed before it had changed them", () => {
    type("first", pack("1.0.0"));
    const { status, said } = type("update", "--wait", "0", pack("2.0.0", breaks));
    expect(status).toBe(1);
    expect(said).toContain("Release 1.0.0 is in force again.");
    expect(inForce()).toBe("releases/1.0.0");
    const [, afterStop = ""] = asked().split("stop leads.socket leads.service\n");
    for (const word of ["start leads.socket\n", "restart leads.service\n"]) expect(afterStop).toContain(word);
    expect(type("rollback").said).toContain("There is no release before 1.0.0.");
  });
});

describe("a rollback", () => {
  it("puts the release before in force, and the newer one again when it is typed again", () => {
    type("first", pack("1.0.0"));
    type("update", pack("1.1.0"));
    expect(type("rollback").status).toBe(0);
    expect(inForce()).toBe("releases/1.0.0");
    expect(type("rollback").status).toBe(0);
    expect(inForce()).toBe("releases/1.1.0");
  });

  it("finds a release that was damaged on the disk whole again, once that was brought again", () => {
    type("first", pack("1.0.0", { "serve.ts": "" }));
    type("update", pack("1.1.0"));
    writeFileSync(at("opt/leads/releases/1.0.0/serve.ts"), "another");
    expect(type("update", at("leads-1.0.0.tar.gz")).status).toBe(0);
    expect(readFileSync(at("opt/leads/current/serve.ts"), "utf8")).toBe("");
  });

  it("says so when there is none before", () => {
    type("first", pack("1.0.0"));
    expect(type("rollback")).toEqual({ status: 1, said: "There is no release before 1.0.0.\n" });
  });

  it("changes nothing, and says why, where the release before does not work on the tables of the newer one", () => {
    const adds = { "supabase/migrations/2027_adds.sql": "alter table leads add column note text;\n" };
    const breaks = {
      "supabase/migrations/2028_breaks.sql":
        "-- Parts the name.\n-- Older programs do not work on these tables.\nalter table leads drop column name;\n",
    };
    type("first", pack("1.0.0"));
    type("update", pack("1.1.0", adds));
    expect(type("rollback").status).toBe(0);
    expect(type("rollback").status).toBe(0);
    type("update", pack("2.0.0", { ...adds, ...breaks }));
    const refused = type("rollback");
    expect(refused.status).toBe(1);
    expect(refused.said).toContain(
      "release 2.0.0 has changed the tables so that release 1.1.0 does not work on them (2028_breaks.sql)",
    );
    expect(inForce()).toBe("releases/2.0.0");
    // From there on both releases have it.
    type("update", pack("2.1.0", { ...adds, ...breaks }));
    expect(type("rollback").status).toBe(0);
    expect(inForce()).toBe("releases/2.0.0");
  });
});

describe("a release with another PostgreSQL", () => {
  it("is not put in force on the old data, unless the data is to be brought over", () => {
    mkdirSync(at("var/lib/leads/postgresql"));
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "18\n");
    type("first", pack("1.0.0"));
    const newer = pack("2.0.0", { POSTGRESQL: "19\n" });
    expect(type("update", newer).said).toContain("--upgrade-postgresql");
    expect(inForce()).toBe("releases/1.0.0");
    expect(type("update", "--upgrade-postgresql", newer).status).toBe(0);
    const stopped = asked().indexOf("stop leads.socket leads.service");
    expect(stopped).toBeGreaterThan(0);
    expect(asked().indexOf("start leads.socket leads.service")).toBeGreaterThan(stopped);
    expect(inForce()).toBe("releases/2.0.0");
    // The stand-in for the upgrade has not touched the data.
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "19\n");
    expect(type("rollback").said).toContain("another PostgreSQL");
    expect(inForce()).toBe("releases/2.0.0");
  });

  it("leaves the release in force where the data cannot be brought over, and says so of one that is not ready on it", () => {
    mkdirSync(at("var/lib/leads/postgresql"));
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "18\n");
    type("first", pack("1.0.0"));
    const update = (file: string) =>
      type(
        "update",
        "--wait",
        "0",
        "--upgrade-postgresql",
        pack(`2-${file}`, { POSTGRESQL: "19\n", [file]: "" }),
      );
    expect(update("upgrades-nothing").said).toContain("The data was not brought over, and is as it was.");
    expect(inForce()).toBe("releases/1.0.0");
    expect(asked().trim().split("\n").at(-1)).toBe("start leads.socket leads.service");
    expect(update("unready")).toMatchObject({ status: 1, said: expect.stringContaining("is not ready yet") });
  });

  it("is put in force where the server is the operator's own", () => {
    mkdirSync(at("var/lib/leads/postgresql"));
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "17\n");
    type("first", pack("1.0.0"));
    const newer = pack("2.0.0", { POSTGRESQL: "19\n" });
    // A value may stand in quotes, and an empty one is none.
    const settings = `DATA_DIR="${at("var/lib/leads")}"\nDATABASE_URL=''\n`;
    writeFileSync(at("etc/leads/settings.env"), settings);
    expect(type("update", newer)).toMatchObject({ status: 1, said: expect.stringContaining("--upgrade-") });
    // Of a setting that is there twice, the last counts, as systemd has it.
    const own = "DATABASE_URL=postgres://owner@localhost/leads\n";
    writeFileSync(at("etc/leads/settings.env"), settings + own);
    expect(type("update", newer).status).toBe(0);
  });
});

describe("a removal", () => {
  it("keeps the leads, the settings and the backups", () => {
    type("first", pack("1.0.0"));
    expect(type("remove").status).toBe(0);
    expect(existsSync(at("opt/leads"))).toBe(false);
    expect(readdirSync(at("usr/local/lib/systemd/system"))).toEqual([]);
    for (const folder of ["etc/leads", "var/lib/leads", "var/backups/leads"])
      expect(existsSync(at(folder))).toBe(true);
  });

  it("erases them when that is said, and not without a yes", () => {
    type("first", pack("1.0.0"));
    expect(type("remove", "--purge").status).toBe(1);
    expect(existsSync(at("opt/leads/current"))).toBe(true);
    expect(type("remove", "--purge", "--yes").status).toBe(0);
    for (const folder of ["opt/leads", "etc/leads", "var/lib/leads", "var/backups/leads"])
      expect(existsSync(at(folder))).toBe(false);
  });
});
