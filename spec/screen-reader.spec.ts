// What a screen reader says of the pages, from the top to the button, through an error, and on the thank-you page. The
// transcripts stand in spec/transcripts/. When one changes, a person reads it before it is kept: remove the
// file and run the chapter.
import { describe, expect, it } from "vitest";
import { useBrowser } from "./support/browser.ts";
import { pageSettings, useSite } from "./support/site.ts";
import { transcriptOf } from "./support/transcript.ts";
import { formReady } from "./support/visitor.ts";

const { open } = useBrowser();
const site = useSite({ ...pageSettings, site: { ...pageSettings.site, languages: ["en", "es"] } });

describe("a screen reader", () => {
  it.each([
    ["English", ""],
    ["Spanish", "/es"],
  ])("is told everything, in the order of the page, in %s", async (language, path) => {
    const article = await open(site.url(path || "/"));
    const before = await transcriptOf(article);

    site.reply("/rest/v1/leads", { status: 400, body: '{"message":"Please enter your phone number."}' });
    for (const id of ["name", "phone", "zip_code"]) await article.locator(`#${id}`).fill("x");
    await article.locator("#email").fill("x@example.org");
    await formReady(article);
    await article.getByRole("button").click();
    await article.getByRole("alert").waitFor();
    await article.evaluate(() => {
      for (const input of document.querySelectorAll("input")) input.value = "";
      for (const one of document.querySelectorAll("article > :not(#check), #check > :not(div), footer"))
        one.remove();
    });
    const after = await transcriptOf(article);

    const thankYou = await transcriptOf(await open(site.url(`${path}/thank-you`)));
    const parts = [
      ["The article", before],
      ["The form after a refusal", after],
      ["The thank-you page", thankYou],
    ];
    await expect(
      `${parts.map(([title, lines]) => `# ${title}\n\n${lines}\n`).join("\n")}`,
    ).toMatchFileSnapshot(`transcripts/${language.toLowerCase()}.txt`);
  });
});
