// `node bench/pages.ts`: requests a second for the article and their latencies, beside a bare node:http that answers the same bytes with the
// same headers. One machine, one run, interleaved rounds, medians.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { load, race, startProcess } from "./processes.ts";

const folder = await mkdtemp(join(tmpdir(), "leads-bench-"));
await chmod(folder, 0o711);
const ours = await startProcess(["bin/serve.ts"], / listening: [^:]*:\/\/localhost:(\d{1,5})$/, {
  PORT: "0",
  INBOX: "off",
  DATA_DIR: join(folder, "data"),
});
const bare = await startProcess(["bench/bare-page.ts", `http://127.0.0.1:${ours.port}/`], /^(\d+)$/);
const article = { path: "/", status: 200 };
process.stdout.write(`${cpus().length} cores, ${cpus()[0]?.model}\n`);
try {
  for (const connections of [8, 32]) {
    await race(
      {
        "this product": () => load(ours.port, connections, 3, article),
        "bare node:http": () => load(bare.port, connections, 3, article),
      },
      3,
      `${String(connections).padStart(3)} connections`,
    );
  }
} finally {
  bare.child.kill();
  ours.child.kill();
  ours.child.once("exit", () => rm(folder, { recursive: true }));
}
