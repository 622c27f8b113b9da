// How leads of an age are erased: a portion at a time, until Ctrl-C, with an entry in the audit log that says how many there were.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  aLead,
  makeDatabase,
  removeLeads,
  sessionsWaitingForLocks,
  type TestDatabase,
} from "./support/database.ts";
import { deadlockOnce } from "./support/deadlocks.ts";
import { answerOnTerminal, leads, startOnTerminal, waitForExit } from "./support/leads-command.ts";
import { until } from "./support/receiver.ts";

let database: TestDatabase;
let url: string;

beforeAll(async () => {
  database = await makeDatabase();
  url = database.url;
  await database.owner`update private.channels set enabled = true where name in ('email', 'webhook')`;
});

const idOf = async (name: string) => {
  const [lead] = await database.owner<{ id: string }[]>`select id from leads where name = ${name}`;
  return lead?.id ?? "";
};

const names = async () =>
  (await database.owner`select name from leads order by created_at`).map(({ name }) => name);

describe("leads erase --older-than", () => {
  const age = async (name: string, days: number) => {
    await database.owner`update leads set created_at = now() - make_interval(days => ${days}) where name = ${name}`;
    await database.owner`
      update private.lead_work w set created_at = l.created_at from leads l where l.id = w.lead_id and l.name = ${name}`;
  };
  const logged = () => database.owner`
    select who, details from private.audit_log where action = 'erased leads by age' order by id`;

  beforeEach(async () => {
    const { owner } = database;
    await removeLeads(owner);
    for (const name of ["Rosa", "Rosa again", "Other"])
      await owner`insert into leads ${owner(aLead({ name, email: "rosa@example.com", phone: name }))}`;
    // The webhook has got all leads, the mail none.
    await owner`update private.deliveries set attempts = 1, delivered_at = now() where channel = 'webhook'`;
    await owner`delete from private.audit_log`;
    await owner`delete from private.erasures`;
    await owner`select private.index_new_leads(null, '100 years')`;
    await age("Rosa", 401);
    await age("Other", 399);
  });

  it("removes the leads that came more than so many days ago, and the audit log says how many", async () => {
    const rosa = await idOf("Rosa");
    const ran = await leads(url, "erase", "--older-than", "400", "--yes");
    expect(ran).toEqual({
      status: 0,
      stdout: "Erased 1 lead.\n",
      stderr: expect.stringMatching(
        /^Channels that had been told of it are told to erase it too, except retired ones\./,
      ),
    });
    expect(await names()).toEqual(["Other", "Rosa again"]);
    expect(await database.owner`select lead_id, reason from private.erasures`).toEqual([
      { lead_id: rosa, reason: "age" },
    ]);
    expect(await logged()).toEqual([
      { who: "operator", details: { by: "command", older_than_days: 400, leads: 1 } },
    ]);
  });

  it("says how many would go and stay, and erases nothing when nobody is there to say yes, or says no", async () => {
    const alone = await leads(url, "erase", "--older-than", "398");
    expect(alone.status).toBe(2);
    expect(alone.stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "YYYY-MM-DD hh:mm")).toBe(
      "To be erased for good, with permission, deliveries and review: 2 leads that came before YYYY-MM-DD hh:mm. 1 newer lead will stay.\n",
    );
    expect((await answerOnTerminal(url, ["erase", "--older-than", "398"], "no\n")).status).toBe(1);
    expect(await names()).toHaveLength(3);
    const asked = await answerOnTerminal(url, ["erase", "--older-than", "398"], "yes\n");
    expect(asked.status).toBe(0);
    expect(asked.stdout).toContain("Erased 2 leads.");
    expect(await names()).toEqual(["Rosa again"]);
  });

  it("says when there is none, and erases a lead that the lists do not have yet, too", async () => {
    expect(await leads(url, "erase", "--older-than", "402", "--yes")).toEqual({
      status: 1,
      stdout: "",
      stderr: "No lead is older than 402 days. Nothing was erased.\n",
    });
    await database.owner`delete from private.lead_work where lead_id = ${await idOf("Rosa")}`;
    expect((await leads(url, "erase", "--older-than", "400", "--yes")).stdout).toBe("Erased 1 lead.\n");
  });

  it("erases again what PostgreSQL rolled back because two waited for each other", async () => {
    await deadlockOnce(database.owner, "delete", "public.leads");
    expect((await leads(url, "erase", "--older-than", "400", "--yes")).stdout).toBe("Erased 1 lead.\n");
  });

  it("erases what is left after a portion that another process erased at that moment", async () => {
    const { owner } = database;
    await owner`
      insert into leads (created_at, name, email, phone, zip_code)
      select now() - interval '900 days' + n * interval '1 second', 'Old', n || '@example.com', (3050000000 + n)::text, '33101'
      from generate_series(1, 2001) n`;
    await owner`select private.index_new_leads(null, '100 years')`;
    const { erasing } = await owner.begin(async (sql) => {
      await sql`delete from leads where id in (select id from leads where name = 'Old' order by created_at limit 2000)`;
      const erasing = leads(url, "erase", "--older-than", "800", "--yes");
      await until(async () => (await sessionsWaitingForLocks(owner, "leads command")).length > 0);
      return { erasing };
    });
    expect(await erasing).toMatchObject({ status: 0, stdout: "Erased 1 lead.\n" });
    expect(await names()).toHaveLength(3);
  });

  it("says so when another process erased all of them at that moment", async () => {
    const { erasing } = await database.owner.begin(async (sql) => {
      await sql`delete from leads where created_at < now() - interval '400 days'`;
      const erasing = leads(url, "erase", "--older-than", "400", "--yes");
      await until(async () => (await sessionsWaitingForLocks(database.owner, "leads command")).length > 0);
      return { erasing };
    });
    expect(await erasing).toEqual({
      status: 1,
      stdout: "",
      stderr: "Another process erased them meanwhile.\n",
    });
  });

  it("is done, and says so, when Ctrl-C comes while the last portion is erased", async () => {
    const { ended } = await database.owner.begin(async (sql) => {
      await sql`select from leads where created_at < now() - interval '400 days' for update`;
      const child = startOnTerminal(["erase", "--older-than", "400", "--yes"], { DATABASE_URL: url });
      const ended = waitForExit(child, { keepOpen: true });
      await until(async () => (await sessionsWaitingForLocks(database.owner, "leads command")).length > 0);
      child.stdin?.write("\x03");
      return { ended };
    });
    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout).toContain("Erased 1 lead.");
    expect(stdout).not.toContain("Broken off");
  });

  it("is stopped by Ctrl-C after a whole portion, says how many are erased, and goes on when typed again", async () => {
    const { owner } = database;
    const many = 4_500;
    await owner`
      insert into leads (created_at, name, email, phone, zip_code)
      select now() - interval '900 days' + n * interval '1 second', 'Old', n || '@example.com', (3050000000 + n)::text, '33101'
      from generate_series(1, ${many}::integer) n`;
    await owner`select private.index_new_leads(null, '100 years')`;
    const oldOnes = async () => (await owner`select from leads where name = 'Old'`).length;
    const interrupted = await owner.begin(async (sql) => {
      // One lead of the second portion, so that Ctrl-C comes while that is under way.
      await sql`
        select from leads
        where id = (select id from leads where name = 'Old' order by created_at offset 2500 limit 1) for update`;
      const child = startOnTerminal(["erase", "--older-than", "800", "--yes"], { DATABASE_URL: url });
      const ended = waitForExit(child, { keepOpen: true });
      await until(async () => (await sessionsWaitingForLocks(owner, "leads command")).length > 0);
      child.stdin?.write("\x03");
      return { ended };
    });
    const { status, stdout } = await interrupted.ended;
    expect({ status, left: await oldOnes() }).toEqual({ status: 130, left: many - 4_000 });
    expect(stdout).toMatch(/Erasing: 44% {2}\(Ctrl-C/);
    expect(stdout).toContain("Erased 4,000 leads.");
    expect(stdout).toContain("Broken off. Type it again to erase the rest.");
    expect((await logged()).map(({ details }) => details.leads)).toEqual([2_000, 2_000]);
    expect((await leads(url, "erase", "--older-than", "800", "--yes")).stdout).toBe("Erased 500 leads.\n");
    expect(await names()).toHaveLength(3);
  });

  it.each([
    ["--older-than 0", "--older-than takes a whole number from 1 to 36500, such as --older-than 20."],
    ["--older-than soon", "--older-than takes a whole number from 1 to 36500, such as --older-than 20."],
    [
      "--older-than 400 abcd1234",
      "Either --older-than, or an <id> or --email.\nHelp: npm run leads -- erase --help",
    ],
  ])("refuses %s", async (words, stderr) => {
    const ran = await leads(url, "erase", ...words.split(" "));
    expect(ran).toEqual({ status: 2, stdout: "", stderr: `${stderr}\n` });
  });
});
