// Experiments with the article: what a variant may change, which proof it needs, and how a page load gets one.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "../config/config.ts";
import { checkExperiments } from "../content/check-experiments.ts";
import type { Changes, Experiment } from "../content/experiment.ts";
import { experiments } from "../content/experiments.ts";
import { languageCodes, textsIn } from "../content/languages.ts";
import { currentBuild } from "../site/build-folder.ts";
import { rendererModule } from "../site/renderer.ts";
import { writeStaticSite } from "../site/static-site.ts";
import { answerFor, type Page } from "../web/page.ts";
import { loadSite, type Site } from "../web/pages.ts";
import { anExperiment, approved } from "./support/an-experiment.ts";
import { articlePaths, inEveryLanguage, pageSettings } from "./support/site.ts";

const htmlOf = (page: Page | undefined) => page?.encodings.at(-1)?.bytes.toString() ?? "";
const articleOf = (site: Site) => site.pages.get("/") as Page;

describe("the pages, while no experiment runs", () => {
  it("are the original: nothing in them, nor in what is sent with them, speaks of a variant", async () => {
    expect(experiments).toEqual([]);
    const [asListed, withNone] = [await loadSite(inEveryLanguage), await loadSite(inEveryLanguage, [])];
    for (const path of articlePaths) {
      const page = asListed.pages.get(path) as Page;
      expect(htmlOf(page)).toBe(htmlOf(withNone.pages.get(path)));
      expect(htmlOf(page)).not.toMatch(/name="variant"|original/);
      expect(page).not.toHaveProperty("variants");
      expect(page.headers["cache-control"]).toBe("no-cache");
    }
  });

  it("are the original again, byte for byte, once the experiment has ended", async () => {
    const ended = anExperiment({ endedOn: "2026-11-20" });
    const [before, after] = [await loadSite(pageSettings, []), await loadSite(pageSettings, [ended])];
    expect(htmlOf(articleOf(after))).toBe(htmlOf(articleOf(before)));
    expect(articleOf(after).headers).toEqual(articleOf(before).headers);
  });
});

describe("an experiment", () => {
  const refusalOf = (...list: Experiment[]) => {
    try {
      checkExperiments(list, "2026-11-21");
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const subject = 'The variant "fewer-finger-sticks"';
  const withHeadline = (differences: object) =>
    anExperiment({ changes: { headline: approved("Fewer Finger-Sticks", differences) } });

  it("may be shown when each of its changes is substantiated, sourced, approved and dated", () => {
    const elsewhere = approved("Words.", { source: "https://www.medicare.gov/coverage" });
    expect(
      refusalOf(anExperiment({ changes: { headline: approved("Words."), standfirst: elsewhere } })),
    ).toBe("");
  });

  it.each<[string, Experiment, string]>([
    ["substantiation", withHeadline({ substantiation: " " }), "its headline has no substantiation."],
    ["source", withHeadline({ source: undefined }), "its headline names no source"],
    ["source that can be opened", withHeadline({ source: "a friend" }), "its headline names no source"],
    ["approver", withHeadline({ approvedBy: "" }), "its headline names no approver in approvedBy."],
    [
      "approver's name",
      withHeadline({ approvedBy: 7 as unknown as string }),
      "its headline names no approver in approvedBy.",
    ],
    ["day of approval", withHeadline({ approvedOn: "last week" }), "its headline has no day of approval"],
    ["day of approval that exists", withHeadline({ approvedOn: "2026-02-30" }), "has no day of approval"],
    [
      "approval by the day of its start",
      withHeadline({ approvedOn: "2026-11-11" }),
      "is approved on a day after the start.",
    ],
    ["words", withHeadline({ shows: "" }), "its headline shows nothing."],
    [
      "description of its picture",
      anExperiment({ changes: { picture: approved({ file: "a.jpg", alt: "", caption: "A." }) } }),
      "its picture has an empty text in it.",
    ],
  ])("is refused without %s, in a plain sentence", (_, experiment, sentence) => {
    expect(refusalOf(experiment)).toContain(
      `- ${subject} is not to be shown: ${sentence.replace(/^(?!its)/, "its headline ")}`,
    );
  });

  it.each<[string, Partial<Experiment>, string]>([
    [
      "with a placeholder that nothing fills",
      { changes: { opening: approved([["Call {tel}, or {teléfono}."]]) } },
      `${subject} is not to be shown: its opening has {tel}, which nothing fills there.
  - ${subject} is not to be shown: its opening has {teléfono}, which nothing fills there.`,
    ],
    ["that changes nothing", { changes: {} }, `${subject} changes nothing.`],
    ["without a first day", { startedOn: "soon" }, `${subject} has no day in startedOn, such as 2026-12-01.`],
    [
      "that starts tomorrow",
      { startedOn: "2026-11-22" },
      `${subject} starts on a day to come (days are of UTC). Add it on that day.`,
    ],
    ["that ends before its start", { endedOn: "2026-11-09" }, `${subject} has an endedOn before its start.`],
    ["whose end is no day", { endedOn: "soon" }, `${subject} has no day in endedOn, such as 2026-12-01.`],
    [
      "that ends on a day to come, because endedOn takes it off at once",
      { endedOn: "2026-12-31" },
      `${subject} ends on a day to come`,
    ],
    [
      "for a language without pages",
      { language: "xx" as "en" },
      `${subject} is in no language that the pages have (${languageCodes.join(", ")}).`,
    ],
    ["without a name", { variant: undefined as unknown as string }, "needs a name"],
    [
      "with a brace alone",
      { changes: { headline: approved("Call {phone") } },
      "its headline has a brace without its other one.",
    ],
    ["without a plan", { plan: null as unknown as Experiment["plan"] }, `${subject} has no usable plan`],
    [
      "with a plan whose numbers are texts",
      { plan: { rate: "0.02", lift: "0.3" } as unknown as Experiment["plan"] },
      `${subject} has no usable plan`,
    ],
    ["without an effect to find", { plan: { rate: 0.02, lift: 0 } }, `${subject} has no usable plan`],
    ["whose name is the original's", { variant: "original" }, 'The variant "original" needs another name'],
    ["whose name no header can carry", { variant: "Größer" }, 'The variant "Größer" needs another name'],
  ])("is refused %s", (_, differences, sentence) => {
    expect(refusalOf(anExperiment(differences))).toContain(sentence);
  });

  it.each([
    ["headline", ["Fewer", "finger-sticks"], 'no text, such as "Words."'],
    ["headline", 7, 'no text, such as "Words."'],
    ["standfirst", ["Words."], 'no text, such as "Words."'],
    ["opening", "A paragraph.", 'no paragraphs, such as [["A sentence.", "Another one."]].'],
    ["extraSupport", ["A paragraph."], 'no paragraphs, such as [["A sentence.", "Another one."]].'],
    ["future", [["A sentence.", ["Another one."]]], "no paragraphs"],
    [
      "picture",
      "garden.jpg",
      'no picture, such as { file: "garden.jpg", alt: "Words.", caption: "Words." }.',
    ],
    ["picture", { alt: "A garden.", caption: "A garden." }, "no picture"],
  ])(
    "is refused in a sentence where its %s is something that the page cannot show: %j",
    (place, shows, sentence) => {
      const changes: Changes = Object.fromEntries([[place, approved(shows)]]);
      expect(refusalOf(anExperiment({ changes }))).toContain(
        `- ${subject} is not to be shown: its ${place} shows ${sentence}`,
      );
    },
  );

  it("is refused for each day that is no day, and nothing is said of the order of such days", () => {
    const changes = { headline: approved("Fewer Finger-Sticks", { approvedOn: "last week" }) };
    expect(
      refusalOf(anExperiment({ changes, startedOn: "soon", endedOn: "2026-11-20" })).split("\n"),
    ).toEqual([
      "The experiments in content/experiments.ts:",
      `  - ${subject} is not to be shown: its headline has no day of approval in approvedOn.`,
      `  - ${subject} has no day in startedOn, such as 2026-12-01.`,
    ]);
  });

  it("may be stopped on its first day, such as for a claim that turned out to be wrong", () => {
    const { startedOn } = anExperiment();
    expect(refusalOf(anExperiment({ endedOn: startedOn }))).toBe("");
  });

  it("is refused in a sentence where the list has an entry without anything in it", () => {
    expect(refusalOf(undefined as unknown as Experiment)).toContain("have an entry without anything in it");
  });

  it("is refused while another one runs, where it started before another one ended, and under a name that was used before", () => {
    const other = anExperiment({ variant: "b", language: "es", startedOn: "2026-11-16" });
    expect(refusalOf(anExperiment(), other)).toContain(
      `${subject} runs, and "b" has started on 2026-11-16: only one runs at a time.`,
    );
    const ended = anExperiment({ endedOn: "2026-11-17" });
    expect(refusalOf(other, ended)).toContain(
      `${subject} was ended on 2026-11-17, and "b" has started on 2026-11-16: only one runs at a time.`,
    );
    // On the day of endedOn the pages show the first one until the restart, and its original's loads would count for the other.
    expect(refusalOf(anExperiment({ endedOn: "2026-11-16" }), other)).toContain("only one runs at a time.");
    expect(refusalOf(anExperiment({ endedOn: "2026-11-15" }), other)).toBe("");
    const again = anExperiment({ startedOn: "2026-11-20" });
    expect(refusalOf(ended, again)).toContain('There are two variants "fewer-finger-sticks".');
  });

  it("keeps the server from starting as long as it is refused", async () => {
    await expect(loadSite(pageSettings, [withHeadline({ approvedBy: "" })])).rejects.toThrow(
      "names no approver",
    );
  });
});

describe("a variant", () => {
  it.each(["label", "notice", "form", "paidFor", "whoWeAre", "howItWorks", "coverage", "sources"])(
    "cannot change %s: the start refuses it, and the types do before that",
    (place) => {
      // @ts-expect-error a change of something that is not named in Changes
      const changes: Changes = { label: approved("Advice") };
      const differences = { changes: Object.fromEntries([[place, Object.values(changes)[0]]]) as Changes };
      expect(() => checkExperiments([anExperiment(differences)], "2026-11-21")).toThrow(
        `changes "${place}". An experiment may change only: headline, standfirst, picture, opening, extraSupport, future.`,
      );
    },
  );

  it("changes only what it names: all else stands in the original, in the same order, and with the original's words it is the original", async () => {
    const changes: Changes = {
      headline: approved("@1@"),
      standfirst: approved("@2@"),
      opening: approved([["@3@"]]),
      extraSupport: approved([["@4@"]]),
      future: approved([["@5@"]]),
    };
    const { renderArticle } = await rendererModule();
    for (const code of languageCodes) {
      const shown = renderArticle(inEveryLanguage, code, undefined, { name: "@6@", changes });
      const original = renderArticle(inEveryLanguage, code, undefined, { name: "original", changes: {} });
      // The headline stands in the title, too, so six changes divide the page into seven parts.
      const between = shown.replaceAll("@6@", "original").split(/@\d@/);
      expect(between).toHaveLength(7);
      let at = 0;
      for (const text of between) {
        const found = original.indexOf(text, at);
        expect(found, text.slice(0, 200)).toBeGreaterThanOrEqual(at);
        at = found + text.length;
      }
      expect(at).toBe(original.length);

      const { headline, standfirst, opening, extraSupport, future } = textsIn(code).article;
      const ofOriginal: Changes = {
        headline: approved(headline),
        standfirst: approved(standfirst),
        opening: approved(opening),
        extraSupport: approved(extraSupport.text),
        future: approved(future.text),
      };
      const same = renderArticle(inEveryLanguage, code, undefined, { name: "@6@", changes: ofOriginal });
      expect(same.replaceAll("@6@", "original")).toBe(original);
    }
  });

  it("changes only the title in the head: a shared link and a search engine's description have the original's words", async () => {
    const site = await loadSite(pageSettings, [anExperiment()]);
    const [original, variant] = (articleOf(site).variants ?? []).map(htmlOf);
    /** What networks and search engines read of the head: its tags, without the title that a reader sees. */
    const facts = (html = "") =>
      html
        .slice(html.indexOf('<meta name="description'), html.indexOf("</head>"))
        .split("<")
        .filter((tag) => /^(meta|link|script)/.test(tag));
    expect(facts(variant)).toEqual(facts(original));
    expect(facts(variant)?.length).toBeGreaterThan(8);
    expect(variant).toContain("<title>Sponsored: Fewer Finger-Sticks for Seniors");
  });

  it("still arrives in the first flight", async () => {
    const site = await loadSite(pageSettings, [anExperiment()]);
    for (const { encodings } of articleOf(site).variants ?? [])
      expect(encodings[0]?.bytes.length).toBeLessThan(13_600);
  });
});

describe("a page load during an experiment", () => {
  it("gets the original or the variant by chance, whatever it got before: no cookie, and no cache decides", async () => {
    const site = await loadSite(inEveryLanguage, [anExperiment()]);
    const page = articleOf(site);
    const etags = (page.variants ?? []).map(({ encodings }) => encodings[0]?.headers.etag ?? "");
    for (const known of [undefined, ...etags]) {
      const headers = new Headers({ "accept-encoding": "br", ...(known && { "if-none-match": known }) });
      const loads = Array.from({ length: 400 }, () => answerFor(page, headers));
      const counts = Map.groupBy(loads, ({ variant }) => variant);
      expect([...counts.keys()].sort()).toEqual(["fewer-finger-sticks", "original"]);
      // With fair chances, a count is below this about once in a billion times.
      for (const some of counts.values()) expect(some.length).toBeGreaterThan(140);
      for (const { status, variant, headers } of loads) {
        const isKnown = known !== undefined && known === etags[variant === "original" ? 0 : 1];
        expect([status, headers["set-cookie"], headers["cache-control"]]).toEqual([
          isKnown ? 304 : 200,
          undefined,
          "private, no-cache",
        ]);
      }
    }
    for (const path of articlePaths.slice(1)) expect(site.pages.get(path)).not.toHaveProperty("variants");
    expect(site.pages.get("/thank-you")?.headers["cache-control"]).toBe("no-cache");
  });

  it("has the variant's name in the form, and keeps it on the error page after a plain post", async () => {
    const site = await loadSite(pageSettings, [anExperiment()]);
    const refused = { lead: { name: "Rosa" }, message: "Please enter your phone number." };
    for (const [variant, headline] of [
      ["original", "A New Device Is Changing How Seniors Manage Blood Sugar"],
      ["fewer-finger-sticks", "Fewer Finger-Sticks for Seniors"],
    ] as const) {
      const shown = articleOf(site).variants?.find((one) => one.variant === variant);
      const { body } = site.article({ ...refused, variant });
      for (const html of [htmlOf(shown), body]) {
        expect(html).toContain(`<h1>${headline}</h1>`);
        expect(html).toContain(`<input type="hidden" name="variant" value="${variant}"/>`);
      }
      expect(body).toContain("Please enter your phone number.");
    }
  });

  it("is the original without a variant's name after a refused post that names none, or one that is not shown", async () => {
    const site = await loadSite(pageSettings, [anExperiment()]);
    for (const variant of [undefined, "", "b", "__proto__", "<script>"]) {
      const { body } = site.article({ lead: {}, message: "Please enter your full name.", variant });
      expect(body).toContain("<h1>A New Device Is Changing How Seniors Manage Blood Sugar</h1>");
      expect(body).not.toContain('name="variant"');
    }
  });
});

describe("a static host during an experiment", () => {
  const folder = mkdtempSync(join(tmpdir(), "leads-experiment-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("has the original at / and the variant at /b, for the ad network to split its readers over", async () => {
    const build = join(folder, "build");
    cpSync(currentBuild()?.folder ?? "", build, { recursive: true });
    rmSync(join(build, "dist/b.html"), { force: true });
    await writeStaticSite(build, readConfig({ LANGUAGES: "en,es", SITE_URL: "https://site.example" }), [
      anExperiment(),
    ]);
    const read = (name: string) => readFileSync(join(build, "dist", name), "utf8");
    expect(read("index.html")).toContain('name="variant" value="original"');
    expect(read("b.html")).toContain('name="variant" value="fewer-finger-sticks"');
    expect(read("b.html")).toContain("<h1>Fewer Finger-Sticks for Seniors</h1>");
    expect(read("b.html")).toContain('<link rel="canonical" href="https://site.example/"/>');
    expect(read("es.html")).not.toContain('name="variant"');
    expect(() => read("es/b.html")).toThrow("ENOENT");
  });
});
