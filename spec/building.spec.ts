// Building the site: what a build that goes wrong leaves behind, and what it says.
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentBuild } from "../site/build-folder.ts";
import { copyForAnotherUser, copySources, startBuild } from "./support/static-host.ts";

const article = join("content", "en", "article.ts");

describe("a build", () => {
  it("leaves the last one in force when it is killed midway, and the next one succeeds", async () => {
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

    const second = startBuild(copy);
    const isUnderWay = () => readdirSync(join(copy, ".render")).length > 2;
    await expect.poll(isUnderWay, { interval: 5 }).toBe(true);
    second.process.kill("SIGKILL");
    await second.ended;
    expect(built()).toEqual(before);

    expect(await startBuild(copy).ended).toMatchObject({ code: 0 });
    expect(built().page).toContain("6 min read");
  }, 120_000);

  it("shows the pages in a further language when its folder and its line are there", async () => {
    const copy = copySources();
    const read = (...path: string[]) => readFileSync(join(copy, "content", ...path), "utf8");
    cpSync(join(copy, "content/en"), join(copy, "content/fr"), { recursive: true });
    const french = read("fr", "language.ts").replace("const en:", "const fr:").replace('"en-US"', '"fr-US"');
    writeFileSync(join(copy, "content/fr/language.ts"), french);
    const languages = read("languages.ts")
      .replace("const languages = { en, es }", "const languages = { en, es, fr }")
      .replace("import { es }", 'import { fr } from "./fr/language.ts";\nimport { es }');
    writeFileSync(join(copy, "content/languages.ts"), languages);

    expect(await startBuild(copy, { LANGUAGES: "en,fr" }).ended).toMatchObject({ code: 0 });
    const page = (name: string) => readFileSync(join(copy, "dist", name), "utf8");
    expect(page("fr.html")).toContain('<html lang="fr-US">');
    expect(page("fr/thank-you.html")).toContain('href="/fr"');
    expect(page("index.html")).toContain('hrefLang="fr-US"');
    expect(existsSync(join(copy, "dist/es.html"))).toBe(false);
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
    expect(output).toContain(`sudo rm -rf "${join(copy, ".render")}" "${join(copy, "dist")}"`);
    expect(output).not.toContain("node:internal");
    expect(existsSync(join(copy, "dist"))).toBe(false);
  });
});

/** The user and group that Debian, Fedora and macOS keep for programs without rights have other numbers; any will do. */
const nobody = { uid: 65_534, gid: 65_534 };
