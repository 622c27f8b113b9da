// What a member is to say on the phone, to the person in the language that they read, and to a voicemail. A voicemail is told of no health
// matter, unless the provider's name tells of one.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { type LanguageCode, languageCodes, textsIn } from "../content/languages.ts";
import { useBrowser } from "./support/browser.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { isAbove, openAs } from "./support/inbox-pages.ts";

const { browser } = useBrowser();
const { database, inbox } = await makeInbox();
const dana = await inbox.member("Dana");
beforeEach(() => removeLeads(database.owner));

/** A lead whose notice was shown in a language. */
async function addReaderOf(language: string): Promise<string> {
  const id = await addLead(database, { name: "Rosa Martinez" });
  const text = `A wording in ${language}`;
  const hash = createHash("sha256").update(text).digest("hex");
  await database.owner`
    insert into private.notices (hash, language, text) values (${hash}, ${language}, ${text}) on conflict do nothing`;
  await database.owner`update private.permissions set notice_hash = ${hash} where lead_id = ${id}`;
  return id;
}

/** The page of a lead while a call is under way. */
async function callTo(id: string) {
  const page = await openAs(browser(), inbox, dana, `/leads/${id}`);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.locator(".scripts summary").first().waitFor();
  return page;
}

describe("the script for a call", () => {
  it("is in English for a person who reads English or a language without a script, or whose language is not known", async () => {
    for (const id of [await addLead(database), await addReaderOf("en"), await addReaderOf("tl")]) {
      const page = await callTo(id);
      expect(await page.locator(".scripts summary").allInnerTexts()).toEqual([
        "What to say",
        "What to say to a voicemail",
      ]);
      await page.close();
    }
  });

  it("is in Spanish for who reads Spanish, with the English below for whoever calls", async () => {
    const page = await callTo(await addReaderOf("es"));
    expect(await page.locator(".scripts summary").allInnerTexts()).toEqual([
      "What to say, in Spanish",
      "What to say, in English",
      "What to say to a voicemail, in Spanish",
      "What to say to a voicemail, in English",
    ]);
    const spanish = page.locator(".scripts blockquote[lang=es]");
    expect(await spanish.first().innerText()).toContain(
      "“Hola, le habla Dana, de Example Supply. ¿Puedo hablar con Rosa Martinez?”",
    );
    await page.getByText("What to say to a voicemail, in Spanish").click();
    const voicemail = await spanish.last().innerText();
    expect(voicemail).toContain("Nos puede llamar al (800) 555-0143.");
    expect(voicemail).toContain("Si no quiere que le llamemos, el número es (800) 555-0100.");
    expect(await page.getByText("Reads").locator("..").innerText()).toContain("Spanish");
  });
});

describe("the script for a call to a person whose name holds no visible letter", () => {
  it("asks for the person who asked for the call, in each language", async () => {
    const nameless = await addReaderOf("es");
    await database.owner`update leads set name = ${"\u200b"} where id = ${nameless}`;
    const page = await callTo(nameless);
    const said = await page.locator(".scripts").innerText();
    expect(said).toContain("¿Puedo hablar con la persona que pidió esta llamada?");
    expect(said).toContain("Say nothing more until you speak with the person who asked for this call.");
    expect(said).not.toContain("(no name)");
    await page.getByText("What to say, in English").click();
    expect(await page.locator(".scripts").innerText()).toContain(
      "May I speak with the person who asked for this call?",
    );
  });
});

// Word stems of what nobody but the person is to hear. A language without a line here does not compile.
const healthWords: Record<LanguageCode, RegExp> = {
  en: /glucos|sugar|diabet|insulin|medicare|medic|health|doctor|prescri|sensor|monitor|\bCGM\b|eligib|qualif|suppl/i,
  es: /glucos|azúcar|diabet|insulin|medicare|médic|medic|salud|receta|sensor|monitor|\bMCG\b|califica|elegib/i,
};

describe("the first words of a call", () => {
  it.each(languageCodes)(
    "in %s name no health matter apart from {name}, because another person may answer the phone",
    (code) => {
      const [first] = textsIn(code).callScripts.call;
      expect(first).toMatch(/\S/);
      for (const words of Object.values(healthWords)) expect(first).not.toMatch(words);
    },
  );
});

describe("the script for a voicemail", () => {
  it.each(languageCodes)(
    "in %s names both numbers, but not the person and no health matter apart from {name}",
    (code) => {
      const { voicemail } = textsIn(code).callScripts;
      for (const others of Object.values(healthWords)) expect(voicemail).not.toMatch(others);
      expect(voicemail.match(/\{\w+\}/g)?.toSorted()).toEqual([
        "{callsFrom}",
        "{member}",
        "{name}",
        "{phone}",
      ]);
    },
  );

  it("is checked for health words that the article does hold, so that the check can fail", () => {
    for (const code of languageCodes) {
      expect(textsIn(code).article.standfirst).toMatch(healthWords[code]);
    }
  });
});

describe("the outcome of a call", () => {
  it("is asked above the note", async () => {
    const page = await callTo(await addLead(database));
    const buttons = page.getByRole("group", { name: "Outcome" });
    expect(await isAbove(buttons, page.getByLabel("Note, if one is wanted"))).toBe(true);
  });
});
