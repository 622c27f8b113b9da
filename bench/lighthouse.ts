// `npm run bench:page` ends with this: what Lighthouse (mobile, its usual slow phone) says of both pages of the running
// product. Lighthouse is no dependency, because its 176 MB give only eight figures: npx fetches it into npm's cache.
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "../spec/support/chromium.ts";
import { run, startProcess } from "./processes.ts";

const lighthouse = "lighthouse@13.5.0";

interface Report {
  categories: Record<
    string,
    { title: string; score: number | null; auditRefs: { id: string; weight: number }[] }
  >;
  audits: Record<string, { title: string; score: number | null }>;
}

const folder = await mkdtemp(join(tmpdir(), "leads-bench-"));
await chmod(folder, 0o711);
const ours = await startProcess(["bin/serve.ts"], / listening: [^:]*:\/\/localhost:(\d{1,5})$/, {
  PORT: "0",
  INBOX: "off",
  DATA_DIR: join(folder, "data"),
});
process.env.CHROME_PATH = findChromium();
console.log(`\n${lighthouse}, mobile`);
for (const path of ["/", "/thank-you"]) print(path, await audit(path));
ours.child.kill();
ours.child.once("exit", () => rm(folder, { recursive: true }));

async function audit(path: string): Promise<Report> {
  const file = join(folder, "report.json");
  const flags = "--headless --no-sandbox --disable-gpu --disable-quic --disable-background-networking";
  const address = `http://localhost:${ours.port}${path}`;
  const args = [address, "--quiet", "--output=json", `--output-path=${file}`, `--chrome-flags=${flags}`];
  await run("npx", [
    "--yes",
    lighthouse,
    ...args,
    "--only-categories=performance,accessibility,best-practices,seo",
  ]);
  return JSON.parse(await readFile(file, "utf8"));
}

function print(path: string, { categories, audits }: Report): void {
  const scores = Object.values(categories).map(
    ({ title, score }) => `${title} ${score === null ? "without a score" : Math.round(score * 100)}`,
  );
  console.log(`${path.padEnd(12)} ${scores.join(", ")}`);
  for (const { title, score, auditRefs } of Object.values(categories)) {
    if (score === 1) continue;
    const lost = auditRefs.filter(({ id, weight }) => weight > 0 && audits[id]?.score !== 1);
    for (const { id } of lost) console.log(`${"".padEnd(12)} ${title}: ${audits[id]?.title}`);
  }
}
