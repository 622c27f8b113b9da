// Building the site and the pages of the inbox: what a build that goes wrong leaves behind, and what it says.
import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import { readClientFiles } from "../inbox/client-files.ts";
import { currentBuild, makeCurrent, newBuildFolder } from "../site/build-folder.ts";
import {
  addInboxSources,
  copyForAnotherUser,
  copySources,
  startBuild,
  startInboxBuild,
} from "./support/static-host.ts";

const article = join("content", "en", "article.ts");

describe("a build", () => {
  it("leaves the current one as it was when it is killed midway, and the next one succeeds", async () => {
    const copy = copySources();
    expect(await startBuild(copy).ended).toMatchObject({ code: 0 });
    const built = () => ({
      folder: currentBuild(copy)?.folder,
      renderer: readFileSync(join(currentBuild(copy)?.folder ?? "", "render.js"), "utf8"),
      page: readFileSync(join(copy, "dist/index.html"), "utf8"),
    });
    const before = built();
    const changed = readFileSync(join(copy, article), "utf8").replace("5 min read", "6 min read");
    writeFileSync(join(copy, article), changed);
    // The second build never ends: its renderer is bundled, but waits forever before it shows a page.
    const renderer = join(copy, "site/render.tsx");
    const finished = readFileSync(renderer, "utf8");
    writeFileSync(renderer, `${finished}\nawait new Promise(() => setInterval(() => {}, 1_000));\n`);

    const second = startBuild(copy);
    onTestFinished(() => void second.process.kill("SIGKILL"));
    const bundled = () => globSync(join(copy, ".render/*/render.js"));
    await expect.poll(bundled, { timeout: 60_000 }).toHaveLength(2);
    second.process.kill("SIGKILL");
    expect(await second.ended).toMatchObject({ code: null });
    expect(built()).toEqual(before);

    writeFileSync(renderer, finished);
    expect(await startBuild(copy).ended).toMatchObject({ code: 0 });
    expect(built().page).toContain("6 min read");
  }, 120_000);

  it("stays in force when the next one cannot copy its pages, and counts as missing when a power cut emptied the file that names it", () => {
    const root = mkdtempSync(join(tmpdir(), "leads-build-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const build = (page: string | undefined) => {
      const folder = newBuildFolder(root);
      writeFileSync(join(folder, "render.js"), "");
      if (page) mkdirSync(join(folder, "dist"));
      if (page) writeFileSync(join(folder, "dist/index.html"), page);
      makeCurrent(root, folder, "sources");
      return folder;
    };
    const first = build("one");
    // Without its pages the copy fails, as on a full disk.
    expect(() => build(undefined)).toThrow(/ENOENT/);
    expect(currentBuild(root)?.folder).toBe(first);
    expect(readFileSync(join(root, "dist/index.html"), "utf8")).toBe("one");

    writeFileSync(join(root, ".render/current.json"), "");
    expect(currentBuild(root)).toBeUndefined();
    const next = build("two");
    expect([currentBuild(root)?.folder, readFileSync(join(root, "dist/index.html"), "utf8")]).toEqual([
      next,
      "two",
    ]);
  });

  it("succeeds beside others that end at the same moment, such as those of two programs that are started together", async () => {
    const root = mkdtempSync(join(tmpdir(), "leads-build-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const builds = `
      import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
      import { currentBuild, makeCurrent, newBuildFolder } from "${join(import.meta.dirname, "../site/build-folder.ts")}";
      for (let round = 0; round < 400; round += 1) {
        const folder = newBuildFolder(${JSON.stringify(root)});
        mkdirSync(folder + "/dist");
        for (const name of ["render.js", "dist/index.html"]) writeFileSync(folder + "/" + name, folder);
        makeCurrent(${JSON.stringify(root)}, folder, "sources");
        utimesSync(folder, 0, 0);
      }`;
    const ends = Array.from({ length: 3 }, () =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", builds]),
    );
    expect(await Promise.all(ends)).toHaveLength(3);
    expect(readFileSync(join(root, "dist/index.html"), "utf8")).toContain(join(root, ".render/build-"));
  });

  it("shows the pages in a further language when the folder of the language and its line in the list of languages are there", async () => {
    const copy = copySources();
    const read = (...path: string[]) => readFileSync(join(copy, "content", ...path), "utf8");
    cpSync(join(copy, "content/en"), join(copy, "content/eo"), { recursive: true });
    const esperanto = read("eo", "language.ts").replace("const en:", "const eo:").replace('"en-US"', '"eo"');
    writeFileSync(join(copy, "content/eo/language.ts"), esperanto);
    const languages = read("languages.ts")
      .replace(/const languages = \{/, "$& eo,")
      .replace(/^import /m, 'import { eo } from "./eo/language.ts";\nimport ');
    expect(languages).toContain("{ eo,");
    writeFileSync(join(copy, "content/languages.ts"), languages);

    const { code, output } = await startBuild(copy, { LANGUAGES: "en,eo" }).ended;
    expect(code, output).toBe(0);
    const page = (name: string) => readFileSync(join(copy, "dist", name), "utf8");
    expect(page("eo.html")).toContain('<html lang="eo">');
    expect(page("eo/thank-you.html")).toContain('href="/eo"');
    expect(page("index.html")).toContain('hrefLang="eo"');
    expect(existsSync(join(copy, "dist/es.html"))).toBe(false);
  });

  it("refuses a variant that nobody approved, and shows it with its own picture once somebody has", async () => {
    const copy = copySources();
    const list = join(copy, "content/experiments.ts");
    const without = readFileSync(list, "utf8");
    const listed = (approvedBy: string) =>
      without.replace(
        "= [];",
        `= [{ variant: "garden", language: "en", startedOn: "2026-11-10", plan: { rate: 0.02, lift: 0.3 }, changes: { picture: {
          shows: { file: "garden.jpg", alt: "A woman in a garden.", caption: "In the garden." }, substantiation: "She wears a sensor.",
          source: "niddk", approvedOn: "2026-11-01", approvedBy: "${approvedBy}" } } }];`,
      );
    writeFileSync(list, listed(""));
    const refused = await startBuild(copy).ended;
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(
      'The variant "garden" is not to be shown: its picture names no approver in approvedBy.\n',
    );
    expect(refused.output).not.toContain("node:internal");

    writeFileSync(list, listed("Ann Lee"));
    expect((await startBuild(copy).ended).output).toMatch(
      /The picture of the variant "garden" is not there: \S{1,200}garden\.jpg/,
    );
    const lawn = { width: 900, height: 600, channels: 3, background: "#5f8a6a" } as const;
    await sharp({ create: lawn }).jpeg().toFile(join(copy, "content/garden.jpg"));
    expect(await startBuild(copy).ended).toMatchObject({ code: 0 });
    const page = (name: string) => readFileSync(join(copy, "dist", name), "utf8");
    const [, photo = ""] =
      /<img [^>]{0,200}src="(\/assets\/photo-garden-[^"]{1,60})"/.exec(page("b.html")) ?? [];
    expect(existsSync(join(copy, "dist", photo))).toBe(true);
    expect(page("b.html")).toContain("In the garden.");
    expect(page("index.html")).not.toContain("garden");
  }, 120_000);

  it("says what the pages lack: settings of the provider, a reviewer of the translation, their address", async () => {
    const copy = copySources();
    const settings = { PROVIDER_NAME: "Maple Lane", LANGUAGES: "en,es" };
    const { code, output } = await startBuild(copy, settings).ended;
    expect(code, output).toBe(0);
    const missing = output.split("\n").filter((line) => line.includes(" warn setting-missing: "));
    expect(missing.map((line) => line.split(" setting=")[1])).toEqual([
      "PROVIDER_LEGAL_NAME",
      "PROVIDER_PHONE",
      "PROVIDER_CALLS_FROM",
      "PROVIDER_ADDRESS",
      "PROVIDER_NPI",
      "PROVIDER_HOURS",
    ]);
    expect(output).toContain("then set this setting. language=es setting=SPANISH_REVIEWED_BY\n");
    expect(output).toContain("Set SITE_URL before others read them.\n");
    const asJson = await startBuild(copy, { LOG_FORMAT: "json", SITE_URL: "https://www.example.com" }).ended;
    expect(asJson.output).toContain('"event":"setting-missing"');
    expect(asJson.output).not.toContain("SITE_URL");
  });

  it("leaves that to the server's start where the server begins with the build", async () => {
    const copy = copySources();
    const { code, output } = await startBuild(copy, {}, undefined, ["--if-stale"]).ended;
    expect([code, output]).toEqual([0, expect.stringMatching(/^Built the site in \S+ s\.\n$/)]);
  });

  it("says what to do when another user owns what an earlier build left", async () => {
    const isRoot = process.getuid?.() === 0;
    const copy = isRoot ? copyForAnotherUser() : copySources();
    mkdirSync(join(copy, ".render"), { mode: 0o555 });
    // Root may write everywhere, so for root the build runs as a user without rights.
    if (isRoot) chownSync(copy, nobody.uid, nobody.gid);
    const { code, output } = await startBuild(copy, {}, isRoot ? nobody : undefined).ended;
    expect(code).toBe(1);
    expect(output).toContain("An earlier build probably ran as another user, such as root.");
    expect(output).toContain(`  sudo rm -rf "${join(copy, ".render")}"\n`);
    expect(output).not.toContain("node:internal");
    expect(existsSync(join(copy, "dist"))).toBe(false);
  });

  it("says what to do when the folder itself belongs to another user", async () => {
    const isRoot = process.getuid?.() === 0;
    const copy = isRoot ? copyForAnotherUser() : copySources();
    chmodSync(copy, 0o555);
    const { code, output } = await startBuild(copy, {}, isRoot ? nobody : undefined).ended;
    expect(code).toBe(1);
    expect(output).toContain("Let this user own that folder, then start again.");
    expect(output).not.toContain("sudo rm -rf");
  });
});

/** A user and a group without rights. On some systems `nobody` has another number, but any number that is not root's serves here. */
const nobody = { uid: 65_534, gid: 65_534 };

describe("the pages of the inbox", () => {
  it("count as not built where a crash left the file that names the build empty or half written", async () => {
    for (const content of ["", '{"name": "build-', "null"]) {
      const root = mkdtempSync(join(tmpdir(), "inbox-"));
      onTestFinished(() => rmSync(root, { recursive: true }));
      mkdirSync(join(root, ".inbox"));
      writeFileSync(join(root, ".inbox/current.json"), content);
      const page = readClientFiles(root).answer(new Request("http://localhost/"), "/");
      expect(await page?.text()).toContain("The pages of the inbox are not built yet.");
    }
  });

  it("are not built while a style sheet imports one that is not among their sources, because a change of that one would go unnoticed", async () => {
    const copy = copySources();
    addInboxSources(copy);
    writeFileSync(join(copy, "site/odd.css"), "p { color: red }");
    const style = join(copy, "inbox/client/styles/style.css");
    const before = readFileSync(style, "utf8");
    writeFileSync(style, `@import "../../../site/odd.css";\n${before}`);
    const { code, output } = await startInboxBuild(copy).ended;
    expect(code).toBe(1);
    expect(output).toContain("Name these among the sources in inbox/build.ts: site/odd.css\n");
    writeFileSync(style, before);
    expect(await startInboxBuild(copy).ended).toMatchObject({ code: 0 });
  });

  it("say what to do when another user owns the folder of an earlier build, or the one that it would be in", async () => {
    const isRoot = process.getuid?.() === 0;
    const copy = isRoot ? copyForAnotherUser() : copySources();
    addInboxSources(copy);
    const build = () => startInboxBuild(copy, isRoot ? nobody : undefined).ended;
    chmodSync(copy, 0o555);
    const notMade = await build();
    expect(notMade.code).toBe(1);
    expect(notMade.output).toContain(`The build may not write into ${copy}`);
    expect(notMade.output).toContain("Let this user own that folder, then start again.");
    expect(notMade.output).not.toContain("sudo rm -rf");
    chmodSync(copy, 0o755);
    mkdirSync(join(copy, ".inbox"), { mode: 0o555 });
    const left = await build();
    expect(left.code).toBe(1);
    expect(left.output).toContain(`Remove what it left: sudo rm -rf "${join(copy, ".inbox")}"\n`);
  });
});
