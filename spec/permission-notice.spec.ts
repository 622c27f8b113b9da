// The permission notice: what it has to say, in each language, and the provider's own wording of it.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { languageCodes, textsIn } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { loadSite } from "../web/pages.ts";
import { pageSettings } from "./support/site.ts";

const folder = mkdtempSync(join(tmpdir(), "notice-"));
afterAll(() => rmSync(folder, { recursive: true }));
const provider = { name: "Elm Supply", legalName: "Elm Medical Supply, LLC", phone: "(800) 555-0100" };
const site = { languages: languageCodes };

/** The notices with the provider's own wording in a file. */
function withOwn(english: string | Buffer, spanish?: string) {
  writeFileSync(join(folder, "notice.txt"), english);
  if (spanish) writeFileSync(join(folder, "notice.es.txt"), spanish);
  const languages = spanish ? ["en", "es"] : ["en"];
  return permissionNotices({
    site: { languages },
    provider: { ...provider, noticeFile: join(folder, "notice.txt") },
  });
}

const complete =
  "I sign here. {legalName} has my written consent to call the number I typed\nabout a continuous glucose monitor. I need not agree to buy anything. I can stop this by calling {phone}.";

describe("the permission notice", () => {
  it("says all that the rules ask, in plain words", () => {
    expect(permissionNotices({ site: {}, provider })[0]?.text).toBe(
      "By sending this form, with the button “Check Your Eligibility Now” or in any other way, I sign here. " +
        "I give Elm Medical Supply, LLC written permission to call me at the number I typed, even if it is on a do-not-call list. " +
        "The call is about a continuous glucose monitor and its supplies. A person calls: no recordings, no texts. " +
        "I do not have to agree in order to buy anything. I can call (800) 555-0100 instead. " +
        "I can stop this at any time and in any way, such as by calling (800) 555-0100.",
    );
  });

  it("has in each language its own words, with the legal name and the button's words, and the hash of them", () => {
    const notices = permissionNotices({ site, provider });
    expect(notices.map(({ language }) => language)).toEqual(languageCodes);
    expect(new Set(notices.map(({ hash }) => hash)).size).toBe(languageCodes.length);
    for (const { language, text, hash } of notices) {
      expect(hash).toBe(createHash("sha256").update(text).digest("hex"));
      expect(text).toContain("Elm Medical Supply, LLC");
      // In the quotation marks of its language.
      const quoted = [...text.matchAll(/[“„«]\s?([^“”„«»]{1,80}?)\s?[”“»]/g)].map(([, words]) => words);
      expect(quoted).toContain(textsIn(language).form.button);
    }
  });
});

describe("the provider's own notice", () => {
  it("takes the place of ours, with the provider's name and number put in, on one line", () => {
    expect(withOwn(complete)[0]?.text).toBe(
      complete
        .replace("\n", " ")
        .replace("{legalName}", provider.legalName)
        .replace("{phone}", provider.phone),
    );
  });

  it("is read for another language from a second file, in which accents may be written the Mac's way", () => {
    const spanish =
      "Firmo aquí. {legalName} tiene mi permiso por escrito para llamarme al número que escribí sobre un monitor continuo de glucosa. No tengo que aceptar para comprar. Para cancelar: {phone}.";
    expect(withOwn(complete, spanish)[1]?.text).toContain("Firmo aquí. Elm Medical Supply, LLC tiene");
    expect(withOwn(complete, spanish.normalize("NFD"))).toEqual(withOwn(complete, spanish));
  });

  it.each([
    ["I sign here.", "that the person signs"],
    ["{legalName}", "your legal name"],
    ["written consent", "that it is written permission"],
    ["a continuous glucose monitor", "about what: a continuous glucose monitor"],
    ["I need not agree to buy anything.", "that it is no condition of buying anything"],
    ["number", "at which number"],
    ["{phone}", "how to stop"],
  ])("is refused without “%s”, in words that name what is missing and the rule", (omitted, said) => {
    expect(() => withOwn(complete.replaceAll(omitted, "..."))).toThrow(said);
    expect(() => withOwn(complete.replaceAll(omitted, "..."))).toThrow(/CFR/);
  });

  it.each(languageCodes)("in %s is checked for all that ours says, in words of that language", (code) => {
    const file = join(folder, "own.txt");
    const own = (wording: string) => {
      writeFileSync(file, wording);
      return permissionNotices({ site: { languages: [code] }, provider: { ...provider, noticeFile: file } });
    };
    expect(own(textsIn(code).notice)[0]?.text).toContain(provider.legalName);
    // Six parts, besides the name and the number that are there.
    expect(() => own("{legalName}, {phone}.")).toThrow(/does not say:(\n {2}- .{0,120} CFR .{0,60}){6}$/);
  });

  it("is refused when its file is empty, and when “call” is only part of another word", () => {
    expect(() => withOwn(" \n")).toThrow(/NOTICE_FILE: .{0,300} is empty\./);
    const automatic = complete.replace("call the", "automatically reach the").replace("by calling", "at");
    expect(() => withOwn(automatic)).toThrow("that you may call");
  });

  it("is refused where only the provider's number says what it has to say, as 1-800-CALL-NOW says “call”", () => {
    const noticeFile = join(folder, "spelt.txt");
    writeFileSync(noticeFile, complete.replace("call the", "reach the").replace("by calling", "at"));
    const phone = "1-800-CALL-NOW";
    expect(() => permissionNotices({ site: {}, provider: { ...provider, phone, noticeFile } })).toThrow(
      "that you may call",
    );
  });

  it("is refused when its file is not UTF-8, because visitors would see wrong characters", () => {
    expect(() => withOwn(Buffer.from(`${complete} \u00e9`, "latin1"))).toThrow(
      /NOTICE_FILE: .{0,300} is not UTF-8\./,
    );
  });

  it("is refused with a placeholder that nothing fills", () => {
    expect(() => withOwn(`${complete} Or write to {adress}.`)).toThrow(
      /NOTICE_FILE: .{0,300} \(en\) has \{adress\}, which nothing fills\. There are: \{name\}, \{legalName\}, /,
    );
    expect(() => withOwn(`${complete} {hoursIn} {constructor} {dirección}`)).toThrow(
      "has {hoursIn}, {constructor}, {dirección}, which",
    );
  });

  it.each(["{phone", "phone}", "{{phone}}"])("is refused with a brace too many or too few: %s", (odd) => {
    expect(() => withOwn(`${complete} ${odd}`)).toThrow("a brace without its other one");
  });

  it("is read only at the start, so the page after a refused form keeps its wording when the file is changed or removed", async () => {
    const noticeFile = join(folder, "changed.txt");
    writeFileSync(noticeFile, complete);
    const site = await loadSite({ ...pageSettings, provider: { ...provider, noticeFile } });
    const hashIn = (html = "") => /name="notice" value="(\w+)"/.exec(html)?.[1];
    const shown = hashIn(site.pages.get("/")?.encodings.at(-1)?.bytes.toString());
    expect(shown).toMatch(/^[0-9a-f]{64}$/);
    const refused = { lead: {}, message: "Please enter your full name." };
    writeFileSync(noticeFile, `${complete} Thank you.`);
    expect(hashIn(site.article(refused).body)).toBe(shown);
    rmSync(noticeFile);
    expect(hashIn(site.article(refused).body)).toBe(shown);
  });

  it("is refused in words that name the file of its language", () => {
    const spanish = complete.replace("{legalName}", "{nombre} {legalName}");
    expect(() => withOwn(complete, spanish)).toThrow(
      /NOTICE_FILE: .{0,300}notice\.es\.txt \(es\) has \{nombre\},/,
    );
    expect(() => withOwn(complete, complete)).toThrow(
      /NOTICE_FILE: .{0,300}notice\.es\.txt \(es\) does not say:/,
    );
  });

  it("is refused when its file is not there", () => {
    expect(() =>
      permissionNotices({ site: {}, provider: { ...provider, noticeFile: join(folder, "nothing.txt") } }),
    ).toThrow(/NOTICE_FILE: .{0,300}nothing\.txt cannot be read \(ENOENT\)/);
  });
});
