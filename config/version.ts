// Which version of the product this is: the one of package.json, whose changes CHANGELOG.md tells.
import { readFileSync } from "node:fs";

export const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
