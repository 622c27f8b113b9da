// How wrong settings are refused, for the chapters about settings.
import { ConfigError, readConfig } from "../../config/config.ts";

/** The message with which these settings are refused, or "" when they are taken. */
export function messageFor(env: Record<string, string>): string {
  try {
    readConfig(env);
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
