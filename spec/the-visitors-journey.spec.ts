// The whole journey in a real browser against the running product: from the article to the lead in the table.
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useBrowser } from "./support/browser.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import { startServer } from "./support/server.ts";
import { fillIn, submit } from "./support/visitor.ts";

let database: TestDatabase;
let address: string;
beforeAll(async () => {
  database = await makeDatabase();
  ({ address } = await startServer({ DATABASE_URL: database.url, LANGUAGES: "en,es" }));
});
beforeEach(() => database.owner`delete from leads`);
const { open } = useBrowser();

const stored = () =>
  database.owner`select name, email, phone, zip_code, has_medicare, has_diabetes from leads`;

describe.each([
  ["with script", true],
  ["without script", false],
])("a visitor %s", (_, javaScriptEnabled) => {
  it("reads the article, submits the form and is thanked, and the lead is stored as typed", async () => {
    const page = await open(address, { javaScriptEnabled });
    await fillIn(page, aLead());
    await submit(page);
    await page.waitForURL(`${address}/thank-you`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Thank You for Your Interest");
    expect(await stored()).toEqual([aLead()]);
  });

  it("is told what to correct when a field holds only blanks, and everything typed stays", async () => {
    const page = await open(address, { javaScriptEnabled });
    await fillIn(page, aLead({ phone: "   " }));
    await submit(page);
    await page.getByRole("alert").getByText("Please enter your phone number.").waitFor();
    expect(await page.getByLabel("Full Name *").inputValue()).toBe("Rosa Martinez");
    expect(await page.getByLabel("I have Medicare").isChecked()).toBe(true);
    expect(page.url()).toBe(`${address}/`);
    await page.getByLabel("Phone Number *").fill("(305) 555-0142");
    await submit(page);
    await page.waitForURL(`${address}/thank-you`);
    expect(await stored()).toEqual([aLead()]);
  });

  it("never has the text of a field in an address", async () => {
    const page = await open(address, { javaScriptEnabled });
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await fillIn(page, aLead());
    await submit(page);
    await page.waitForURL(`${address}/thank-you`);
    expect(addresses.length).toBeGreaterThan(1);
    for (const value of ["Rosa", "Martinez", "rosa@", "5550142", "555-0142", "33101", "has_medicare"]) {
      expect(addresses.filter((url) => url.replace(address, "").includes(value))).toEqual([]);
    }
  });
});

describe("a visitor without script who types more than any form takes", () => {
  it("is told so, and that the form is empty again", async () => {
    const page = await open(address, { javaScriptEnabled: false });
    await fillIn(page, aLead({ name: "x".repeat(17_000) }));
    await submit(page);
    await page.getByRole("alert").getByText("What you typed is too long for this form.").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("Please fill in the form again.");
    expect(await page.getByLabel("Email Address *").inputValue()).toBe("");
  });
});

describe.each([
  ["with script", true],
  ["without script", false],
])("a visitor who reads Spanish, %s", (_, javaScriptEnabled) => {
  it("is refused and thanked in Spanish, and the lead carries the Spanish wording of the permission", async () => {
    const page = await open(`${address}/es`, { javaScriptEnabled });
    await fillInSpanish(page, { ...aLead(), phone: "   " });
    await page.getByRole("button", { name: "Vea ahora si califica" }).click();
    const link = page
      .getByRole("alert")
      .getByRole("link", { name: "Por favor, escriba su número de teléfono." });
    await link.waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("es-US");
    expect(await page.getByLabel("Nombre completo *").inputValue()).toBe("Rosa Martinez");
    await page.getByLabel("Número de teléfono *").fill("(305) 555-0142");
    await page.getByRole("button", { name: "Vea ahora si califica" }).click();
    await page.waitForURL(`${address}/es/thank-you`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Gracias por su interés");
    expect(await page.locator("html").getAttribute("lang")).toBe("es-US");
    expect(await stored()).toEqual([aLead()]);
    const [wording] = await database.owner`
      select n.language, n.text from private.permissions p join private.notices n on n.hash = p.notice_hash`;
    expect(wording).toMatchObject({
      language: "es",
      text: expect.stringMatching(/^Al enviar este formulario/),
    });
  });
});

const fillInSpanish = async (page: Page, lead: ReturnType<typeof aLead>) => {
  for (const field of ["name", "email", "phone", "zip_code"] as const)
    await page.locator(`#${field}`).fill(lead[field]);
  await page.getByLabel("Tengo Medicare").setChecked(lead.has_medicare);
};

describe("a visitor whose address carries a campaign", () => {
  it("leaves its utm_* words, and no click id, with the permission", async () => {
    const page = await open(`${address}/?utm_source=mail&utm_campaign=fall&fbclid=secret`);
    await fillIn(page, aLead());
    await submit(page);
    await page.waitForURL(`${address}/thank-you`);
    const [permission] = await database.owner`select page_path, utm from private.permissions`;
    expect(permission).toEqual({ page_path: "/", utm: { utm_source: "mail", utm_campaign: "fall" } });
  });
});
