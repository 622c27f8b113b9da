// Every sentence that a visitor can be refused with, as the intake and the database send it, and as each language says it.
import { describe, expect, it } from "vitest";
import { languageCodes, textsIn } from "../content/languages.ts";
import { fieldNamedIn, type RefusalName, refusalIn, refusalsAsSent } from "../content/refusals.ts";
import { refusalOfFailure } from "../intake/insert-lead.ts";
import * as refusals from "../intake/refusals.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase } from "./support/database.ts";

const { intake, owner } = await makeDatabase();
const sentences = Object.values(refusalsAsSent) as string[];

/** What the intake says of a lead that the database refuses. */
async function messageOf(lead: ReturnType<typeof aLead>): Promise<string> {
  const error = await intake`insert into public.leads ${intake(lead)}`.catch((error: Error) => error);
  const log = makeLog(() => {});
  return refusalOfFailure(error, log).message;
}

describe("a refusal", () => {
  it.each(["name", "email", "phone", "zip_code"] as const)(
    "of the database for a blank or too long %s is known to the pages and names that field",
    async (field) => {
      for (const value of ["  ", "x".repeat(501)]) {
        const message = await messageOf(aLead({ [field]: value }));
        expect(sentences).toContain(message);
        expect(fieldNamedIn(message)).toBe(field);
      }
    },
  );

  it("of the intake is known to the pages, if a visitor can cause it", () => {
    const sent = [
      refusals.tooLarge,
      refusals.tooManyTries(60),
      refusals.wrongKey,
      refusals.wrongToken,
      refusals.notARequest,
      refusals.tooSlow,
      refusals.headersTooLarge,
      refusals.databaseUnreachable("The database could not store the lead."),
      refusals.broken,
    ];
    for (const { message } of sent) expect(sentences).toContain(message);
  });

  it("of a lead sent from another site's page is known to the pages", async () => {
    await owner`update private.settings set allowed_origins = array['https://www.example.com']`;
    const headers = { origin: "https://elsewhere.example", host: "www.example.com" };
    const lead = aLead({ request_headers: headers });
    expect(await messageOf(lead)).toBe(refusalsAsSent.foreignPage);
  });

  it("is shown as sent in English, and in its own words in each other language", () => {
    for (const code of languageCodes) {
      const texts = textsIn(code);
      for (const [name, sent] of Object.entries(refusalsAsSent)) {
        expect(refusalIn(texts, sent)).toBe(code === "en" ? sent : texts.refusals[name as RefusalName]);
      }
    }
  });

  it("that no page knows is shown as sent in English, and after a Spanish sentence on a Spanish page", () => {
    expect(refusalIn(textsIn("en"), "Quota exceeded")).toBe("Quota exceeded");
    expect(refusalIn(textsIn("es"), "Quota exceeded")).toBe(
      "No se pudo enviar. Por favor, intente otra vez. El mensaje que recibimos dice: Quota exceeded",
    );
  });
});
