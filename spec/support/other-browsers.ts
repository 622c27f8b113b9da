// Run by itself, as `npm test` does first: installs Firefox, WebKit and a font from Debian where it may. Without the browsers
// their chapter is named as skipped; without a font like Arial the chapter of the budgets sees the page shift.
import { spawnSync } from "node:child_process";
import { install } from "./debian.ts";
import { firefox } from "./firefox.ts";
import { webkit } from "./webkit.ts";

const fonts = spawnSync("fc-list", { encoding: "utf8" }).stdout ?? "";
const missing = [
  ...[firefox, webkit].flatMap((engine) => engine.missing?.split(" ") ?? []),
  ...(/Liberation|Arial/.test(fonts) ? [] : ["fonts-liberation"]),
];

if (import.meta.main) for (const name of missing) install(name);
