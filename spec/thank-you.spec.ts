// The thank-you page and the page for an address that leads nowhere: calm, and without a script.
import { describe, expect, it } from "vitest";
import { permissionNotices } from "../content/permission.ts";
import { completeProvider } from "../content/provider.ts";
import { useBrowser } from "./support/browser.ts";
import { pageSettings, useSite } from "./support/site.ts";

const { open } = useBrowser();
const site = useSite();
const { provider } = completeProvider({});

describe("the thank-you page", () => {
  it("thanks the visitor and says that the information was received", async () => {
    const page = await open(site.url("/thank-you"));
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Thank You for Your Interest");
    await page.getByText("We have received your information. We will contact you shortly.").waitFor();
  });

  it("lists what happens next in three steps, the first within 24 hours", async () => {
    const page = await open(site.url("/thank-you"));
    await page.getByRole("heading", { name: "What happens next" }).waitFor();
    expect(await page.getByRole("list").getByRole("listitem").allInnerTexts()).toEqual([
      "Our team reviews your eligibility within 24 hours.",
      "A specialist contacts you to talk about your answers.",
      `If you qualify, ${provider.name} helps you start with the device. Your doctor has to order it first.`,
    ]);
  });

  it("says who will call, from which number, and that Medicare itself does not", async () => {
    const page = await open(site.url("/thank-you"));
    const text = await page.getByRole("main").innerText();
    expect(text).toContain(`The call comes from ${provider.name}.`);
    expect(text).toContain(provider.callsFrom);
    expect(text).toContain("Medicare itself does not call people to sell them things.");
  });

  it("gives the person a copy of what they agreed to, and says that the page can be printed", async () => {
    const page = await open(site.url("/thank-you"));
    const [notice] = permissionNotices(pageSettings);
    const copy = page.getByRole("main").locator(".aside");
    expect(await copy.evaluate((one) => one.textContent)).toBe(notice?.text);
    const text = await page.getByRole("main").innerText();
    expect(text).toContain("You can print it");
  });

  it("warns of callers who ask for the Medicare number, and gives Medicare's own telephone number", async () => {
    const page = await open(site.url("/thank-you"));
    const text = await page.getByRole("main").innerText();
    expect(text).toContain("Never give your Medicare number to someone who calls you out of the blue.");
    expect(text).toContain("1-800-MEDICARE (1-800-633-4227)");
  });

  it("carries no script, and asks search engines not to list it", async () => {
    const page = await open(site.url("/thank-you"));
    expect(await page.locator("script").count()).toBe(0);
    expect(await page.locator('meta[name="robots"]').getAttribute("content")).toBe("noindex");
  });

  it("prints on one sheet", async () => {
    const page = await open(site.url("/thank-you"));
    const pdf = await page.pdf({ format: "Letter" });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });
});

describe("an address that leads nowhere", () => {
  it("answers 404 with a friendly page that leads back, and no script", async () => {
    const page = await open();
    const answer = await page.goto(site.url("/no/such/page"));
    expect(answer?.status()).toBe(404);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("We cannot find that page");
    expect(await page.locator("script").count()).toBe(0);
    await page
      .getByRole("main")
      .getByRole("link", { name: /Read our article/ })
      .click();
    await page.waitForURL(site.url("/"));
  });
});
