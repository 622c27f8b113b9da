// `npm run bench:delivery`: how fast leads that waited through an outage of both channels reach the team once it ends,
// and what that backlog and the draining cost the intake meanwhile. Receiver and mail server run in this process.
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { SMTPServer } from "smtp-server";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { freePort } from "../spec/support/free-port.ts";
import { inserts, load, type Measured, startProcess } from "./processes.ts";

const { values: options } = parseArgs({ options: { leads: { type: "string", default: "10000" } } });
const key = "sb_publishable_bench";
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), "leads-bench-"));
await chmod(folder, 0o711);
const database = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const owner = connect(database.url);

const receiver = createServer((request, response) =>
  request.resume().on("end", () => response.writeHead(204).end()),
);
const mails = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData: (stream, _, done) => void stream.resume().on("end", () => done()),
});
const webhookPort = await freePort();
const smtpPort = await freePort();

const server = await startProcess(["bin/serve.ts"], / listening: [^:]*:\/\/localhost:(\d{1,5})$/, {
  PORT: "0",
  INBOX: "off",
  DATABASE_URL: database.url,
  ANON_KEY: key,
  RATE_LIMIT: "off",
  WEBHOOK_URL: `http://127.0.0.1:${webhookPort}/`,
  WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
  MAIL_FROM: "a@a.example",
  NOTIFY_EMAIL: "b@b.example",
});
await until(async () => {
  const enabled = await owner`select from private.channels where enabled`.catch(() => []);
  return enabled.length === 2;
});

say(`no backlog, both channels down: ${figuresOf(await load(server.port, 8, 4, inserts(key)))}`);
// A thousand a statement: a trigger takes an advisory lock for each row, and PostgreSQL's table of locks is small.
for (let first = 1; first <= Number(options.leads); first += 1000) {
  const last = Math.min(first + 999, Number(options.leads));
  await owner`
    insert into public.leads (name, email, phone, zip_code, request_headers)
    select 'Visitor ' || i, i || '@example.com', '555-' || i, '33101', '{"x-forwarded-for": "192.0.2.7"}'
    from generate_series(${first}::integer, ${last}::integer) as i`;
}
say(`${await count("pending")} deliveries wait`);
say(`beside it, both channels down:  ${figuresOf(await load(server.port, 8, 4, inserts(key)))}`);

receiver.listen(webhookPort, "127.0.0.1");
mails.listen(smtpPort, "127.0.0.1");
const [waiting, begun] = [await count("pending"), performance.now()];
const [now] = await owner<{ at: string }[]>`select clock_timestamp()::text as at`;
const during = load(server.port, 8, 4, inserts(key));
await until(async () => {
  const [row] = await owner<{ left: number }[]>`
    select count(*)::int as left from private.deliveries
    where created_at <= ${now?.at ?? ""}::text::timestamptz and delivered_at is null`;
  return row?.left === 0;
});
const seconds = (performance.now() - begun) / 1000;
say(`beside the draining:            ${figuresOf(await during)}`);
say(`drained ${waiting} deliveries in ${seconds.toFixed(1)} s, ${Math.round(waiting / seconds)} a second`);

server.child.kill();
await once(server.child, "exit");
receiver.close();
mails.close();
await owner.end();
await database.stop();
await rm(folder, { recursive: true });

async function count(which: "pending" | "delivered"): Promise<number> {
  const [row] = await owner`
    select count(delivered_at)::int as delivered, (count(*) - count(delivered_at))::int as pending
    from private.deliveries`;
  return row?.[which] as number;
}

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await wait(200);
}

function figuresOf({ answersPerSecond, p50, p99 }: Measured): string {
  return `${answersPerSecond.toFixed(0)} inserts a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}
