// `npm run doctor`, or `leads doctor` in a release: reads the options and the settings, examines the deployment, and exits with a status
// that a script can trust: 0 nothing failed, 1 something failed, 2 the command was not understood, 130 it was broken off (Ctrl-C).
import { type Config, ConfigError } from "../config/config.ts";
import { isThisMachine } from "../config/this-machine.ts";
import { connect, type Sql } from "../database/connect.ts";
import { EmbeddedPostgresError, findRunning } from "../database/embedded.ts";
import { help, readDeployment, readOptions, UsageError } from "../doctor/command-line.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { lastLine, lineOf } from "../doctor/report.ts";
import { codeOf } from "../log/log.ts";
import { Refusal } from "../team/refusal.ts";
import { readSettings } from "./read-settings.ts";
import { onStopSignals } from "./stop-signals.ts";

// A reader that closes the pipe (`npm run doctor | head`) ends the report; the exit status still counts.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const stop = new AbortController();
// After the first signal there is still time to erase the test lead.
onStopSignals(() => {
  process.stderr.write(
    "Breaking off. The test lead is erased first, where that can be done. Ctrl-C again ends this at once.\n",
  );
  stop.abort();
});

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  let sql: Sql | undefined;
  const { signal } = stop;
  try {
    const options = readOptions(words);
    if (options.help) {
      process.stdout.write(help);
      return 0;
    }
    const config = readSettings();
    const deployment = readDeployment(options, config);
    process.stdout.write(`Examining ${deployment.url}\n\n`);
    const database = await findDatabase(config, deployment.url).catch(tellWhyNot);
    sql = database ? connect(database, { max: 1, name: "leads doctor" }) : undefined;
    const inside = { sql, secretKey: config.supabaseSecretKey };
    const findings: Finding[] = [];
    const report = (finding: Finding) => {
      findings.push(finding);
      process.stdout.write(lineOf(finding));
    };
    const hasFailed = await examine(deployment, inside, report, { signal });
    process.stdout.write(lastLine(findings));
    return hasFailed ? 1 : 0;
  } catch (error) {
    if (signal.aborted) return 130;
    const isExpected = [UsageError, ConfigError, Refusal].some((kind) => error instanceof kind);
    process.stderr.write(
      `${isExpected ? (error as Error).message : `The doctor failed (${codeOf(error)}).`}\n`,
    );
    return error instanceof UsageError ? 2 : 1;
  } finally {
    await sql?.end({ timeout: 1 });
  }
}

/** Without the database the doctor examines what can be examined from outside. */
function tellWhyNot(error: unknown): undefined {
  if (!(error instanceof EmbeddedPostgresError)) throw error;
  process.stderr.write(`${error.message}\n`);
}

/** The owner's address of the database: that of the settings, or the embedded one of the server that runs on this machine. */
async function findDatabase(
  { databaseUrl, dataDir, site }: Config,
  url: string,
): Promise<string | undefined> {
  if (databaseUrl !== undefined) return databaseUrl;
  // Another deployment's leads are not in this machine's database.
  return isThisMachine(new URL(url).hostname) || url === new URL(site.url).origin
    ? findRunning({ dataDir })
    : undefined;
}
