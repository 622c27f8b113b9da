// A folder that is laid out as a release in a container's image, for what the programs say there. The releases that an installation puts in
// force are made in machine.ts.
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const modules =
  "bin campaigns cli config content database delivery deploy doctor lead log packages site team web".split(
    " ",
  );

/** Makes the folder, and returns it. By its MANIFEST, which is empty here, the program knows that it is a release. */
export function copyOfRelease(): string {
  const folder = mkdtempSync(join(tmpdir(), "leads-release-"));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const name of [...modules, "package.json"])
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith("/.cache"),
    });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "runtime"));
  symlinkSync(process.execPath, join(folder, "runtime/node"));
  writeFileSync(join(folder, "MANIFEST"), "");
  return folder;
}
