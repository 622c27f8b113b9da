// The kind of device that a browser names, in our own words: phone, tablet, computer or bot; unknown where it names nothing.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deviceOf } from "../campaigns/device.ts";
import { browsers } from "./support/counts.ts";
import { makeDatabase } from "./support/database.ts";

const database = await makeDatabase();

describe("the kind of device", () => {
  it.each([
    ["phone", "phone"],
    ["iphone", "phone"],
    ["tablet", "tablet"],
    ["computer", "computer"],
    ["facebookOnIphone", "phone"],
    ["facebookOnAndroid", "phone"],
    ["instagramOnIphone", "phone"],
    ["instagramOnAndroid", "phone"],
    ["googlebot", "bot"],
    ["facebooksPreview", "bot"],
  ] as const)("of %s is %s by the installed release of the list of bots", (name, device) => {
    expect(deviceOf(browsers[name])).toBe(device);
  });

  it("rests on one exact release of the list of bots, on Node and on Deno", () => {
    const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const deno = JSON.parse(
      readFileSync(new URL("../supabase/functions/submit-lead/deno.json", import.meta.url), "utf8"),
    );
    expect(dependencies.isbot).toMatch(/^\d+\.\d+\.\d+$/);
    expect(deno.imports.isbot).toBe(`npm:isbot@${dependencies.isbot}`);
  });

  it("is the one that the database tells of a lead's browser, unless that is a bot", async () => {
    const piece = fc.constantFrom(
      "Android",
      "Mobile",
      "iPhone",
      "iPad",
      "iPod",
      "Tablet",
      "Silk",
      "Windows NT",
      "Mobi",
      " ",
      ";",
      "x",
    );
    // As browsers state it, because the list takes most statements of a few words for a bot's.
    const statement = fc
      .array(piece, { maxLength: 5 })
      .map(
        (pieces) =>
          `Mozilla/5.0 (${pieces.join("")}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0`,
      );
    const all = [...fc.sample(statement, 1000), ...Object.values(browsers), ""].filter(
      (one) => deviceOf(one) !== "bot",
    );
    expect(all.length).toBeGreaterThan(500);
    expect(new Set(all.map((one) => deviceOf(one)))).toEqual(
      new Set(["phone", "tablet", "computer", "unknown"]),
    );
    const rows = await database.owner<{ device: string }[]>`
      select private.device_of(s.statement) as device
      from jsonb_array_elements_text(${JSON.stringify(all)}::text::jsonb) with ordinality as s (statement, nth) order by s.nth`;
    expect(all.map((one) => deviceOf(one))).toEqual(rows.map(({ device }) => device));
  });
});
