// How this program came to the machine, as a clone, as a release that deploy/install has installed, or as a release in a container's image,
// and what a person therefore types to run it. A release puts the command `leads` into the PATH (deploy/leads).
import { existsSync } from "node:fs";

/** A release carries a list of its files, which deploy/build-release writes. */
const isRelease = existsSync(new URL("../MANIFEST", import.meta.url));

/** Whether deploy/install, which makes /etc/leads, has installed this release. A container has no /etc/leads, sudo or systemd. */
export const isInstalled = isRelease && existsSync("/etc/leads");

/** The program `leads` as it is typed here, by root or after `sudo` where it is installed; its words follow after a space. */
export const leadsProgram = isRelease ? "leads" : "npm run leads --";

/**
 * What a person types before a setting and a command, as in `sudo DATA_DIR=... leads restore`. An installed release's command changes to the user
 * leads, which only root may do, and sudo passes on only a setting that stands after it.
 */
export const beforeSetting = isInstalled ? "sudo " : "";

/** A command of `leads` as a person would type it. */
export const typed = (words: string): string => `${leadsProgram} ${words}`;

/**
 * The same for a command whose output goes into a file, to another program or to another person: in a clone npm prints two lines of its own
 * unless told not to.
 */
export const typedForPlainOutput = (words: string): string =>
  isRelease ? typed(words) : `npm run -s leads -- ${words}`;

/** How a program of bin/ is started: by its script of npm, or in a release, which has no npm, from the release's folder. */
export const programCommand = (name: "deliver" | "inbox"): string =>
  isRelease ? `runtime/node bin/${name}.ts` : `npm run ${name}`;

/** The file with the settings. In a clone it is in the clone's own folder, in which npm runs every command. */
export const settingsFile = isRelease ? "/etc/leads/settings.env" : ".env";

/** The doctor as it is typed here; its options follow after a space. */
export const doctorProgram = isRelease ? "leads doctor" : "npm run doctor --";

/**
 * For sentences about a release's server. `otherSettings` ends one that begins with what to set, and `restart` is the command that starts
 * the server again. A container keeps the settings with which it was made. Undefined in a clone, whose pages may be built for another host.
 */
export const ofRelease = isRelease
  ? {
      otherSettings: isInstalled
        ? `in ${settingsFile}, and start the server again: \`sudo systemctl restart leads\`.`
        : "in the container's settings, and run the container anew (docs/container.md).",
      restart: isInstalled ? "sudo systemctl restart leads" : "podman restart leads",
    }
  : undefined;

/** How the server is started here. */
export const startCommand = isInstalled
  ? "sudo systemctl start leads"
  : isRelease
    ? "podman start leads"
    : "npm start";
