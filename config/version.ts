// The version of the product, as package.json says it. CHANGELOG.md tells what each version changed.
import { readFileSync } from "node:fs";

export const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
