// `node bench/pictures.ts`: takes the pictures of the inbox in docs/, on a product of their own with a few invented leads. Run it in the
// afternoon of the east of the USA, on no Sunday and no holiday of Louisiana, because all of these leads may be called then.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import sharp from "sharp";
import { connect, type Sql } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { launch } from "../spec/support/browser.ts";
import { freePort } from "../spec/support/free-port.ts";
import { start, untilServed } from "./running.ts";

/** Name, ZIP code, the area code of the phone, and the hours since they came, the newest first. */
const people: [name: string, zip: string, area: string, hoursAgo: number][] = [
  ["Gladys Fitzgerald-Montgomery", "89101", "702", 0.6],
  ["Vernon Whitfield", "85001", "480", 2],
  ["Beatrice O'Connell", "02108", "617", 3],
  ["Ernest Delgado", "73301", "512", 5.5],
  ["Mabel Thornton", "70112", "504", 8.5],
  ["Clyde Peterson", "99501", "907", 12.5],
  ["Edna Yamamoto", "00901", "787", 18.5],
  ["Rosa Martinez", "40202", "502", 20],
  ["Hazel Rossi", "06101", "860", 27.5],
  ["Ruth Abramson", "60601", "312", 30.5],
  ["Irene Kowalski", "47150", "812", 50.5],
  ["Chester Brooks", "40601", "502", 74],
];

const folder = await mkdtemp(join(tmpdir(), "leads-pictures-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const sql = connect(database.url, { max: 1, name: "pictures" });
const inboxPort = await freePort();
const inbox = `http://localhost:${inboxPort}`;
const server = await start({
  DATABASE_URL: database.url,
  INBOX: "on",
  INBOX_PORT: String(inboxPort),
  INBOX_URL: inbox,
  SITE_URL: "https://www.example.com",
  TRUST_PROXY: "127.0.0.1",
  PROVIDER_NAME: "Maple Lane Medical Supply",
  PROVIDER_PHONE: "(800) 555-0142",
});
const browser = await launch();
try {
  for (const [nth, person] of people.entries()) await sendForm(person, nth);
  await sql`select private.index_new_leads(null, '100 years')`;
  await setTimes(sql);
  await untilServed(inbox);
  const dana = await signedIn("Dana Miller", "member");
  await takePicturesOfAMember(dana);
  const maria = await signedIn("Maria Lopez", "manager");
  await addWorkOfAMonth(sql);
  const reports = await maria("/reports");
  await reports.getByRole("heading", { name: "Outcomes" }).waitFor();
  await takePicture(reports, "inbox-reports");
} finally {
  await browser.close();
  await server.end();
  await sql.end({ timeout: 1 });
  await database.stop();
  await rm(folder, { recursive: true });
}

/** As a visitor does. */
async function sendForm([name, zip, area]: (typeof people)[number], nth: number): Promise<void> {
  const context = await browser.newContext({ extraHTTPHeaders: { "x-forwarded-for": "203.0.113.7" } });
  const page = await context.newPage();
  await page.goto(server.address);
  const field = (field: string) => page.locator(`[name=${field}]`);
  await field("name").fill(name);
  await field("email").fill(`${name.toLowerCase().replaceAll(/[^a-z]+/g, ".")}@example.com`);
  await field("phone").fill(`(${area}) 555-01${String(12 + nth)}`);
  await field("zip_code").fill(zip);
  await field("has_medicare").check();
  await page.locator("form button[type=submit]").click();
  await page.waitForURL(/thank-you/);
  await context.close();
}

/** Sets when the leads came, and the provider's site as the page that they came from. */
async function setTimes(sql: Sql): Promise<void> {
  for (const [name, , , hoursAgo] of people) {
    await sql`
      with lead as (
        update public.leads set created_at = now() - ${hoursAgo} * interval '1 hour' where name = ${name} returning id, created_at
      )
      update private.permissions p set given_at = l.created_at, page_origin = 'https://www.example.com' from lead l where p.lead_id = l.id`;
  }
  await sql`delete from private.lead_work`;
  await sql`select private.index_new_leads(null, '100 years')`;
}

/** For the reports: leads of the days before, each called once, nearly all of them within the 24 hours. */
async function addWorkOfAMonth(sql: Sql): Promise<void> {
  await sql`
    insert into public.leads (created_at, name, email, phone, zip_code, has_medicare, has_diabetes)
    select now() - interval '3.2 days' - interval '2.4 hours' * n, 'Visitor ' || n, 'visitor' || n || '@example.com',
      '(502) 555-' || lpad((1000 + n)::text, 4, '0'), '40202', true, true
    from generate_series(1, 260) n where n % 12 not in (3, 4, 7)`;
  const waited = sql`(case when l.ordinal % 17 = 0 then 27 else 0.4 + l.ordinal % 9 end) * interval '1 hour'`;
  const old = sql`(select id, created_at, row_number() over (order by id) as ordinal from public.leads where name like 'Visitor %') l`;
  await sql`insert into private.reviews (lead_id, reviewed_at) select l.id, l.created_at + ${waited} from ${old}`;
  await sql`
    insert into private.calls (lead_id, member_id, at, number_key)
    select l.id, (select id from private.members limit 1), l.created_at + ${waited}, l.id::text from ${old}`;
  await sql`select private.index_new_leads(null, '100 years')`;
}

/** A new member's way to open pages of the inbox. */
async function signedIn(name: string, role: "member" | "manager") {
  const [row] = await sql<{ session: { token: string } }[]>`
    with made as (insert into private.members (name, role) values (${name}, ${role}) returning id)
    select private.begin_session(id, 'pictures') as session from made`;
  return async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      locale: "en-US",
      timezoneId: "America/New_York",
      ...options,
    });
    await context.addCookies([{ name: "session", value: row?.session.token ?? "", url: inbox }]);
    const page = await context.newPage();
    await page.goto(`${inbox}${path}`);
    return page;
  };
}

async function takePicturesOfAMember(open: (path: string, options?: BrowserContextOptions) => Promise<Page>) {
  const idOf = async (name: string) => {
    const [lead] = await sql<{ id: string }[]>`select id from public.leads where name = ${name}`;
    return lead?.id ?? "";
  };
  const rosa = await open(`/leads/${await idOf("Rosa Martinez")}`);
  await rosa.getByRole("button", { name: /^Call/ }).click();
  await rosa.locator("a[href^='tel:']").waitFor();
  await rosa.getByRole("button", { name: /^Call back/ }).click();
  const [tomorrow = ""] = new Date(Date.now() + 86_400_000).toISOString().split("T");
  await rosa.getByLabel("Day").fill(tomorrow);
  await rosa.getByLabel("Time there").fill("15:00");
  await rosa.getByRole("button", { name: "Set the callback" }).click();
  await rosa.getByRole("heading", { name: /Recorded/ }).waitFor();
  // In the pictures the callback is to be due.
  await sql`update private.lead_work set callback_at = now() - interval '7 minutes' where stage = 'callback'`;
  const ruth = await open(`/leads/${await idOf("Ruth Abramson")}`);
  await ruth.getByRole("button", { name: "Take this lead" }).click();
  for (const [name, colorScheme] of [
    ["inbox-queue", "light"],
    ["inbox-queue-dark", "dark"],
  ] as const) {
    const queue = await open("/", { colorScheme });
    await queue.getByText("Chester Brooks").waitFor();
    await takePicture(queue, name);
  }
  await sql`insert into private.paused_states (state, paused_by, reason) values ('LA', 'Maria Lopez', 'Emergency declared')`;
  const mabel = await open(`/leads/${await idOf("Mabel Thornton")}`);
  await mabel.getByRole("button", { name: /^Call/ }).click();
  await mabel.getByText("are paused").waitFor();
  await takePicture(mabel, "inbox-not-now");
  const gladys = await open(`/leads/${await idOf("Gladys Fitzgerald-Montgomery")}`);
  await gladys.getByRole("button", { name: /^Call/ }).click();
  await gladys.locator("a[href^='tel:']").waitFor();
  await takePicture(gladys, "inbox-lead");
}

/** The picture has few colours, so that it is small: each clone of the repository holds all pictures. */
async function takePicture(page: Page, name: string): Promise<void> {
  const picture = await page.screenshot({ animations: "disabled" });
  const file = fileURLToPath(new URL(`../docs/${name}.png`, import.meta.url));
  await sharp(picture).png({ palette: true, colours: 128 }).toFile(file);
  process.stdout.write(`${file}\n`);
}
