// What a screen reader says of the pages: the whole article, the form after an error, and the thank-you page. The
// transcripts stand in spec/transcripts/. When one changes, a person reads it before it is kept: remove the
// file and run the chapter, which writes it, and fails that once. A new language gets its file the same way.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { languageCodes } from "../content/languages.ts";
import { languageName } from "../lead/language-name.ts";
import { useBrowser } from "./support/browser.ts";
import { untilBannerFocused } from "./support/lead-form.ts";
import { articlePaths, inEveryLanguage, thankYouPaths, useSite } from "./support/site.ts";
import { transcriptOf } from "./support/transcript.ts";
import { formReady } from "./support/visitor.ts";

const { open } = useBrowser();
const site = useSite(inEveryLanguage);

describe("a screen reader", () => {
  it.each(
    languageCodes.map((code, nth) => [languageName(code), articlePaths[nth], thankYouPaths[nth]] as const),
  )("is told in %s exactly what the kept transcript says", async (language, path, thankYouPath) => {
    const article = await open(site.url(path));
    const before = await transcriptOf(article);

    site.reply("/rest/v1/leads", { status: 400, body: '{"message":"Please enter your phone number."}' });
    for (const id of ["name", "phone", "zip_code"]) await article.locator(`#${id}`).fill("x");
    await article.locator("#email").fill("x@example.org");
    await formReady(article);
    await article.getByRole("button").click();
    await untilBannerFocused(article);
    await article.evaluate(() => {
      for (const input of document.querySelectorAll("input")) input.value = "";
      for (const one of document.querySelectorAll("article > :not(#check), #check > :not(div), footer"))
        one.remove();
    });
    const after = await transcriptOf(article);

    const thankYou = await transcriptOf(await open(site.url(thankYouPath)));
    const parts = [
      ["The article", before],
      ["The form after a refusal", after],
      ["The thank-you page", thankYou],
    ];
    const file = `transcripts/${language.toLowerCase()}.txt`;
    const wasThere = existsSync(new URL(file, import.meta.url));
    await expect(
      `${parts.map(([title, lines]) => `# ${title}\n\n${lines}\n`).join("\n")}`,
    ).toMatchFileSnapshot(file);
    const sentence = `There was no transcript in ${language}. It is in spec/${file} now: read it, and run the chapter again`;
    expect(wasThere, sentence).toBe(true);
  });
});
