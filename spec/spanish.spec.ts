// The pages in Spanish: where they are, what they say of themselves, and how the plainness of Spanish is measured (reading.spec.ts measures
// the pages).
import sharp from "sharp";
import { beforeEach, describe, expect, it } from "vitest";
import { sources } from "../content/claims.ts";
import { claims } from "../content/es/claims.ts";
import { languageCodes, textsIn } from "../content/languages.ts";
import { permissionNotices } from "../content/permission.ts";
import { siteFiles } from "../site/site-files.ts";
import { loadSite } from "../web/pages.ts";
import { useBrowser } from "./support/browser.ts";
import { charactersOf } from "./support/font.ts";
import { inflesz, syllablesInSpanish } from "./support/reading.ts";
import { pageSettings, useSite } from "./support/site.ts";
import { formReady } from "./support/visitor.ts";

const settings = { ...pageSettings, site: { ...pageSettings.site, languages: ["en", "es"] } };
const { open } = useBrowser();
const site = useSite(settings);
const onlyEnglish = useSite();

beforeEach(() => site.reset());

describe("the Spanish pages", () => {
  it("are not there unless LANGUAGES names them, and a language without a folder is refused in words", async () => {
    expect((await fetch(onlyEnglish.url("/es"))).status).toBe(404);
    expect(await (await fetch(onlyEnglish.url())).text()).not.toContain("hreflang");
    const odd = { ...pageSettings, site: { ...pageSettings.site, languages: ["en", "xx"] } };
    await expect(loadSite(odd)).rejects.toThrow(
      `LANGUAGES names xx, and the pages are written in: ${languageCodes.join(", ")}.`,
    );
  });

  it.each([
    ["English", ["en", "es"], "en", "Sponsored"],
    ["Spanish", ["es", "en"], "es", "Patrocinado"],
  ])(
    "name the site in %s to a phone's start screen where that is the first language",
    (_, languages, lang, label) => {
      const { text = "" } =
        siteFiles({ ...settings, site: { ...settings.site, languages } }).get("/site.webmanifest") ?? {};
      expect(JSON.parse(text)).toMatchObject({ lang, name: expect.stringMatching(`^${label}: `) });
    },
  );

  it.each(["/es", "/es/thank-you", "/es/nothing"])("say that they are in Spanish: %s", async (path) => {
    const page = await open(site.url(path));
    expect(await page.locator("html").getAttribute("lang")).toBe("es-US");
  });

  it("have the sections of the specification in its order, with the form mid-article", async () => {
    const page = await open(site.url("/es"));
    const text = await page.locator("body").innerText();
    expect(text.split("\n")[0]).toBe("Contenido patrocinado");
    expect(text).toContain("5 min de lectura");
    expect(await page.getByRole("main").getByRole("heading", { level: 2 }).allInnerTexts()).toEqual([
      "Cómo funciona",
      "Beneficios principales",
      "Ideal para personas mayores que necesitan más apoyo",
      "Vea si usted califica",
      "Cobertura de Medicare disponible",
      "El futuro del cuidado de la diabetes ya está aquí",
      "De dónde salen estos datos",
    ]);
  });

  it("make the same claims, from the same sources", async () => {
    const page = await open(site.url("/es"));
    const text = await page.getByRole("article").innerText();
    for (const [name, { says }] of Object.entries(claims)) {
      // These two are made only where the provider has said whether it accepts Medicare's assignment.
      if (!["shareAccepted", "shareNotAccepted"].includes(name)) expect(text).toContain(says);
    }
    const links = page.locator(".sources a");
    expect(await links.evaluateAll((ones) => ones.map((one) => one.getAttribute("href")))).toEqual(
      Object.values(sources).map(({ url }) => url),
    );
  });

  it("link to the English ones and are linked from them, for readers and for search engines", async () => {
    for (const [path, other, link] of [
      ["/", "/es", "Leer en español"],
      ["/es", "/", "Read this in English"],
    ] as const) {
      const page = await open(site.url(path));
      expect(await page.getByRole("link", { name: link }).getAttribute("href")).toBe(other);
      const alternates = page.locator('link[rel="alternate"]');
      expect(
        await alternates.evaluateAll((ones) =>
          (ones as HTMLLinkElement[]).map((one) => [one.hreflang, one.href]),
        ),
      ).toEqual([
        ["en-US", "http://localhost/"],
        ["es-US", "http://localhost/es"],
        ["x-default", "http://localhost/"],
      ]);
      expect(await page.locator('link[rel="canonical"]').getAttribute("href")).toBe(
        `http://localhost${path}`,
      );
    }
    expect(await (await fetch(site.url("/sitemap.xml"))).text()).toContain("<loc>http://localhost/es</loc>");
  });

  it("have a share card and data for search engines in Spanish", async () => {
    const page = await open(site.url("/es"));
    const openGraph = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute("content");
    expect(await openGraph("title")).toMatch(/^Contenido patrocinado: Un nuevo aparato/);
    expect(await openGraph("locale")).toBe("es_US");
    const data = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? "");
    const { headline, standfirst } = textsIn("es").article;
    expect(data).toMatchObject({ inLanguage: "es-US", url: "http://localhost/es" });
    expect(data).toMatchObject({ headline, description: standfirst });
    const path = new URL((await openGraph("image")) ?? "").pathname;
    expect(path).toContain("share-card-es-");
    const cardAt = (path: string) => site.site().pages.get(path)?.encodings[0]?.bytes;
    const [card, english] = [cardAt(path), cardAt(path.replace("share-card-es-", "share-card-en-"))];
    for (const one of [card, english])
      expect(await sharp(one).metadata()).toMatchObject({ format: "png", width: 1200, height: 630 });
    expect(card).not.toEqual(english);
  });

  it("show a notice of their own, whose hash the form states, and whose copy the thank-you page has", async () => {
    const notice = permissionNotices(settings).find(({ language }) => language === "es");
    const page = await open(site.url("/es"));
    expect(await page.locator(".notice").evaluate((one) => one.textContent)).toBe(notice?.text);
    expect(await page.locator("form [name=notice]").inputValue()).toBe(notice?.hash);
    const thanks = await open(site.url("/es/thank-you"));
    expect(await thanks.locator("main .aside").evaluate((one) => one.textContent)).toBe(notice?.text);
  });

  it("fit the first TCP flight, and the thank-you page one printed sheet, as in English", async () => {
    const bodies =
      site
        .site()
        .pages.get("/es")
        ?.encodings.map(({ bytes }) => bytes.length) ?? [];
    expect(Math.min(...bodies)).toBeLessThan(13_400);
    const page = await open(site.url("/es/thank-you"));
    const pdf = await page.pdf({ format: "Letter" });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  it("are written in letters that the page's own font has", async () => {
    const page = await open(site.url("/es"));
    const text = `${await page.locator("body").innerText()}${await (await open(site.url("/es/thank-you"))).locator("body").innerText()}`;
    const known = charactersOf(new URL("../site/atkinson-400.woff2", import.meta.url));
    expect([...text.replaceAll(/\s/g, "")].filter((letter) => !known.has(letter))).toEqual([]);
  });
});

describe("the Spanish form", () => {
  it("asks in Spanish, sends the same six fields, and leads to the Spanish thank-you page", async () => {
    const page = await open(site.url("/es"));
    await page.getByLabel("Nombre completo *").fill("Ana Ruiz");
    await page.getByLabel("Correo electrónico *").fill("ana@example.org");
    await page.getByLabel("Número de teléfono *").fill("305 555 0142");
    await page.getByLabel("Código postal (ZIP) *").fill("33101");
    await page.getByLabel("Tengo Medicare").check();
    await formReady(page);
    await page.getByRole("button", { name: "Vea ahora si califica", exact: true }).click();
    await page.waitForURL("**/es/thank-you");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Gracias por su interés");
    expect(JSON.parse(site.calls[0]?.body ?? "")).toEqual({
      name: "Ana Ruiz",
      email: "ana@example.org",
      phone: "305 555 0142",
      zip_code: "33101",
      has_medicare: true,
      has_diabetes: false,
    });
  });

  it.each([
    ["Please enter your phone number.", "Por favor, escriba su número de teléfono.", "phone"],
    ["Something new.", /^No se pudo enviar\..*: Something new\.$/, undefined],
  ])("says a refusal in Spanish: %s", async (sent, said, field) => {
    site.reply("/rest/v1/leads", { status: 400, body: JSON.stringify({ message: sent }) });
    const page = await open(site.url("/es"));
    for (const id of ["name", "phone", "zip_code"]) await page.locator(`#${id}`).fill("x");
    await page.locator("#email").fill("x@example.org");
    await formReady(page);
    await page.getByRole("button").click();
    const banner = page.getByRole("alert");
    await banner.waitFor();
    expect(await banner.locator(".message").innerText()).toMatch(said);
    expect(await banner.innerText()).toContain("Lo que usted escribió sigue aquí.");
    expect(await page.locator("[aria-invalid]").evaluateAll((ones) => ones.map((one) => one.id))).toEqual(
      field ? [field] : [],
    );
  });

  it("says in Spanish that the server did not answer", async () => {
    site.reply("/rest/v1/leads", "hang up");
    const page = await open(site.url("/es"));
    for (const id of ["name", "phone", "zip_code"]) await page.locator(`#${id}`).fill("x");
    await page.locator("#email").fill("x@example.org");
    await formReady(page);
    await page.getByRole("button").click();
    expect(await page.getByRole("alert").locator(".message").innerText()).toMatch(/^No pudimos comunicarnos/);
  });
});

describe("the Spanish language", () => {
  it.each([
    ["azúcar", 3],
    ["lingüística", 4],
    ["veintiún", 2],
    ["continuo", 3],
    ["día", 2],
    ["cuidado", 3],
    ["aérea", 4],
    ["Medicare", 4],
    ["guitarra", 3],
    ["que", 1],
    ["pingüino", 3],
    ["leer", 2],
    ["MCG", 3],
  ])("is measured by its syllables: %s has %i", (word, syllables) => {
    expect(syllablesInSpanish(word)).toBe(syllables);
  });

  it("of a text that is known to be hard is measured as hard", () => {
    const hard =
      "La determinación de elegibilidad requiere documentación exhaustiva respecto de acontecimientos hipoglucémicos, tratamientos farmacológicos prescritos y consultas médicas contemporáneas.";
    expect(inflesz([hard])).toBeLessThan(40);
  });
});
