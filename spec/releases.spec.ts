// What an installation does with releases (deploy/releases), tried in a folder that stands for a machine (support/machine.ts).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { writeClockProgram } from "./support/clock-program.ts";
import {
  askedOfSystemd,
  at,
  environment,
  inForce,
  kept,
  makeMachine,
  operatorsFiles,
  pack,
  root,
  script,
  type,
  typeAndAnswer,
} from "./support/machine.ts";

beforeEach(makeMachine);

/** A line that asks systemd to start something. */
const aStart = /^(re)?start /m;

describe("an update", () => {
  it("puts the release in force with a link, restarts the server, and keeps the release before and no older one", () => {
    expect(type("first", pack("1.0.0")).status).toBe(0);
    expect(askedOfSystemd()).not.toContain("restart");
    expect(type("update", pack("1.1.0")).said).toContain("Release 1.1.0 is in force.");
    expect(askedOfSystemd()).toContain("restart leads.service");
    expect(type("update", pack("1.2.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.2.0");
    expect(kept()).toEqual(["1.1.0", "1.2.0"]);
    expect(type("releases").said).toBe(
      "1.1.0  in force before; back to it: sudo leads rollback\n1.2.0  in force\n",
    );
  });

  it("brings the units of the release", () => {
    type("first", pack("1.0.0"));
    type("update", pack("1.1.0", { "deploy/leads.service": "[Service]\nExecStart=/bin/true\n" }));
    const unit = at("usr/local/lib/systemd/system/leads.service");
    expect(readFileSync(unit, "utf8")).toContain("/bin/true");
    expect(askedOfSystemd()).toContain("daemon-reload");
    type("rollback");
    expect(readFileSync(unit, "utf8")).toBe(readFileSync(join(root, "deploy/leads.service"), "utf8"));
  });

  it.each(["inactive", "failed"])("leaves a server stopped that is stopped: %s", (state) => {
    type("first", pack("1.0.0"));
    writeFileSync(at("state"), `${state}\n`);
    expect(type("update", pack("1.1.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.1.0");
    expect(askedOfSystemd()).not.toMatch(aStart);
  });

  it("takes an unpacked release too, and does nothing when it is in force already", () => {
    type("first", pack("1.0.0"));
    rmSync(pack("1.1.0"));
    expect(type("update", at("leads-1.1.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.1.0");
    const before = askedOfSystemd();
    expect(type("update", at("leads-1.1.0")).said).toContain("in force already");
    expect(askedOfSystemd().slice(before.length)).not.toMatch(aStart);
  });

  it("replaces a damaged copy of its release on the disk", () => {
    type("first", pack("1.0.0", { "serve.ts": "" }));
    type("update", pack("1.1.0"));
    writeFileSync(at("opt/leads/releases/1.0.0/serve.ts"), "another");
    expect(type("update", at("leads-1.0.0.tar.gz")).status).toBe(0);
    expect(readFileSync(at("opt/leads/current/serve.ts"), "utf8")).toBe("");
  });

  it("replaces a damaged copy of the release in force as well, and says what to type then", () => {
    const archive = pack("1.0.0", { "serve.ts": "" });
    type("first", archive);
    writeFileSync(at("opt/leads/releases/1.0.0/serve.ts"), "another");
    const { status, said } = type("update", archive);
    expect({ status, said }).toEqual({
      status: 0,
      said: expect.stringMatching(/damaged, and are whole again\. Type: sudo systemctl restart leads\n$/),
    });
    expect(readFileSync(at("opt/leads/current/serve.ts"), "utf8")).toBe("");
    expect(readdirSync(at("opt/leads/releases"))).toEqual(["1.0.0"]);
  });

  it("refuses another release of the version that is in force", () => {
    type("first", pack("1.0.0", { "serve.ts": "" }));
    const { status, said } = type("update", pack("1.0.0", { "serve.ts": "another" }));
    expect({ status, said }).toEqual({ status: 1, said: expect.stringContaining("a version of its own") });
    expect(readFileSync(at("opt/leads/current/serve.ts"), "utf8")).toBe("");
  });

  it("refuses two releases in one command", () => {
    type("first", pack("1.0.0"));
    const { status, said } = type("update", pack("1.1.0"), pack("1.2.0"));
    expect({ status, said }).toEqual({ status: 1, said: expect.stringContaining("name one release") });
    expect(inForce()).toBe("releases/1.0.0");
  });
});

describe("the server after an update", () => {
  it("may take a while to become ready", () => {
    type("first", pack("1.0.0"));
    writeFileSync(at("bin/sleep"), "#!/bin/sh\n", { mode: 0o755 });
    expect(type("update", pack("1.1.0", { late: "" })).status).toBe(0);
    expect(existsSync(at("opt/leads/current/ready"))).toBe(true);
    expect(inForce()).toBe("releases/1.1.0");
  });

  it("is asked at the address of its socket, and only for /healthz where the server before was not ready", async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      paths.push(url);
      response.writeHead(url === "/healthz" ? 200 : 503).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // The release's Node is the real one, except that it does not run the program.
    const nodeThatAsks = `#!/bin/sh\n[ "$1" != -e ] || exec "${process.execPath}" "$@"\ncat "$(dirname "$0")/../VERSION"\n`;
    type("first", pack("1.0.0", { "runtime/node": nodeThatAsks }));
    const listens = `case $* in *Listen*) echo "Listen=[::]:${port} (Stream)" ;; esac`;
    writeFileSync(at("bin/systemctl"), `#!/bin/sh\n${listens}\n`);
    // Not by `type`, in whose time this process could not answer.
    const update = spawn("sh", [script, "update", pack("1.1.0", { "runtime/node": nodeThatAsks })], {
      env: environment(),
      stdio: "ignore",
    });
    expect(await once(update, "exit")).toEqual([0, null]);
    expect(paths).toEqual(["/readyz", "/healthz"]);
  });
});

describe("an update of a server whose database is down", () => {
  it("asks the new one to be alive, and no more", () => {
    type("first", pack("1.0.0"));
    writeFileSync(at("database-down"), "");
    expect(type("update", "--wait", "0", pack("1.1.0")).status).toBe(0);
    expect(inForce()).toBe("releases/1.1.0");
    expect(type("update", "--wait", "0", pack("1.2.0", { broken: "" })).status).toBe(1);
    expect(inForce()).toBe("releases/1.1.0");
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

  it("to a release that does not become ready puts the newer one in force again", () => {
    type("first", pack("1.0.0"));
    type("update", pack("1.1.0"));
    writeFileSync(at("opt/leads/releases/1.0.0/broken"), "");
    writeClockProgram(at("bin/date"), 100);
    const { status, said } = type("rollback");
    expect(status).toBe(1);
    expect(said).toContain("Release 1.1.0 is in force again.");
    expect(inForce()).toBe("releases/1.1.0");
    expect(type("releases").said).toBe(
      "1.0.0  in force before; back to it: sudo leads rollback\n1.1.0  in force\n",
    );
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
    // Both 2.0.0 and 2.1.0 have the breaking migration, so this rollback works.
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
    const stopped = askedOfSystemd().indexOf("stop leads.socket leads.service");
    expect(stopped).toBeGreaterThan(0);
    expect(askedOfSystemd().indexOf("start leads.socket leads.service")).toBeGreaterThan(stopped);
    expect(inForce()).toBe("releases/2.0.0");
    // The stand-in for the upgrade has not touched the data.
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "19\n");
    expect(type("rollback").said).toContain("another PostgreSQL");
    expect(inForce()).toBe("releases/2.0.0");
  });

  it("is not put in force on data of a newer PostgreSQL, and no upgrade is advised", () => {
    mkdirSync(at("var/lib/leads/postgresql"));
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "18\n");
    type("first", pack("1.0.0"));
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "19\n");
    const refused = type("update", pack("1.1.0"));
    expect(refused.status).toBe(1);
    expect(refused.said).toContain("the data is of a newer PostgreSQL than release 1.1.0 brings.");
    expect(refused.said).not.toContain("--upgrade-postgresql");
    expect(inForce()).toBe("releases/1.0.0");
  });

  it("leaves a server stopped that was stopped, also where the data cannot be brought over", () => {
    mkdirSync(at("var/lib/leads/postgresql"));
    writeFileSync(at("var/lib/leads/postgresql/PG_VERSION"), "18\n");
    type("first", pack("1.0.0"));
    writeFileSync(at("state"), "inactive\n");
    const update = (version: string, files: Record<string, string>) =>
      type("update", "--upgrade-postgresql", pack(version, { POSTGRESQL: "19\n", ...files }));
    const failed = update("2.0.0", { "upgrades-nothing": "" });
    expect(failed).toMatchObject({
      status: 1,
      said: expect.stringContaining("as it was. Release 1.0.0 stays in force."),
    });
    const done = update("2.0.1", {});
    expect(done).toMatchObject({
      status: 0,
      said: expect.stringContaining("The server is stopped, and stays so."),
    });
    expect(inForce()).toBe("releases/2.0.1");
    expect(askedOfSystemd()).not.toMatch(aStart);
  });

  it("keeps the old release in force when the data cannot be upgraded, and says that a new release is not ready on upgraded data", () => {
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
    expect(askedOfSystemd().trim().split("\n").at(-1)).toBe("start leads.socket leads.service");
    expect(update("unready")).toMatchObject({ status: 1, said: expect.stringContaining("is not ready yet") });
  });

  it("is put in force without an upgrade where PostgreSQL is the operator's own", () => {
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
  const folders = ["opt/leads", "etc/leads", "var/lib/leads", "var/backups/leads"];

  it("keeps the leads, the settings and the backups", () => {
    type("first", pack("1.0.0"));
    expect(type("remove").status).toBe(0);
    expect(existsSync(at("opt/leads"))).toBe(false);
    expect(readdirSync(at("usr/local/lib/systemd/system"))).toEqual([]);
    expect(operatorsFiles.filter((file) => existsSync(at(file)))).toEqual(operatorsFiles);
  });

  it("erases them with --purge, and only after the word erase is typed", () => {
    type("first", pack("1.0.0"));
    for (const answer of ["", "\n", "no\n", "yes\n"])
      expect(typeAndAnswer(answer, "remove", "--purge").said).toContain("Nothing was changed.");
    const all = ["opt/leads/current", ...operatorsFiles];
    expect(all.filter((file) => existsSync(at(file)))).toEqual(all);
    expect(typeAndAnswer("erase\n", "remove", "--purge").status).toBe(0);
    expect(folders.filter((folder) => existsSync(at(folder)))).toEqual([]);
  });

  it("refuses an option that there is not, and changes nothing", () => {
    type("first", pack("1.0.0"));
    expect(type("remove", "--prge", "--yes").said).toContain("There is no option --prge.");
    const all = ["opt/leads/current", ...operatorsFiles];
    expect(all.filter((file) => existsSync(at(file)))).toEqual(all);
  });

  it("erases them without a question with --purge --yes", () => {
    type("first", pack("1.0.0"));
    expect(type("remove", "--purge", "--yes").status).toBe(0);
    expect(folders.filter((folder) => existsSync(at(folder)))).toEqual([]);
  });
});
