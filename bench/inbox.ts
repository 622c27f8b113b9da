// `npm run bench:inbox`: what a member of the team waits for, and what an open inbox costs the intake. The product runs with the memory
// settings of `npm start` and without rate limit, on a PostgreSQL of its own; Chromium has its processor slowed four times, except where
// arrivals are timed. `-- --only paint,arrival` measures only these parts.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { openRoleLogins } from "../database/role-logins.ts";
import { launch } from "../spec/support/browser.ts";
import { freePort } from "../spec/support/free-port.ts";
import { fill, sendLead, settle, signIn } from "./inbox-data.ts";
import {
  arrivals,
  coldVisit,
  filter,
  followQueue,
  openQueue,
  type SignedIn,
  search,
  smoothnessDuring,
  turnPages,
} from "./inbox-pages.ts";
import { timeQueue } from "./inbox-sql.ts";
import { median } from "./median.ts";
import { inserts, loadAnyhow } from "./processes.ts";
import { cpuOf, key, start, untilServed } from "./running.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "paint,arrival,insert,sql,browser" },
    /** Leads that are added before the last two measurements. */
    leads: { type: "string", default: "100000" },
    rounds: { type: "string", default: "8" },
    /** Of each round of inserts. */
    seconds: { type: "string", default: "10" },
    connections: { type: "string", default: "16" },
  },
});
const rounds = Number(options.rounds);
const parts = options.only.split(",");
const say = (what: string, figure: string) => process.stdout.write(`${what.padEnd(44)} ${figure}\n`);
const sayTimes = (what: string, times: number[]) =>
  say(
    what,
    `${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`,
  );

const folder = await mkdtemp(join(tmpdir(), "bench-inbox-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const owner = connect(database.url, { max: 1, name: "bench" });
await migrate(owner);
await openRoleLogins(owner, database.url);
const inboxPort = await freePort();
const inboxUrl = `http://localhost:${inboxPort}`;
const product = await start({
  DATABASE_URL: database.url,
  INBOX: "on",
  INBOX_PORT: `${inboxPort}`,
  INBOX_URL: inboxUrl,
});
await untilServed(inboxUrl);
const browser = await launch();
/** Inserts a lead as a visitor's page does. */
const send = (name: string) => sendLead(product.address, name);
const member: SignedIn = { browser, inboxUrl, token: await signIn(owner) };
try {
  // So few that each new lead is on the first page of the list.
  await fill(owner, 10);
  if (parts.includes("arrival")) await arrival();
  await fill(owner, 60);
  if (parts.includes("paint")) await paint();
  if (parts.includes("insert")) await insertRate();
  if (parts.includes("sql") || parts.includes("browser")) await fill(owner, Number(options.leads));
  if (parts.includes("sql") || parts.includes("browser")) say("leads in the queue", await countLeads());
  if (parts.includes("sql")) await timeQueue(owner, member.token, { rounds, say });
  if (parts.includes("browser")) await inTheBrowser();
} finally {
  await browser.close();
  await product.end();
  await owner.end({ timeout: 1 });
  await database.stop();
  await rm(folder, { recursive: true });
}

async function countLeads(): Promise<string> {
  const [row] = await owner<{ count: string }[]>`select count(*) from public.leads`;
  return row?.count ?? "";
}

async function paint(): Promise<void> {
  await coldVisit(member);
  const visits = [];
  for (let round = 0; round < rounds; round += 1) visits.push(await coldVisit(member));
  sayTimes(
    "cold, 4x slower: first paint",
    visits.map(({ firstPaint }) => firstPaint),
  );
  sayTimes(
    "cold, 4x slower: rows of the queue",
    visits.map(({ rows }) => rows),
  );
}

async function arrival(): Promise<void> {
  const times = await arrivals(member, Math.min(rounds * 3, 40), send);
  sayTimes("new lead on screen after its 201", times);
}

/** Processor times are in microseconds for each insert, up to the moment when the lists hold its lead. */
interface Round {
  answersPerSecond: number;
  server: number;
  postgresql: number;
  /**
   * The part of PostgreSQL's time that the inbox's sessions used: to load the lists, and to take new leads into them, which the server
   * does without an open inbox too.
   */
  inbox: number;
}

/**
 * Rounds with and without an open queue, in turn, because a machine is never equally fast for long. The queue is followed without a
 * browser, because a member's browser runs on another machine.
 */
async function insertRate(): Promise<void> {
  const measured = { without: [] as Round[], with: [] as Round[] };
  await insertRound(Number(options.seconds));
  for (let round = 0; round < rounds; round += 1) {
    for (const how of round % 2 ? (["with", "without"] as const) : (["without", "with"] as const)) {
      const close = how === "with" ? await followQueue(member) : undefined;
      measured[how].push(await insertRound(Number(options.seconds)));
      close?.();
    }
  }
  // The rounds of a pair follow each other, so that what else the machine does weighs on both.
  const change = (of: keyof Round) =>
    median(measured.with.map((round, nth) => round[of] / (measured.without[nth]?.[of] ?? Number.NaN)));
  for (const [what, of, unit] of [
    ["inserts a second", "answersPerSecond", ""],
    ["Node's time an insert", "server", " µs"],
    ["PostgreSQL's time an insert", "postgresql", " µs"],
  ] as const) {
    const [alone, beside] = [measured.without, measured.with].map((rows) =>
      median(rows.map((row) => row[of])).toFixed(1),
    );
    const percent = ((change(of) - 1) * 100).toFixed(1);
    say(what, `${alone}${unit} alone, ${beside}${unit} beside an open inbox; pair by pair ${percent} %`);
  }
  const { inbox, postgresql } = {
    inbox: median(measured.with.map((round) => round.inbox)),
    postgresql: median(measured.with.map((round) => round.postgresql)),
  };
  say(
    "of PostgreSQL's time the inbox's sessions",
    `${inbox.toFixed(1)} µs an insert, ${((inbox / postgresql) * 100).toFixed(1)} %`,
  );
}

async function insertRound(seconds: number): Promise<Round> {
  const before = await used();
  const { answersPerSecond, refused } = await loadAnyhow(
    product.port,
    Number(options.connections),
    seconds,
    inserts(key),
  );
  await settle(owner);
  const after = await used();
  const perInsert = (used: number) => (used * 1e6) / (answersPerSecond * seconds);
  if (refused > 0) say("refused in a round", `${refused}`);
  const round = {
    answersPerSecond,
    server: perInsert(after.server - before.server),
    postgresql: perInsert(after.postgresql - before.postgresql),
    inbox: perInsert(after.inbox - before.inbox),
  };
  await owner`vacuum analyze`;
  return round;
}

/** Seconds of processor time so far. */
async function used() {
  const sessions = await owner<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name like 'leads inbox%'`;
  return {
    server: cpuOf(product.pid),
    postgresql: cpuOf(database.pid),
    inbox: sessions.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
  };
}

async function inTheBrowser(): Promise<void> {
  const visits = [];
  for (let round = 0; round < rounds; round += 1) visits.push(await coldVisit(member));
  sayTimes(
    `queue: first paint, cold, 4x slower`,
    visits.map(({ firstPaint }) => firstPaint),
  );
  sayTimes(
    `queue: rows, cold, 4x slower`,
    visits.map(({ rows }) => rows),
  );
  const page = await openQueue(member);
  const turned = await turnPages(page, rounds);
  sayTimes(`queue: next page on screen`, turned.times);
  say(`queue: longest task while turning`, `${turned.longestTask.toFixed(0)} ms`);
  const found = await search(page, ["rosa 77", "garcía 5", "ann 91", "2012000"]);
  sayTimes(`queue: search on screen`, found.times);
  say(`queue: longest task while searching`, `${found.longestTask.toFixed(0)} ms`);
  await page.context().close();
  await filterAndStay();
}

/** Filters the queue, and then stays on it while nothing comes, and while five leads a second do. */
async function filterAndStay(): Promise<void> {
  const page = await openQueue(member);
  const narrowed = await filter(page, ["FL", "NY", "IL", "CA", ""]);
  sayTimes(`queue: filter by state on screen`, narrowed.times);
  say(`queue: longest task while filtering`, `${narrowed.longestTask.toFixed(0)} ms`);
  const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  for (const [what, work] of [
    ["20 s, nothing comes", () => wait(20_000)],
    [
      "20 s, 5 leads a second come",
      async () => {
        for (let nth = 0; nth < 100; nth += 1) await Promise.all([send(`Arrival ${nth}`), wait(200)]);
      },
    ],
  ] as const) {
    const { longestTask, longTasks, frames, dropped } = await smoothnessDuring(page, work);
    say(
      `queue, ${what}`,
      `longest task ${longestTask.toFixed(0)} ms, ${longTasks} longer than 50 ms; ${dropped} of ${frames + dropped} frames dropped`,
    );
  }
  await page.context().close();
}
