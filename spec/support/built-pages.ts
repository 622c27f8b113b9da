// When the sources have changed, builds the pages that the chapters (spec files) serve, so that one chapter alone needs no command before.
import { spawnSync } from "node:child_process";

export default function setUp(): void {
  const { status } = spawnSync(process.execPath, ["bin/build.ts", "--if-stale"], { stdio: "inherit" });
  if (status !== 0) throw new Error("The pages could not be built.");
}
