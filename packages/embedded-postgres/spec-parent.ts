// A process that only runs PostgreSQL, with the options that it is given as JSON, so that the specification can kill it.
// It prints one line when the database is ready or the start was refused, and stops on SIGTERM. It ignores Ctrl-C, as a
// server does that still answers requests.
import { startPostgres } from "./embedded-postgres.ts";

process.on("SIGINT", () => {});
try {
  const postgres = await startPostgres(JSON.parse(process.argv[2] ?? ""));
  process.once("SIGTERM", () => postgres.stop());
  print({ url: postgres.url, pid: postgres.pid, dataDir: postgres.dataDir });
} catch (error) {
  print({ refused: (error as Error).message });
}

function print(line: Record<string, unknown>) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
