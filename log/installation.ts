// How this program came to the machine, as a clone or as a release, and what a person therefore types to run it. A release puts
// the command `leads` into the PATH (deploy/leads).
import { existsSync } from "node:fs";

/** A release carries a list of its files, which deploy/build-release writes. */
const isRelease = existsSync(new URL("../MANIFEST", import.meta.url));

/** The program `leads` as it is typed here; its words follow after a space. */
export const leadsProgram = isRelease ? "leads" : "npm run leads --";

/** What stands before a setting that a person types with a command: the release's command gives up its rights, for which it needs root's. */
export const withSetting = isRelease ? "sudo " : "";

/** A command of `leads` as a person would type it. */
export const typed = (words: string): string => `${leadsProgram} ${words}`;

/**
 * The same for a command whose output goes into a file, to another program or to another person: in a clone npm prints two lines of its own
 * unless told not to.
 */
export const typedForPlainOutput = (words: string): string =>
  isRelease ? typed(words) : `npm run -s leads -- ${words}`;

/** How the server is started here. */
export const startCommand = isRelease ? "sudo systemctl start leads" : "npm start";

/** The file with the settings; in a clone that of the folder in which a command is typed. */
export const settingsFile = isRelease ? "/etc/leads/settings.env" : ".env";
