// A complete deployment for the doctor to examine: a hosted project whose team is told by a webhook, and the site on a static host. The
// chapters about the doctor break one part of it at a time.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect } from "vitest";
import { examine } from "../../doctor/examine.ts";
import type { Finding } from "../../doctor/finding.ts";
import { atTheEnd } from "./at-the-end.ts";
import { keys } from "./edge-function.ts";
import { startHosted } from "./hosted.ts";
import { buildSite, startStaticHost } from "./static-host.ts";
import { extensionStubs } from "./supabase-like.ts";

export const provider = {
  PROVIDER_NAME: "Provider of the spec",
  PROVIDER_LEGAL_NAME: "Provider of the spec, Inc.",
  PROVIDER_PHONE: "(305) 555-0100",
  PROVIDER_CALLS_FROM: "(305) 555-0101",
  PROVIDER_ADDRESS: "1 Spec Street",
  PROVIDER_SUPPLIER_ID: "1234567893",
};

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes....").toString("base64")}`;

/** What the doctor may use beside the addresses: the database, the secret key. */
interface Access {
  sql?: boolean;
  secretKey?: string;
}

/**
 * Starts a deployment for the chapter. After each test the project and the static host answer as at first, and there is no lead;
 * what a test damages in the database, it mends itself.
 */
export async function startDeployment() {
  const host = await startStaticHost();
  const project = await startHosted(host.url, {
    WEBHOOK_URL: await startReceiver(),
    WEBHOOK_SECRET: secret,
    ...provider,
  });
  const { owner, platform } = project.database;
  await platform.unsafe(extensionStubs);
  host.folder = await buildSite({
    SITE_URL: host.url,
    VITE_SUPABASE_URL: project.url,
    VITE_SUPABASE_ANON_KEY: keys.publishable,
    ...provider,
  });

  /** Runs the doctor. Returns its findings, and whether it says that something failed. */
  async function examineProject({ sql = false, secretKey }: Access = {}) {
    const findings: Finding[] = [];
    const hasFailed = await examine(
      { url: project.url, key: keys.publishable, site: host.url },
      { sql: sql ? owner : undefined, secretKey },
      (finding) => findings.push(finding),
      { due: [] },
    );
    return { hasFailed, findings };
  }

  /** Expects the doctor to name this failure, and each failure that it names to come with its fix. */
  async function expectFailure(says: RegExp, access?: Access) {
    const { hasFailed, findings } = await examineProject(access);
    const failures = findings.flatMap((finding) => (finding.is === "fail" ? [finding] : []));
    expect(failures.map((finding) => finding.says)).toContainEqual(expect.stringMatching(says));
    expect(failures.every(({ fix }) => fix.length > 10)).toBe(true);
    expect(hasFailed).toBe(true);
  }

  afterEach(async () => {
    project.override = undefined;
    Object.assign(host, { override: undefined, withoutHeaders: false, alter: (html: string) => html });
    await owner`delete from leads`;
  });
  // The first request to submit-lead syncs the notices and schedules the cron job that wakes it. It is made here, so that no test meets a
  // project without them.
  await examineProject({ sql: true });
  await owner`delete from leads`;
  return { host, project, examineProject, expectFailure };
}

/** Starts a webhook that takes every delivery, and returns its address. */
async function startReceiver(): Promise<string> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  atTheEnd(() => receiver.close());
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
}
