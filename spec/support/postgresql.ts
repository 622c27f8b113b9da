// The one PostgreSQL that all chapters share: our own embedded server on a temporary folder, with a template
// database that has the schema. A chapter copies the template instead of migrating (see database.ts).
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { addressOfDatabase, connect } from "../../database/connect.ts";
import { embeddedOptions } from "../../database/embedded.ts";
import { migrate } from "../../database/migrate.ts";
import { openRoleLogins } from "../../database/role-logins.ts";
import { syncChannels } from "../../delivery/outbox.ts";
import { startPostgres } from "../../packages/embedded-postgres/embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the shared server's owner. */
    postgresql: string;
  }
}

export const templateName = "template_with_schema";

const settings = {
  // Several chapters run at once, each with the connections of all the programs that it starts.
  max_connections: 200,
  // It would look after each of some 150 databases once a minute, most of which no chapter needs any more.
  autovacuum: "off",
};

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "leads-spec-"));
  // PostgreSQL's own user must be able to pass through it when this runs as root.
  await chmod(folder, 0o711);
  const options = embeddedOptions(join(folder, "data"));
  const server = await startPostgres({ ...options, settings: { ...options.settings, ...settings } });
  const owner = connect(server.url);
  await owner.unsafe(`create database ${templateName}`);
  await owner.end();
  const template = connect(addressOfDatabase(server.url, templateName));
  await migrate(template);
  await syncChannels(template, []);
  // Once for all: the roles belong to the server, and two chapters that change one at the same moment would collide.
  await openRoleLogins(template, server.url);
  await template.end();
  project.provide("postgresql", server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
