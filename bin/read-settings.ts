// Reads the settings for a command that a person types, from the file of this installation and from the environment, which comes first.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Config, readConfig } from "../config/config.ts";
import { settingsFile } from "../log/installation.ts";
import { Refusal } from "../team/refusal.ts";

/**
 * Node's own --env-file-if-exists would print a line at each command where there is no such file.
 * @throws Refusal where the file cannot be read, and ConfigError where a setting is wrong.
 */
export function readSettings(): Config {
  try {
    if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
  } catch (cause) {
    throw new Refusal(
      `The settings in ${resolve(settingsFile)} cannot be read. Run this as the user who may read them.`,
      { cause },
    );
  }
  return readConfig(process.env);
}
