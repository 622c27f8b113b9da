// The share card: the picture that social networks and messengers show of a link to the article.
import { describe, expect, it } from "vitest";
import { makeLog } from "../log/log.ts";
import { drawShareCard } from "../site/share-card.ts";
import { loadSite } from "../web/pages.ts";
import { pageSettings, useSite } from "./support/site.ts";

const site = useSite();

describe("the share card", () => {
  const other = useSite({ ...pageSettings, provider: { name: "Müller Supply" } });
  const cardOf = (provider: object) => drawShareCard({ language: "en", provider, photo: undefined });
  it("names who pays, also when the pages were built for another", async () => {
    const cardAt = async (address: string) => {
      const html = await (await fetch(address)).text();
      const path = /og:image" content="[^"]{0,60}(\/assets\/[^"]*)"/.exec(html)?.[1] ?? "";
      const answer = await fetch(new URL(path, address));
      return {
        path,
        type: answer.headers.get("content-type"),
        bytes: Buffer.from(await answer.arrayBuffer()),
      };
    };
    const [usual, named] = await Promise.all([cardAt(site.url()), cardAt(other.url())]);
    expect([usual.type, named.type]).toEqual(["image/png", "image/png"]);
    expect(named.path).not.toBe(usual.path);
    expect(named.bytes).toEqual(await cardOf({ name: "Müller Supply" }));
    expect(named.bytes).not.toEqual(await cardOf({ name: "M?ller Supply" }));
    expect(usual.bytes).toEqual(await cardOf({}));
  });

  it("is left out where it cannot be drawn, also of the article's own metadata, and the log says so", async () => {
    let line = "";
    const log = makeLog((one) => (line += one));
    const name = "A name that fills the card and more. ".repeat(40);
    const { pages } = await loadSite({ ...pageSettings, provider: { name } }, [], log);
    // The build's own card, for another provider, is there all the same.
    expect([...pages.keys()].filter((path) => path.includes("share-card"))).toHaveLength(1);
    const html = pages.get("/")?.encodings.at(-1)?.bytes.toString() ?? "";
    expect(html).toContain('property="og:title"');
    expect(html).not.toMatch(/og:image|share-card|"image":/);
    expect(line).toMatch(/^\S+ warn share-card-not-drawn: .{0,200} language=en code=Error\n$/);
  });
});
