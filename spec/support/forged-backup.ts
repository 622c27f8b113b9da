// Lines of a backup that is whole and holds what no database of ours ever held.
import { createHash } from "node:crypto";

/** The lines with one more row, and with a last line whose counts and checksum fit them. */
export function withRow(lines: readonly string[], row: string): string[] {
  const before = [...lines.slice(0, -1), row];
  const counts = (JSON.parse(lines.at(-1) ?? "") as { rows: Record<string, number> }).rows;
  const table = /^{"table":"([^"]+)"/.exec(row)?.[1];
  if (!table) throw new Error("This is no row of a backup.");
  const sha256 = createHash("sha256")
    .update(before.map((line) => `${line}\n`).join(""))
    .digest("hex");
  return [...before, JSON.stringify({ rows: { ...counts, [table]: (counts[table] ?? 0) + 1 }, sha256 })];
}
