// Alternatives to this product: Parse Server and Directus, with their usual settings and a public right to create, each
// over our own table with all its triggers, in a database of its own.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { run, startProcess, type Target } from "./processes.ts";
import { enableTwoChannels } from "./whole-leads.ts";

export interface Peer extends Awaited<ReturnType<typeof startProcess>> {
  name: string;
  target: Target;
}

interface Login {
  socket: string;
  user: string;
  password: string;
}

// Kept between runs: the two are some 800 MB.
const folder = fileURLToPath(new URL("../node_modules/.cache/peers/", import.meta.url));
const fields = ["name", "email", "phone", "zip_code", "has_medicare", "has_diabetes"] as const;
const isBoolean = (field: string) => field.startsWith("has_");

/** Fetches and starts both, each with a database of its own. `address` is the database server's, as its owner. */
export async function startPeers(address: string): Promise<Peer[]> {
  const { username, password, hostname } = new URL(address);
  const login = {
    socket: decodeURIComponent(hostname),
    user: username,
    password: decodeURIComponent(password),
  };
  for (const name of ["parse", "directus"]) await makeDatabase(address, name);
  return [await startParse(login), await startDirectus(login)];
}

async function makeDatabase(address: string, name: string): Promise<void> {
  const server = connect(address, { max: 1 });
  await server.unsafe(`create database ${name}`);
  await server.end();
  const sql = connect(Object.assign(new URL(address), { pathname: name }).href, { max: 1 });
  await migrate(sql);
  await enableTwoChannels(sql);
  // Parse Server expects these columns where it finds a table of that name.
  if (name === "parse")
    await sql`alter table leads add "objectId" text unique, add "createdAt" timestamptz, add "updatedAt" timestamptz,
      add _rperm text[], add _wperm text[]`;
  await sql.end();
}

async function startParse({ socket, user, password }: Login): Promise<Peer> {
  const program = await install("parse-server@9.10.0");
  const classLevelPermissions = {
    create: { "*": true },
    find: {},
    get: {},
    count: {},
    update: {},
    delete: {},
    addField: {},
  };
  const lead = {
    className: "leads",
    fields: Object.fromEntries(
      fields.map((field) => [field, { type: isBoolean(field) ? "Boolean" : "String" }]),
    ),
    classLevelPermissions,
  };
  const settings = {
    databaseURI: "postgres://localhost/parse",
    databaseOptions: { host: socket, user, password },
    appId: "leads",
    masterKey: "bench",
    serverURL: "http://127.0.0.1:9931/parse",
    host: "127.0.0.1",
    port: 9931,
    schema: { definitions: [lead] },
    logLevel: "error",
  };
  writeFileSync(
    `${program}start.cjs`,
    `require("parse-server").ParseServer.startApp(${JSON.stringify(settings)}).then(() => console.log("9931"));`,
  );
  const started = await startProcess([`${program}start.cjs`], /^(9931)$/, {
    PARSE_SERVER_LOGS_FOLDER: "null",
  });
  const target = {
    path: "/parse/classes/leads",
    status: 201,
    leadHeaders: { "x-parse-application-id": "leads" },
  };
  return { name: "Parse Server", target, ...started };
}

async function startDirectus({ socket, user, password }: Login): Promise<Peer> {
  const program = await install("directus@12.4.0", "--legacy-peer-deps");
  // It runs scripts of Directus' flows, must be compiled for this very Node, and has no part in an insert.
  writeFileSync(`${program}node_modules/isolated-vm/isolated-vm.js`, "module.exports = {};");
  const env = {
    DB_CLIENT: "pg",
    DB_HOST: socket,
    DB_PORT: "5432",
    DB_DATABASE: "directus",
    DB_USER: user,
    DB_PASSWORD: password,
    SECRET: "bench".repeat(8),
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_PASSWORD: "bench-bench",
    ADMIN_TOKEN: "bench",
    HOST: "127.0.0.1",
    PORT: "9932",
    TELEMETRY: "false",
  };
  const cli = `${program}node_modules/directus/cli.js`;
  await run(process.execPath, [cli, "bootstrap"], env);
  const started = await startProcess([cli, "start"], /Server started at http:\/\/127\.0\.0\.1:(\d+)/, env);
  await allowLeads("http://127.0.0.1:9932");
  return { name: "Directus", target: { path: "/items/leads", status: 204, leadHeaders: {} }, ...started };
}

/** Lets everybody create in the collection that Directus sees in our table. */
async function allowLeads(address: string): Promise<void> {
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: "Bearer bench", "content-type": "application/json" };
    const answer = await fetch(
      address + path,
      body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers },
    );
    if (!answer.ok) throw new Error(`Directus answers ${answer.status} to ${path}`);
    return answer.json();
  };
  const { data } = await ask("/policies?fields=id,name");
  const everybody = data.find(({ name }: { name: string }) => name === "$t:public_label").id;
  await ask("/permissions", { policy: everybody, collection: "leads", action: "create", fields: ["*"] });
}

/** Installs a package once in node_modules/.cache/peers, apart from the project's own, without running its scripts; returns the folder. */
async function install(what: string, ...options: string[]): Promise<string> {
  const into = `${folder}${what}/`;
  if (existsSync(into)) return into;
  const unfinished = `${folder}unfinished/`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  process.stderr.write(`Fetching ${what}; this takes minutes.\n`);
  await run("npm", [
    "install",
    "--prefix",
    unfinished,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    ...options,
    what,
  ]);
  renameSync(unfinished, into);
  return into;
}
