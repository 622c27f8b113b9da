// The permission that a lead gives: the wording it was given under, its circumstances, and how long they are kept.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { setNotice } from "../delivery/notice.ts";
import { forgetWhatIsOld } from "../delivery/scheduled-jobs.ts";
import { makeLog } from "../log/log.ts";
import { aLead, makeDatabase } from "./support/database.ts";

const { owner: sql, intake } = await makeDatabase();
let lines: string[] = [];
const log = makeLog((line) => lines.push(line));
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const keep = { permissionDays: 1826, retentionDays: undefined };

beforeEach(async () => {
  lines = [];
  await sql`truncate public.leads, private.permissions, private.deliveries, private.erasures cascade`;
  await sql`update private.settings set notice_hash = null, keep_address = true`;
  await sql`delete from private.notices`;
});

const evidence = {
  referer: "https://site.example/offer?utm_source=news&utm_medium=email&gclid=secret&fbclid=secret#top",
  "user-agent": "A browser",
  "x-forwarded-for": "192.0.2.7, 10.0.0.1",
};
const insert = (differences = {}) =>
  intake`insert into public.leads ${intake(aLead({ evidence, ...differences }))}`;
const permissions = () => sql`
  select n.text as notice, p.notice_hash, p.withdrawn_at, p.page_path, p.address, p.browser, p.utm
  from private.permissions p left join private.notices n on n.hash = p.notice_hash order by p.given_at`;

describe("the permission of a lead", () => {
  it("keeps the exact wording and its hash, the page, the address, the browser and utm, and no click id", async () => {
    await setNotice(sql, "You may call me. ¿Sí?", { keepAddress: true });
    await insert();
    expect(await permissions()).toEqual([
      {
        notice: "You may call me. ¿Sí?",
        notice_hash: createHash("sha256").update("You may call me. ¿Sí?").digest("hex"),
        withdrawn_at: null,
        page_path: "/offer",
        address: "192.0.2.7",
        browser: "A browser",
        utm: { utm_source: "news", utm_medium: "email" },
      },
    ]);
  });

  it("stands under the wording that was in force when it was given, also after the wording changes", async () => {
    await setNotice(sql, "First.", { keepAddress: true });
    await insert({ name: "A" });
    await setNotice(sql, "Second.", { keepAddress: true });
    await insert({ name: "B" });
    await setNotice(sql, "First.", { keepAddress: true });
    await insert({ name: "C" });
    expect((await permissions()).map((p) => p.notice)).toEqual(["First.", "Second.", "First."]);
    expect(await sql`select text from private.notices order by text`).toEqual([
      { text: "First." },
      { text: "Second." },
    ]);
  });

  it("is set by several processes at the same start without harm", async () => {
    await Promise.all([1, 2, 3].map(() => setNotice(sql, "Together.", { keepAddress: true })));
    await insert();
    expect(await permissions()).toMatchObject([{ notice: "Together." }]);
  });

  it("keeps no address when that is turned off", async () => {
    await setNotice(sql, "You may call me.", { keepAddress: false });
    await insert();
    expect(await permissions()).toMatchObject([{ address: null, browser: "A browser" }]);
  });

  it("loses its circumstances after PERMISSION_DAYS, and keeps its wording and time", async () => {
    await setNotice(sql, "You may call me.", { keepAddress: true });
    await insert();
    await forgetWhatIsOld(sql, log, keep, inDays(1825));
    expect(await permissions()).toMatchObject([{ address: "192.0.2.7" }]);
    expect(lines).toEqual([]);
    await forgetWhatIsOld(sql, log, keep, inDays(1827));
    expect(await permissions()).toMatchObject([
      { notice: "You may call me.", address: null, browser: null, page_path: null, utm: null },
    ]);
    expect(lines.join("")).toMatch(/permissions-emptied: .* count=1\n$/);
  });
});

describe("the age of a lead", () => {
  const leads = async () => (await sql`select id from public.leads`).length;
  const many = Array.from({ length: 1203 }, (_, i) => aLead({ name: `Visitor ${i}` }));

  it("erases nobody unless RETENTION_DAYS says so", async () => {
    await insert();
    await forgetWhatIsOld(sql, log, keep, inDays(10_000));
    expect(await leads()).toBe(1);
  });

  it("erases a lead after RETENTION_DAYS with everything about it, and leaves a receipt", async () => {
    await intake`insert into public.leads ${intake(many)}`;
    await forgetWhatIsOld(sql, log, { ...keep, retentionDays: 30 }, inDays(29));
    expect(await leads()).toBe(1203);
    await Promise.all(
      [1, 2].map(() => forgetWhatIsOld(sql, log, { ...keep, retentionDays: 30 }, inDays(31))),
    );
    expect(await leads()).toBe(0);
    expect(await permissions()).toEqual([]);
    expect(await sql`select distinct reason from private.erasures`).toEqual([{ reason: "age" }]);
    expect(await sql`select count(*)::int from private.erasures`).toEqual([{ count: 1203 }]);
    const told = lines.map((line) => Number(/leads-erased: .* count=(\d+)/.exec(line)?.[1] ?? 0));
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(1203);
  });
});
