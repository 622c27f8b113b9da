// What our programs inherit from the environment of a test: only what Node needs, because no test may depend on a developer's settings.
import { fileURLToPath } from "node:url";
import { settingsSchema } from "../../config/settings.ts";

/** Where Node keeps what it has compiled, because compiling takes half of the processor time of a program's start. */
const compiled = fileURLToPath(new URL("../../node_modules/.cache/node", import.meta.url));

/** Makes every program that this process starts keep compiled code: in the folder that the environment names, otherwise in ours. */
export function keepCompiledCode(): void {
  process.env.NODE_COMPILE_CACHE ??= compiled;
}

/** Has the chapters print times in UTC, also the commands that run in their processes. `programEnvironment` passes no time zone on. */
export function useUtc(): void {
  process.env.TZ = "UTC";
}

/** The environment of a program that a test starts, with the settings that it names. */
export function programEnvironment(settings: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR, NODE_COMPILE_CACHE = compiled } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), NODE_COMPILE_CACHE, ...settings };
}

/** Every setting, empty, which counts as not set. Node reads a developer's own `.env` for names that the environment lacks. */
export const noSettings: Record<string, string> = Object.fromEntries(
  Object.keys(settingsSchema.entries).map((name) => [name, ""]),
);
