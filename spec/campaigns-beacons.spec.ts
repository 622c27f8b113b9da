// How page loads are counted as HTTP brings them: what a beacon is, who may send one, and which campaign words are read from the page's address.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { maxBeaconBytes, readBeacon } from "../campaigns/beacon.ts";
import { campaignWordsOf, campaignWordsOfAddress, noCampaign } from "../campaigns/campaign-words.ts";
import { makeCounters } from "../campaigns/counters.ts";
import { browserSteps } from "../campaigns/steps.ts";
import { bucketOf } from "../campaigns/vital-buckets.ts";
import { makeLimit } from "../intake/limit.ts";
import { campaignIn, requestHeadersOf } from "../intake/request-headers.ts";
import type { App } from "../web/app.ts";
import { makeCounting } from "../web/counting.ts";
import { browsers } from "./support/counts.ts";
import { makeDatabase, type TestDatabase } from "./support/database.ts";
import { makeIntake } from "./support/intake.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});

/** The app with counters that the test can look into. */
async function counted(more: Partial<Parameters<typeof makeCounting>[0]> = {}) {
  const counters = makeCounters();
  const counting = makeCounting({
    counters,
    variants: ["b"],
    origins: ["https://article.example"],
    limit: undefined,
    ...more,
  });
  const { app } = await makeIntake(database, { counting, articles: new Set(["/"]) });
  return { app, counting, counters };
}

/** Sends a beacon as a page of this server does, or with other headers; a blank one is left out. */
function send(app: Pick<App, "fetch">, body: string, differences: Record<string, string> = {}, path = "/c") {
  const headers = {
    "user-agent": browsers.phone,
    "sec-fetch-site": "same-origin",
    host: "localhost",
    ...differences,
  };
  const given = Object.entries(headers).filter(([, value]) => value !== "");
  return app.fetch(new Request(`http://localhost${path}`, { method: "POST", body, headers: given }));
}
const words = { source: "", medium: "", campaign: "", variant: "" };

describe("a beacon", () => {
  it("adds one to each step it reports, under the words of the ad's link, and is answered 204 with nothing", async () => {
    const { app, counters } = await counted();
    const answer = await send(
      app,
      "steps=view.half_read&lcp=3&cls=0&utm_source=facebook&utm_campaign=spring",
      {},
      "/c?variant=b",
    );
    expect([
      answer.status,
      await answer.text(),
      answer.headers.get("cache-control"),
      answer.headers.get("set-cookie"),
    ]).toEqual([204, "", "no-store", null]);
    const common = {
      source: "facebook",
      medium: "",
      campaign: "spring",
      variant: "b",
      device: "phone",
      n: 1,
    };
    expect(counters.take()).toEqual({
      pages: [
        { ...common, step: "half_read" },
        { ...common, step: "view" },
      ],
      vitals: [
        { variant: "b", device: "phone", vital: "cls", bucket: 0, n: 1 },
        { variant: "b", device: "phone", vital: "lcp", bucket: 3, n: 1 },
      ],
    });
  });

  it("of a variant that is not shown is counted without one", async () => {
    const { app, counters } = await counted();
    await send(app, "steps=view", {}, "/c?variant=of-rosa");
    expect(counters.take()?.pages).toEqual([{ ...words, device: "phone", step: "view", n: 1 }]);
  });

  it.each([
    ["nothing", ""],
    ["a step that there is none of", "steps=view.sold"],
    ["a step that only the server or the leads know", "steps=served"],
    ["a step twice", "steps=view.view"],
    ["a field twice", "steps=view&steps=pressed"],
    ["a click id", "steps=view&fbclid=IwAR0abc"],
    ["an id", "steps=view&id=4711"],
    ["a name that every JavaScript object has", "steps=view&__proto__=1&constructor=2"],
    ["JSON", '{"steps":["view"]}'],
    ["a web vital as it was measured and not as its bucket", "lcp=1234.5"],
    ["a bucket beyond the eighth", "lcp=8"],
    ["campaign words alone", "utm_source=facebook"],
    ["control characters", "steps=view\r\nx=1"],
    ["zeros", "\0\0\0\0"],
    ["SQL", "steps=view');drop table leads--"],
  ])("with %s is refused in plain words, and counts nothing", async (_, body) => {
    const { app, counters } = await counted();
    const answer = await send(app, body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/^A (beacon|web vital) [a-z0-9, ]+\.\n$/i);
    expect(counters.take()).toBeUndefined();
  });

  it("of more than 4,096 bytes is refused before it is parsed", async () => {
    const { app, counters } = await counted();
    const answer = await send(app, `steps=view&utm_source=${"x".repeat(maxBeaconBytes)}`);
    expect([answer.status, await answer.text()]).toEqual([413, "A beacon has at most 4,096 bytes.\n"]);
    expect(counters.take()).toBeUndefined();
  });

  it("is read or refused whatever it holds; one that is read has known steps and buckets alone", () => {
    const field = fc.tuple(
      fc.constantFrom("steps", "lcp", "cls", "inp", "utm_source", "utm_medium", "utm_campaign", "x", ""),
      fc.oneof(fc.constantFrom(...browserSteps, "view.pressed", "0", "7", "9"), fc.string({ maxLength: 20 })),
    );
    const body = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc
        .array(field, { maxLength: 6 })
        .map((fields) => fields.map(([name, value]) => `${name}=${value}`).join("&")),
    );
    fc.assert(
      fc.property(body, (text) => {
        const read = readBeacon(text);
        if ("problem" in read) return;
        expect(read.steps.length + read.vitals.length).toBeGreaterThan(0);
        expect(read.steps.every((step) => browserSteps.includes(step))).toBe(true);
        expect(read.vitals.every(([, bucket]) => bucket >= 0 && bucket <= 7)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("who may send one", () => {
  it.each([
    ["a page of this server", { "sec-fetch-site": "same-origin" }],
    ["an older browser on a page of this server", { "sec-fetch-site": "", origin: "http://localhost" }],
    [
      "a page of an origin that is named",
      { "sec-fetch-site": "cross-site", origin: "https://article.example" },
    ],
  ])("%s", async (_, headers) => {
    const { app } = await counted();
    expect((await send(app, "steps=view", headers)).status).toBe(204);
  });

  it.each([
    ["a page of another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["an older browser on another site", { "sec-fetch-site": "", origin: "https://evil.example" }],
    ["a page whose origin is hidden", { "sec-fetch-site": "cross-site", origin: "null" }],
    ["a link or the address bar", { "sec-fetch-site": "none" }],
    [
      "another site on a host of the same domain",
      { "sec-fetch-site": "same-site", origin: "http://other.localhost" },
    ],
  ])("not %s", async (_, headers) => {
    const { app, counters } = await counted();
    const answer = await send(app, "steps=view", headers);
    expect([answer.status, await answer.text()]).toEqual([
      403,
      "Only the pages of this site are counted here.\n",
    ]);
    expect(counters.take()).toBeUndefined();
  });

  it("not one address more often than the limit says", async () => {
    const { app, counters } = await counted({ limit: makeLimit(undefined, 5) });
    const statuses: number[] = [];
    for (let nth = 0; nth < 7; nth += 1) statuses.push((await send(app, "steps=view")).status);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429, 429]);
    expect(counters.take()?.pages).toMatchObject([{ n: 5 }]);
  });

  it("by no other method, and by none where nothing is counted", async () => {
    const { app } = await counted();
    const { app: off } = await makeIntake(database);
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await app.fetch(new Request("http://localhost/c", { method }));
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET, POST"]);
    }
    for (const method of ["GET", "POST", "PUT"]) {
      expect([method, (await off.fetch(new Request("http://localhost/c", { method }))).status]).toEqual([
        method,
        404,
      ]);
    }
  });
});

describe("the image of a browser without script", () => {
  it("counts a view under the words of the page's address, as a device of its own", async () => {
    const { app, counters } = await counted();
    const answer = await app.fetch(
      new Request("http://localhost/c", {
        headers: {
          "sec-fetch-site": "same-origin",
          "user-agent": browsers.phone,
          referer: "http://localhost/?utm_campaign=spring&fbclid=IwAR0abc",
        },
      }),
    );
    expect(answer.status).toBe(204);
    expect(counters.take()?.pages).toEqual([
      { ...words, campaign: "spring", device: "no-script", step: "view", n: 1 },
    ]);
  });

  it("counts a bot as a bot", async () => {
    const { app, counters } = await counted();
    await app.fetch(new Request("http://localhost/c", { headers: { "user-agent": browsers.googlebot } }));
    expect(counters.take()?.pages).toMatchObject([{ device: "bot" }]);
  });
});

describe("a document", () => {
  it.each([
    ["that a reader asked for is served", {}, "served"],
    ["that a browser prerenders is fetched ahead", { "sec-purpose": "prefetch;prerender" }, "prefetched"],
    ["that a browser fetches ahead is no view", { "sec-purpose": "prefetch" }, "prefetched"],
    ["that an older browser fetches ahead is none either", { purpose: "prefetch" }, "prefetched"],
  ])("%s", async (_, headers, step) => {
    const { counters, counting } = await counted();
    counting.served(new Headers({ "user-agent": browsers.computer, ...headers }), "utm_source=facebook");
    expect(counters.take()?.pages).toEqual([
      { ...words, source: "facebook", device: "computer", step, n: 1 },
    ]);
  });
});

describe("a plain post", () => {
  const post = (app: Pick<App, "fetch">, fields: Record<string, string>) =>
    app.fetch(
      new Request("http://localhost/", {
        method: "POST",
        body: new URLSearchParams({ name: "R", email: "r@x", phone: "1", zip_code: "2", ...fields }),
        headers: { "user-agent": browsers.phone, referer: "http://localhost/?utm_campaign=spring" },
      }),
    );
  const leadsDevices = async () =>
    (await database.owner<{ device: string }[]>`select device from private.permissions order by device`).map(
      ({ device }) => device,
    );

  it("of a browser without script counts as its press, and its lead is of such a browser; with a script the beacon counts the press", async () => {
    const { app, counters } = await counted();
    await post(app, { script: "none" });
    expect(counters.take()?.pages).toEqual([
      { ...words, campaign: "spring", device: "no-script", step: "pressed", n: 1 },
    ]);
    await post(app, { name: "Another" });
    expect(counters.take()).toBeUndefined();
    expect(await leadsDevices()).toEqual(["no-script", "phone"]);
  });
});

describe("the campaign's words of an address", () => {
  it("are those that the database finds in the address of a lead's page", async () => {
    const value = fc.string({
      unit: fc.constantFrom("a", "Z", "0", "%", "2", "=", "+", "-", "_", "?", "é", "/"),
      maxLength: 12,
    });
    const name = fc.constantFrom(
      "utm_source",
      "utm_medium",
      "utm_campaign",
      "utm_term",
      "UTM_SOURCE",
      "fbclid",
      "xutm_source",
      "utm_",
    );
    const query = fc
      .array(
        fc.oneof(
          fc.tuple(name, value).map(([one, is]) => `${one}=${is}`),
          name,
          value,
        ),
        { maxLength: 6 },
      )
      .map((parameters) => parameters.join("&"));
    await fc.assert(
      fc.asyncProperty(fc.array(query, { minLength: 50, maxLength: 50 }), async (queries) => {
        const found = await database.owner<{ source: string; medium: string; campaign: string }[]>`
          select coalesce(u.utm ->> 'utm_source', '') as source, coalesce(u.utm ->> 'utm_medium', '') as medium,
            coalesce(u.utm ->> 'utm_campaign', '') as campaign
          from jsonb_array_elements_text(${JSON.stringify(queries)}::text::jsonb) with ordinality as q (query, nth),
            lateral (select private.utm_of('https://article.example/?' || q.query) as utm) u
          order by q.nth`;
        expect(queries.map((one) => campaignWordsOf(one))).toEqual(found.map((one) => ({ ...one })));
        expect(queries.map((one) => campaignWordsOfAddress(`https://article.example/?${one}#check`))).toEqual(
          found.map((one) => ({ ...one })),
        );
      }),
      { numRuns: 20 },
    );
  });

  it("are found after a second question mark, too, with which some programs add them to a link", () => {
    const query = "fbclid=IwAR0abc?utm_source=facebook&utm_campaign=spring";
    expect(campaignWordsOf(query)).toEqual({ source: "facebook", medium: "", campaign: "spring" });
    // What an article that answers a refused post keeps of them.
    expect(campaignIn(`https://article.example/?${query}#check`)).toBe(
      "utm_source=facebook&utm_campaign=spring",
    );
  });

  it("are the last of each, also for a lead whose page's address is too long to be stored", async () => {
    const long = `utm_source=${"x".repeat(290)}&utm_campaign=first&`.repeat(8);
    const referer = `https://article.example/offer?${long}utm_source=facebook&utm_campaign=spring`;
    const stored = requestHeadersOf(new Headers({ referer }), "203.0.113.7").referer;
    expect(stored).toBe("https://article.example/offer?utm_source=facebook&utm_campaign=spring");
    expect(campaignWordsOfAddress(referer)).toEqual(campaignWordsOfAddress(stored));
  });

  it("are none of an address without a question mark", async () => {
    const address = "https://article.example/&utm_source=facebook";
    const [row] = await database.owner`select private.utm_of(${address}) as utm`;
    expect([row?.utm, campaignWordsOfAddress(address)]).toEqual([null, noCampaign]);
  });

  it("are cut at 200 characters, as those of a lead are", () => {
    expect(campaignWordsOf(`utm_campaign=${"x".repeat(300)}`).campaign).toHaveLength(200);
  });
});

describe("the counts in memory", () => {
  it("are sorted sums, which are taken once", () => {
    const counters = makeCounters();
    const count = { ...words, device: "phone", step: "view" } as const;
    counters.addPage({ ...count, campaign: "b" });
    counters.addPage({ ...count, campaign: "a" });
    counters.addPage({ ...count, campaign: "b" });
    expect(counters.take()?.pages.map(({ campaign, n }) => [campaign, n])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect(counters.take()).toBeUndefined();
  });

  // A visitor can type "(other)" for each word.
  const others = { source: "(other)", medium: "(other)", campaign: "(other)" };
  it.each(["source", "medium", "campaign"])(
    "take a bounded memory: beyond 2,000 sums, a load with a new %s counts with (other) for all three words",
    (word) => {
      for (const beside of [words, others]) {
        const counters = makeCounters();
        for (let nth = 0; nth < 50_000; nth += 1)
          counters.addPage({ ...words, ...beside, [word]: `junk ${nth}`, device: "phone", step: "view" });
        const pages = counters.take()?.pages ?? [];
        expect([pages.length, pages.reduce((sum, { n }) => sum + n, 0)]).toEqual([2_001, 50_000]);
        expect(pages).toContainEqual(expect.objectContaining({ ...others, n: 48_000 }));
      }
    },
  );
});

describe("a web vital", () => {
  it("is told as one of eight buckets, also alone; a bound belongs to the better one", () => {
    expect([0, 1000, 1001, 2500, 4000, 6000, 6001, 99_999].map((value) => bucketOf("lcp", value))).toEqual([
      0, 0, 1, 3, 5, 6, 7, 7,
    ]);
    expect([0, 0.1, 0.11, 2].map((value) => bucketOf("cls", value))).toEqual([0, 3, 4, 7]);
    expect([16, 200, 208, 5000].map((value) => bucketOf("inp", value))).toEqual([0, 3, 4, 7]);
    expect(readBeacon("lcp=3")).toMatchObject({ steps: [], vitals: [["lcp", 3]] });
  });
});
