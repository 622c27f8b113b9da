// The team's inbox for a chapter: served in this process on a port of its own, met over HTTP, with members who are signed in, and with
// ZIP codes where it is noon or night at whatever time the chapter runs.
import { roleAddress } from "../../database/role-logins.ts";
import type { CallName, RequestOf, ResponseOf } from "../../inbox/api.ts";
import { type InboxStart, startInbox } from "../../inbox/start.ts";
import { atTheEnd } from "./at-the-end.ts";
import { aLead, makeDatabase, type TestDatabase } from "./database.ts";
import { freePort } from "./free-port.ts";

export interface Answer<Body> {
  status: number;
  body: Body;
  /** The body as it came over the wire. */
  text: string;
}

export interface TestMember {
  id: string;
  name: string;
  /** As the request header has it. */
  cookie: string;
  /** Calls the API as this member's page does. `body` is what its type says only where the status is 200. */
  call<Name extends CallName>(name: Name, request?: RequestOf<Name>): Promise<Answer<ResponseOf<Name>>>;
  /** Asks for a file at the path that `export` or `audit/export` answered as its address. */
  download(path: string): Promise<Response>;
}

export interface TestInbox {
  url: string;
  /** Adds a member who is signed in. */
  member(name?: string, role?: "member" | "manager"): Promise<TestMember>;
  /** Ends the server, for a chapter that starts it again on the same port. */
  stop(): Promise<void>;
}

/** Makes a database with the two places of `noonZip` and `nightZip`, and serves its inbox. */
export async function makeInbox(): Promise<{ database: TestDatabase; inbox: TestInbox }> {
  const database = await makeDatabase();
  await addPlaces(database);
  return { database, inbox: await serveInbox(database) };
}

/** Serves the inbox of a database. `logged` gets the name of each event that is logged. */
export async function serveInbox(
  database: Pick<TestDatabase, "url" | "owner">,
  settings: Partial<InboxStart["settings"]> = {},
  { standbyUrl, logged = [] }: { standbyUrl?: string; logged?: string[] } = {},
): Promise<TestInbox> {
  const port = await freePort();
  const url = settings.url ?? `http://localhost:${port}`;
  const defaults = {
    on: true,
    port,
    host: "127.0.0.1",
    url,
    idleMinutes: 15,
    sessionHours: 12,
    metricsToken: undefined,
    openIdConnect: undefined,
  };
  const served = await startInbox({
    settings: { ...defaults, ...settings },
    databaseUrl: roleAddress(database.url, "leads_team"),
    standbyUrl,
    provider: { name: "Example Supply", phone: "(800) 555-0100", calls_from: "(800) 555-0143" },
    log: (event, facts) => {
      logged.push(event);
      if (event === "bug") process.stderr.write(`bug ${JSON.stringify(facts)}\n`);
    },
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= served.stop());
  atTheEnd(stop);
  const address = `http://localhost:${settings.port ?? port}`;
  return {
    url: address,
    async member(name = "Dana", role = "member") {
      const [made] = await database.owner<{ id: string }[]>`
        insert into private.members (name, role) values (${name}, ${role}) returning id`;
      const id = made?.id as string;
      const [begun] = await database.owner<{ session: { token: string } }[]>`
        select private.begin_session(${id}, 'test') as session`;
      const cookie = `session=${begun?.session.token}`;
      return {
        id,
        name,
        cookie,
        call: (call, request) => post(address, `api/${call}`, request, cookie),
        download: (path) => fetch(`${address}${path}`, { headers: { cookie } }),
      };
    },
    stop,
  };
}

/** Posts JSON as the inbox's own page does. */
export async function post<Body>(
  address: string,
  path: string,
  request: unknown = {},
  cookie = "",
): Promise<Answer<Body>> {
  const answer = await fetch(`${address}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: address, ...(cookie && { cookie }) },
    body: JSON.stringify(request),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : undefined) as Body, text };
}

/** ZIP codes of places where it is noon, and where it is night, at the hour at which `addPlaces` is called. */
export const noonZip = "00105";
export const nightZip = "00205";

/** Adds the two places of `noonZip` and `nightZip`. */
export async function addPlaces({ owner }: TestDatabase): Promise<void> {
  const hour = new Date().getUTCHours();
  // Etc/GMT+5 is five hours behind UTC.
  const zoneAt = (local: number) => {
    const behind = ((hour - local + 36) % 24) - 12;
    return `Etc/GMT${behind < 0 ? "-" : "+"}${Math.abs(behind)}`;
  };
  for (const [prefix, zone] of [
    ["001", zoneAt(12)],
    ["002", zoneAt(2)],
  ] as const) {
    await owner`insert into private.places (state, zone) values ('VT', ${zone}) on conflict do nothing`;
    await owner`
      insert into private.zip_places (prefix, place, rank) values (${prefix}, ${`VT/${zone}`}, 1) on conflict do nothing`;
  }
}

let phoneNumbers = 0;
/** A phone number of its own, with an area code that no place has. */
export const aPhoneNumber = () => `111-555-${String(1000 + phoneNumbers++)}`;

/** Stores a lead that came some hours ago, ready for the queue, and returns its id. */
export async function addLead(
  { owner }: TestDatabase,
  differences: Record<string, unknown> = {},
  hoursAgo = 1,
): Promise<string> {
  const email = `${crypto.randomUUID()}@example.com`;
  const created_at = new Date(Date.now() - hoursAgo * 3_600_000);
  const lead = aLead({ zip_code: noonZip, phone: aPhoneNumber(), email, created_at, ...differences });
  const [stored] = await owner<{ id: string }[]>`insert into public.leads ${owner(lead)} returning id`;
  await owner`select private.index_new_leads(look_back => '100 years')`;
  return stored?.id as string;
}
