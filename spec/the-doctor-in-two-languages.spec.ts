// The doctor on a site in English and Spanish: each language has its article and its thank-you page.
import { afterEach, describe, expect, it } from "vitest";
import { examinePages } from "../doctor/pages.ts";
import { buildSite, startStaticHost } from "./support/static-host.ts";

const host = await startStaticHost();
const backend = { url: "http://127.0.0.1:9", key: "sb_publishable_of_the_spec" };
host.folder = await buildSite({
  SITE_URL: host.url,
  VITE_SUPABASE_URL: backend.url,
  VITE_SUPABASE_ANON_KEY: backend.key,
  LANGUAGES: "en,es",
});

const examine = () => examinePages({ ...backend, site: host.url });
const answering = (path: string) => {
  host.override = (asked) =>
    asked === path ? { status: 404, type: "text/html", body: "not here" } : undefined;
};

afterEach(() => {
  host.override = undefined;
});

describe("the doctor, on a site in two languages,", () => {
  it("finds the thank-you page of each", async () => {
    const says = (await examine()).map((finding) => finding.says);
    expect(says).toContain("The thank-you page is there.");
    expect(says).toContain("The thank-you page /es/thank-you is there.");
  });

  it("names the thank-you page that is missing, with the file that the host must serve there", async () => {
    answering("/es/thank-you");
    const findings = await examine();
    expect(findings).toContainEqual({
      is: "fail",
      says: "The thank-you page /es/thank-you is not there (404).",
      fix: expect.stringMatching(/^The host must serve es\/thank-you\.html at \/es\/thank-you\./),
    });
    expect(findings.map(({ says }) => says)).toContain("The thank-you page is there.");
  });

  it("looks for a thank-you page at the address to which the article's form leads", async () => {
    host.alter = (html) => html.replace('data-thank-you="/es/thank-you"', 'data-thank-you="/es/gracias"');
    expect((await examine()).map(({ says }) => says)).toContain(
      "The thank-you page /es/gracias is not there (404).",
    );
    host.alter = (html) => html;
  });

  it("looks for the thank-you page of a language whose article is missing, too", async () => {
    answering("/es");
    expect((await examine()).map(({ says }) => says)).toContain("The thank-you page /es/thank-you is there.");
  });
});
