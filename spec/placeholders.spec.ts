// The placeholders for the provider's facts in the texts, such as {phone}: each is filled where readers see it, a mistyped one is refused.
import { describe, expect, it } from "vitest";
import { languageCodes, textsIn } from "../content/languages.ts";
import { completeProvider, placeholdersOf, withProvider } from "../content/provider.ts";
import { rendererModule } from "../site/renderer.ts";
import { inEveryLanguage } from "./support/site.ts";

const { provider } = completeProvider({});

/** What readers see of a page: its HTML without scripts, styles, and the texts that the form's script gets in `data-texts`. */
const seenOf = (html: string) =>
  without(without(html, "script"), "style").replaceAll(/ data-texts="[^"]*"/g, "");

const without = (html: string, element: string) =>
  html
    .split(`<${element}`)
    .map((part, nth) => (nth === 0 ? part : part.slice(part.indexOf(`</${element}>`))))
    .join("");

/** The addresses without which a page leaves out the texts of their links. */
const withLinks = {
  privacyUrl: "https://www.example.com/privacy",
  languageHelpUrl: "https://www.example.com/languages",
};

/** A provider's facts that end in a full stop. */
const withStops = {
  name: "Maple Lane, Inc.",
  legalName: "Maple Lane Medical Supply, Inc.",
  address: "1 Main St.",
  hours: { en: "9 a.m. to 5 p.m.", es: "de 9 a. m. a 5 p. m." },
};

describe("a text with a placeholder", () => {
  it("shows the provider's name and phone number in place of {name} and {phone}", () => {
    expect(withProvider("{name}, {phone}", provider)).toBe(`${provider.name}, ${provider.phone}`);
  });

  it.each(["{tel}", "{Phone}", "{hours}", "{toString}", "{teléfono}", "{ phone }", "{legal name}"])(
    "is refused when it is %s, in a sentence that names those there are",
    (one) => {
      expect(() => withProvider(`Call ${one}.`, provider)).toThrow(
        `A text in content/ has ${one}, which nothing fills: “Call ${one}.” There are: {name}, {legalName}, {phone}, {callsFrom}, {address}, {npi}.`,
      );
    },
  );
});

describe.each(languageCodes)("the texts in %s", (code) => {
  it("have no placeholder left where readers see them: on each page, after a refusal, and in a plain answer", async () => {
    const { renderArticle, renderThankYou, renderNotFound } = await rendererModule();
    const refused = { lead: {}, message: "Please enter your full name." };
    const pages = [undefined, true, false].flatMap((acceptsAssignment) => {
      const settings = {
        ...inEveryLanguage,
        provider: { ...withLinks, ...(acceptsAssignment !== undefined && { acceptsAssignment }) },
      };
      return [
        renderArticle(settings, code),
        renderArticle(settings, code, refused),
        renderThankYou(settings, code),
        renderNotFound(settings, code),
      ];
    });
    for (const page of pages) expect(placeholdersOf(seenOf(page))).toEqual([]);
    const { refusals, plain, claims, sources, article, form } = textsIn(code);
    const { photo } = article;
    // `call` is filled in where it is shown.
    expect(placeholdersOf({ refusals, plain, claims, sources, photo, form: { ...form, call: "" } })).toEqual(
      [],
    );
  });

  it("have no full stop twice where the provider's name, address or hours end in one", async () => {
    const { renderArticle, renderThankYou, renderNotFound } = await rendererModule();
    const settings = { ...inEveryLanguage, provider: withStops };
    const pages = [
      renderArticle(settings, code),
      renderArticle(settings, code, { lead: {}, message: "Please enter your full name." }),
      renderThankYou(settings, code),
      renderNotFound(settings, code),
    ];
    for (const page of pages) {
      expect(page).toContain("Maple Lane, Inc.");
      expect(page.match(/.{30}[^.]\.\.(?!\.|\/).{0,10}/g)).toBeNull();
    }
  });

  it("have no placeholder in a call script that the inbox cannot fill", () => {
    const known = new Set(["{member}", "{person}", "{name}", "{phone}", "{callsFrom}"]);
    for (const one of placeholdersOf(textsIn(code).callScripts)) expect(known).toContain(one);
  });
});
