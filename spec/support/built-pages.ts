// Builds the pages that the chapters (spec files) serve when the sources have changed, so that one chapter alone needs no command before it.
import { spawnSync } from "node:child_process";

export default function setUp(): void {
  const { status } = spawnSync(process.execPath, ["bin/build.ts", "--if-stale"], { stdio: "inherit" });
  if (status !== 0) throw new Error("The pages could not be built.");
}
