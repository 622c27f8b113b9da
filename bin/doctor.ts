// The door of `npm run doctor`: reads what was typed and the settings, examines the deployment, and leaves with an exit
// status that a script can trust: 0 all is well, 1 something is wrong, 2 the command was not understood.
import { ConfigError, readConfig } from "../config/config.ts";
import { connect, type Sql } from "../database/connect.ts";
import { help, Misuse, readCommand } from "../doctor/command-line.ts";
import { examine } from "../doctor/examine.ts";
import { lastLine, lineOf } from "../doctor/report.ts";
import { codeOf } from "../log/log.ts";

// Whoever read the findings has had enough (`npm run doctor | head`); the exit status still tells.
process.stdout.on("error", () => {});

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  let sql: Sql | undefined;
  try {
    const config = readConfig(process.env);
    const deployment = readCommand(words, config);
    if (deployment === "help") {
      process.stdout.write(help);
      return 0;
    }
    process.stdout.write(`Examining ${deployment.url}\n\n`);
    sql = config.databaseUrl ? connect(config.databaseUrl, { max: 1, name: "leads doctor" }) : undefined;
    const inside = { sql, secretKey: config.supabaseSecretKey };
    const isWrong = await examine(deployment, inside, (finding) => process.stdout.write(lineOf(finding)));
    process.stdout.write(lastLine(isWrong));
    return isWrong ? 1 : 0;
  } catch (error) {
    const isOurs = error instanceof Misuse || error instanceof ConfigError;
    process.stderr.write(`${isOurs ? error.message : `The doctor failed (${codeOf(error)}).`}\n`);
    return error instanceof Misuse ? 2 : 1;
  } finally {
    await sql?.end({ timeout: 1 });
  }
}
