// The visitor's journey in the engines of Firefox and Safari, with scripts and where the page's policy refuses them. The other chapters run
// in Chromium.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { atTheEnd } from "./support/at-the-end.ts";
import { aLead, makeDatabase, type TestDatabase } from "./support/database.ts";
import type { Engine } from "./support/engine.ts";
import { firefox } from "./support/firefox.ts";
import { startServer } from "./support/server.ts";
import { webkit } from "./support/webkit.ts";

let database: TestDatabase;
let address: string;
let withoutScript: string;
beforeAll(async () => {
  database = await makeDatabase();
  ({ address } = await startServer({ DATABASE_URL: database.url }));
  withoutScript = await startScriptBlocker(address);
});
beforeEach(() => database.owner`delete from leads`);

const stored = () =>
  database.owner`select name, email, phone, zip_code, has_medicare, has_diabetes from leads`;

for (const { name, missingPackages, launch } of [firefox, webkit]) {
  describe(name, () => {
    if (missingPackages) {
      // biome-ignore lint/suspicious/noSkippedTests: the engine is not there, and the run names what was skipped.
      it.skip(`is not installed here: apt-get install ${missingPackages}`, () => {});
      return;
    }
    let engine: Engine;
    beforeAll(async () => {
      engine = await launch();
    });
    afterAll(() => engine?.close());

    const text = (selector: string) =>
      engine.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);
    const appears = (selector: string, words: string) =>
      expect.poll(() => text(selector).catch(() => "")).toContain(words);
    const fillIn = async (lead: ReturnType<typeof aLead>) => {
      for (const field of ["name", "email", "phone", "zip_code"] as const)
        await engine.fill(`#${field}`, lead[field]);
      await engine.click("input[name=has_medicare]");
    };

    describe.each([
      ["with script", () => address, true],
      ["with its scripts refused", () => withoutScript, false],
    ])("%s", (_, at, hasScript) => {
      const open = async () => {
        await engine.goto(at());
        if (!hasScript) return;
        await engine.click("#name");
        await expect
          .poll(() => engine.evaluate(`document.getElementById("lead-form").dataset.ready`))
          .toBe("");
      };

      it("carries a visitor from the article to the thank-you page, and the lead is stored as typed", async () => {
        await open();
        await fillIn(aLead());
        await engine.click("form button");
        await appears("h1", "Thank You for Your Interest");
        expect(await engine.evaluate("location.pathname")).toBe("/thank-you");
        expect(await stored()).toEqual([aLead()]);
      });

      it("shows a refusal at the field and in the banner, keeps what was typed, and takes the correction", async () => {
        await open();
        await fillIn(aLead({ phone: "   " }));
        await engine.click("form button");
        await appears("[role=alert] .message a", "Please enter your phone number.");
        expect(await text("#phone-wrong")).toBe("Please enter your phone number.");
        expect(await engine.evaluate(`document.querySelector("[aria-invalid=true]").id`)).toBe("phone");
        expect(await engine.evaluate(`document.activeElement.getAttribute("role")`)).toBe("alert");
        expect(await engine.evaluate(`document.getElementById("name").value`)).toBe("Rosa Martinez");
        expect(await engine.evaluate("document.title")).toMatch(/^Error: /);
        await engine.fill("#phone", "(305) 555-0142");
        await engine.click("form button");
        await appears("h1", "Thank You for Your Interest");
        expect(await stored()).toEqual([aLead()]);
      });
    });
  });
}

/** Passes everything on to the site, and has the browser run none of its scripts. */
async function startScriptBlocker(site: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { host, ...headers } = incoming.headers;
    const onward = request(site + incoming.url, { method: incoming.method ?? "GET", headers }, (answer) => {
      const policy = { "content-security-policy": "script-src 'none'" };
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...policy });
      answer.on("error", () => outgoing.destroy()).pipe(outgoing);
    });
    // A site that goes away while it answers ends the request, and not the chapter.
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
