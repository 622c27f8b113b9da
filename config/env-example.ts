// Writes `.env.example` from the list of settings: `npm run env-example`.
import { writeFileSync } from "node:fs";
import * as v from "valibot";
import { sections } from "./settings.ts";

const opening =
  "# Settings. Copy this file to .env, take the # away from the lines that you need, and change them. Every line is\n" +
  "# optional, and a wrong value stops the start with a sentence that says how to correct it.\n";

/** The whole text of `.env.example`. */
export const envExample = (): string => [opening, ...sections.map(sectionText)].join("\n");

const sectionText = (section: Record<string, v.GenericSchema>): string =>
  Object.entries(section)
    .map(([name, schema]) => comment(v.getDescription(schema) ?? "") + line(name, schema))
    .join("");

function line(name: string, schema: v.GenericSchema): string {
  const [example = ""] = v.getExamples(schema) as readonly string[];
  const byDefault = v.getDefault(schema as Parameters<typeof v.getDefault>[0]);
  const isOther = typeof byDefault === "string" && byDefault !== "" && byDefault !== example;
  return `${isOther ? `# Without it: ${byDefault}.\n` : ""}#${name}=${example}\n`;
}

// An empty line separates a group's description from that of its first setting.
const comment = (about: string): string =>
  about
    .split("\n")
    .map((one) => (one ? `# ${one}\n` : about ? "\n" : ""))
    .join("");

if (import.meta.main) writeFileSync(new URL("../.env.example", import.meta.url), envExample());
