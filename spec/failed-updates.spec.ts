// What an update that fails leaves behind (deploy/releases), tried in a folder that stands for a machine (support/machine.ts).
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  askedOfSystemd,
  at,
  environment,
  inForce,
  kept,
  makeMachine,
  pack,
  script,
  type,
} from "./support/machine.ts";
import { until } from "./support/receiver.ts";
import { mountSmallDisk } from "./support/small-disk.ts";

const isRoot = process.getuid?.() === 0;

beforeEach(makeMachine);

/** Puts a script before `cp` or `ln`. It matches the path to be written with one case, such as `*current.new) exit 1`. */
function failToWrite(program: "cp" | "ln", shellCase: string): void {
  const text = `for to; do :; done\ncase $to in ${shellCase} ;; esac\nexec /bin/${program} "$@"`;
  writeFileSync(at(`bin/${program}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

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
    ["its program is of another version", () => pack("1.1.0", { "runtime/node": "#!/bin/sh\necho 1.2.0\n" })],
    ["it is another release of the version in force", () => pack("1.0.0", { more: "" })],
    ["it names a folder elsewhere", () => pack("1.1.0", { VERSION: "../../elsewhere\n" })],
    [
      "it is no release",
      () => {
        execFileSync("tar", ["-czf", at("other.tar.gz"), "-C", at(""), "etc"]);
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
    expect(askedOfSystemd()).not.toContain("restart");
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
    // The same with an unpacked folder, which is copied until the disk is full.
    expect(type("update", at("leads-1.1.0")).said).toContain("Nothing was changed");
    expect(inForce()).toBe("releases/1.0.0");
    expect(kept()).toEqual(["1.0.0"]);
  });

  it.each<[why: string, program: "cp" | "ln", partialWrite: string, file: string]>([
    ["a unit of it cannot be written whole", "cp", 'head -c 9 "$1" > "$to"', "leads.socket"],
    ["the link to it cannot be written", "ln", ":", "current.new"],
    ["the link to the one before cannot be written", "ln", ":", "previous.new"],
  ])("when %s, because the disk is full", (_, program, partialWrite, file) => {
    type("first", pack("1.0.0"));
    const units = () => {
      const folder = at("usr/local/lib/systemd/system");
      return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
    };
    const before = units();
    const unit = "[Service]\nExecStart=/bin/true\n";
    const archive = pack("1.1.0", { "deploy/leads.service": unit, "deploy/leads.socket": unit });
    failToWrite(program, `*${file}) ${partialWrite}; exit 1`);
    const { status, said } = type("update", archive);
    expect(status).toBe(1);
    expect(said).toContain("Release 1.1.0 cannot be put in force");
    expect(said).toContain("Nothing was changed.");
    expect(readdirSync(at("opt/leads"))).not.toContain("current.new");
    expect(inForce()).toBe("releases/1.0.0");
    expect(existsSync(at("opt/leads/previous"))).toBe(false);
    expect(units()).toEqual(before);
    expect(askedOfSystemd()).not.toContain("restart");
  });

  it("when it is killed, and the next update removes what it has left", async () => {
    type("first", pack("1.0.0"));
    const child = spawn("sh", [script, "update", pack("1.1.0", { slow: "" })], {
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

  it("when another one is under way; a rollback and a removal fail then, too", () => {
    type("first", pack("1.0.0"));
    type("update", pack("1.1.0"));
    for (const words of [["update", pack("1.2.0")], ["rollback"], ["remove"]]) {
      const ran = spawnSync("flock", [at("opt/leads/.lock"), "sh", script, ...words], {
        env: environment(),
        encoding: "utf8",
      });
      expect([ran.status, ran.stderr]).toEqual([1, "Another update, rollback or removal is under way.\n"]);
      expect(inForce()).toBe("releases/1.1.0");
    }
  });

  it.each([[["--wiat", "600"]], [["--upgrade"]], [[]]])("when it is not understood: %s", (words) => {
    type("first", pack("1.0.0"));
    expect(type("update", ...words, ...(words.length > 0 ? [pack("1.1.0")] : []))).toMatchObject({
      status: 1,
      said: expect.stringContaining("sudo leads update"),
    });
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
      expect(said).not.toContain("It does not answer either.");
      expect(inForce()).toBe("releases/1.1.0");
      expect(askedOfSystemd().match(/restart leads.service/g)).toHaveLength(3);
      // The way back from the release that runs is the one before it, not the one that failed.
      expect(readlinkSync(at("opt/leads/previous"))).toBe("releases/1.0.0");
    },
  );
});

describe("an update that is broken off, by Ctrl-C, a lost connection or a kill,", () => {
  /** Types an update, and sends a signal to it and to what it has started, as a terminal does, once `isReached` is true. */
  async function breakOff(signal: NodeJS.Signals, isReached: () => boolean, ...words: string[]) {
    const child = spawn("sh", [script, "update", ...words], { env: environment(), detached: true });
    let said = "";
    child.stderr.on("data", (text) => (said += text));
    await until(isReached);
    process.kill(-(child.pid as number), signal);
    const [status] = await once(child, "close");
    return { status, said };
  }
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGHUP", "SIGTERM"];

  it.each(signals)(
    "puts the release before in force again while the server is not ready: %s",
    async (signal) => {
      type("first", pack("1.0.0"));
      const isRestarted = () => askedOfSystemd().includes("restart leads.service");
      const { status, said } = await breakOff(signal, isRestarted, pack("1.1.0", { unready: "" }));
      expect([status, inForce()]).toEqual([1, "releases/1.0.0"]);
      expect(said).toContain("Broken off.");
      expect(said).toContain("Release 1.0.0 is in force again.");
      expect(askedOfSystemd().match(/restart leads.service/g)).toHaveLength(2);
    },
  );

  it("puts the release before in force again where nobody reads what it says any more", async () => {
    type("first", pack("1.0.0"));
    const words = ["update", "--wait", "0", pack("1.1.0", { unready: "" })];
    const child = spawn("sh", [script, ...words], {
      env: environment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.destroy();
    expect(await once(child, "close")).toEqual([1, null]);
    expect(inForce()).toBe("releases/1.0.0");
    expect(askedOfSystemd().match(/restart leads.service/g)).toHaveLength(2);
  });

  it.each(signals)(
    "starts the server again on the data as it was, where PostgreSQL is being upgraded: %s",
    async (signal) => {
      mkdirSync(at("var/lib/leads/postgresql"));
      writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "18\n");
      type("first", pack("1.0.0"));
      const newer = pack("2.0.0", { POSTGRESQL: "19\n", "upgrades-slowly": "" });
      const isUnderWay = () => existsSync(at("under-way"));
      const { status, said } = await breakOff(signal, isUnderWay, "--upgrade-postgresql", newer);
      expect([status, inForce()]).toEqual([1, "releases/1.0.0"]);
      expect(said).toContain("The data was not brought over, and is as it was.");
      expect(askedOfSystemd().trim().split("\n").at(-1)).toBe("start leads.socket leads.service");
    },
  );
});

describe("an update that brings the server down, and the release before as well", () => {
  it("says so", () => {
    type("first", pack("1.0.0"));
    const breaks =
      '#!/bin/sh\n[ "$1" != -e ] || { touch "$LEADS_PREFIX/database-down"; exit 1; }\necho 1.1.0\n';
    const { status, said } = type("update", "--wait", "0", pack("1.1.0", { "runtime/node": breaks }));
    expect([status, said]).toEqual([1, expect.stringContaining("It does not answer either.")]);
    expect(inForce()).toBe("releases/1.0.0");
  });
});

describe("an update that fails once the disk is full", () => {
  it("stays in force where the release before cannot be put in force again, and says so", () => {
    type("first", pack("1.0.0"));
    failToWrite("cp", '*.service) [ ! -e "$LEADS_PREFIX/full" ] || exit 1');
    const fills = '#!/bin/sh\n[ "$1" != -e ] || { touch "$LEADS_PREFIX/full"; exit 1; }\necho 1.1.0\n';
    const { status, said } = type("update", "--wait", "0", pack("1.1.0", { "runtime/node": fills }));
    expect(status).toBe(1);
    expect(said).toContain("Release 1.1.0 stays in force. Make room, and type: sudo leads rollback");
    expect(inForce()).toBe("releases/1.1.0");
    expect(askedOfSystemd().trim().split("\n").at(-1)).toBe("start leads.socket leads.service");
    rmSync(at("bin/cp"));
    expect(type("rollback").status).toBe(0);
    expect(inForce()).toBe("releases/1.0.0");
  });
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
    expect(askedOfSystemd().trim().split("\n").at(-1)).toBe("start leads.socket leads.service");
  });

  it("gives way to the release before when it failed before it had changed them", () => {
    type("first", pack("1.0.0"));
    const { status, said } = type("update", "--wait", "0", pack("2.0.0", breaks));
    expect(status).toBe(1);
    expect(said).toContain("Release 1.0.0 is in force again.");
    expect(inForce()).toBe("releases/1.0.0");
    const [, afterStop = ""] = askedOfSystemd().split("stop leads.socket leads.service\n");
    for (const word of ["start leads.socket\n", "restart leads.service\n"]) expect(afterStop).toContain(word);
    expect(type("rollback").said).toContain("There is no release before 1.0.0.");
  });
});
