// A process that does nothing but run the embedded PostgreSQL on the folder it is given, to be killed in tests.
// It prints one line when the database is ready or the start was refused, and stops on SIGTERM; Ctrl-C leaves
// it as it is, like a server that is still answering.
import { startEmbedded } from "../../packages/embedded-postgres/embedded.ts";

process.on("SIGINT", () => {});
try {
  const database = await startEmbedded({ dataDir: process.argv[2], log: () => {} });
  process.once("SIGTERM", () => database.stop());
  say({ url: database.url, pid: database.pid, dataDir: database.dataDir });
} catch (error) {
  say({ refused: (error as Error).message });
}

function say(line: Record<string, unknown>) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
