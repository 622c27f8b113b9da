// A period of days, wherever the inbox takes one: it holds its first day from the beginning and its last day to the end, also where the
// clocks change and a day has 23 or 25 hours.
import { parse } from "csv-parse/sync";
import { beforeEach, expect, it } from "vitest";
import { daysBefore } from "../inbox/client/page/times.ts";
import { removeLeads } from "./support/database.ts";
import { addLead, makeInbox } from "./support/inbox.ts";
import { momentAt } from "./support/wall-clock.ts";

const { database, inbox } = await makeInbox();
const maria = await inbox.member("Maria", "manager");
beforeEach(() => removeLeads(database.owner));

it("days are counted back by the calendar, also over a night in which the clocks change", () => {
  expect([daysBefore("2026-11-03", 2), daysBefore("2026-03-09", 1), daysBefore("2026-03-01", 1)]).toEqual([
    "2026-11-01",
    "2026-03-08",
    "2026-02-28",
  ]);
});

it("half an hour off UTC, campaigns count a lead in the day in which its hour of UTC begins, and show no other day", async () => {
  for (const created_at of ["2025-11-02T18:40Z", "2025-11-03T18:40Z"])
    await addLead(database, { created_at });
  const report = async (day: string) =>
    (await maria.call("campaigns", { since: day, until: day, zone: "Asia/Kolkata" })).body;
  expect((await report("2025-11-03")).days).toMatchObject([{ day: "2025-11-03", stored: 1 }]);
  const ofTable = async (day: string) => (await report(day)).campaigns.map(({ stored }) => stored);
  expect([await ofTable("2025-11-02"), await ofTable("2025-11-01")]).toEqual([[1], []]);
});

// Not New York, whose days are taken where no zone is given.
const zone = "America/Los_Angeles";
it.each([
  ["with 25 hours", "2025-11-02", "2025-11-03"],
  ["with 23 hours", "2026-03-08", "2026-03-09"],
  ["with 24 hours", "2026-03-20", "2026-03-21"],
])(
  "a day %s begins and ends at midnight in the queue, the search, the audit log, exports, reports and campaigns",
  async (_, day, next) => {
    const before = daysBefore(day, 1);
    const at = {
      "day before": momentAt(zone, `${before}T23:59`),
      "first minute": momentAt(zone, `${day}T00:00`),
      "last minute": momentAt(zone, `${day}T23:59`),
      "next day": momentAt(zone, `${next}T00:00`),
    };
    for (const [name, created_at] of Object.entries(at)) {
      await addLead(database, { name, created_at });
      await database.owner`insert into private.audit_log (at, who, action) values (${created_at}, ${name}, 'tried')`;
    }
    const period = { since: day, until: day, zone };
    const names = ({ body }: { body: { rows: { name: string }[] } }) =>
      body.rows.map((row) => row.name).toSorted();
    const download = async ({ address }: { address: string }) =>
      parse(await (await maria.download(address)).text(), { columns: true, bom: true }) as Record<
        string,
        string
      >[];
    const both = ["first minute", "last minute"];
    const tried = { ...period, action: "tried" };
    const auditExport = (await maria.call("audit/export", { filter: tried })).body;
    expect({
      queue: names(await maria.call("queue", { filter: period })),
      search: names(await maria.call("search", { text: "", filter: period })),
      audit: (await maria.call("audit", { filter: tried })).body.entries
        .map(({ who }) => who.name)
        .toSorted(),
      "audit export": (await download(auditExport)).map((row) => row.who).toSorted(),
      export: (await download((await maria.call("export", period)).body)).map((row) => row.name).toSorted(),
      reports: (await maria.call("reports", period)).body.days.map(({ leads }) => leads),
      campaigns: (await maria.call("campaigns", period)).body.days.map(({ stored }) => stored),
    }).toEqual({
      queue: both,
      search: both,
      audit: both,
      "audit export": both,
      export: both,
      reports: [2],
      campaigns: [2],
    });
  },
);
