// A folder that stands for a machine on which releases are put in force (deploy/releases): the scripts are the real ones; the releases are
// small, and systemd is a stand-in. A real machine is tried by deploy/trial-machine.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** deploy/releases, which a test runs. */
export const script = join(root, "deploy/releases");

let machine: string;

/** A path on the machine. */
export const at = (path: string) => join(machine, path);

// The server's state is what the file `state` says, at first "active"; what is asked of systemd is appended to `asked`.
const systemctl = `#!/bin/sh
echo "$*" >> "$LEADS_PREFIX/asked"
case $* in *ActiveState*) cat "$LEADS_PREFIX/state" ;; esac
`;

// Stands for a release's Node. With the program it prints the version. With -e, by which deploy/releases asks the server, it succeeds, as
// if the server had answered with ok. A test makes it do otherwise by files. In the release: `broken` (the server does not answer at all),
// `unready` (the server is never ready), `late` (the server is ready from the second request on), `slow` and `upgrades-slowly` (the
// program, or its upgrade, does not end, and writes `under-way`), `upgrades-nothing` (the upgrade fails). On the machine:
// `changed-tables` (no release works on the tables), `database-down` (no server is ready).
const node = `#!/bin/sh
here=$(dirname "$(dirname "$0")")
case $* in
  *"team list"*) exec test ! -e "$LEADS_PREFIX/changed-tables" ;;
  *" upgrade") [ ! -e "$here/upgrades-slowly" ] || { touch "$LEADS_PREFIX/under-way"; exec sleep 1000; }
    exec test ! -e "$here/upgrades-nothing" ;;
  -e*/readyz) [ ! -e "$here/late" ] || { mv "$here/late" "$here/ready"; exit 1; }
    [ ! -e "$here/unready" ] && [ ! -e "$LEADS_PREFIX/database-down" ] || exit 1 ;;
esac
[ "$1" != -e ] || exec test ! -e "$here/broken"
[ ! -e "$here/slow" ] || { touch "$LEADS_PREFIX/under-way"; exec sleep 1000; }
cat "$here/VERSION"
`;

/** One file of the settings, one of the leads and one of the backups. */
export const operatorsFiles = [
  "etc/leads/settings.env",
  "var/lib/leads/leads",
  "var/backups/leads/one.backup",
];

/** Makes a machine, and removes it after the test. */
export function makeMachine(): void {
  machine = mkdtempSync(join(tmpdir(), "leads-releases-"));
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }));
  for (const folder of ["opt/leads/releases", "etc/leads", "var/lib/leads", "var/backups/leads", "bin"])
    mkdirSync(at(folder), { recursive: true });
  for (const file of operatorsFiles) writeFileSync(at(file), "");
  writeFileSync(at("bin/systemctl"), systemctl, { mode: 0o755 });
  writeFileSync(at("state"), "active\n");
  writeFileSync(at("etc/leads/settings.env"), `DATA_DIR=${at("var/lib/leads")}\n`);
}

interface Extras {
  [file: string]: string;
}

/** Packs a release, with further files in it, and returns the path of the archive. */
export function pack(version: string, extras: Extras = {}): string {
  const folder = at(`leads-${version}`);
  for (const name of ["deploy", "runtime", "supabase/migrations"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["releases", "leads", "leads.service", "leads.socket"])
    cpSync(join(root, "deploy", name), join(folder, "deploy", name));
  const files = { VERSION: `${version}\n`, POSTGRESQL: "18\n", "runtime/node": node, ...extras };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chmodSync(join(folder, "runtime/node"), 0o755);
  writeManifest(folder);
  const archive = at(`leads-${version}.tar.gz`);
  execFileSync("tar", ["-czf", archive, "-C", machine, `leads-${version}`]);
  return archive;
}

/** Writes the checksums of a release's files, by which the scripts tell whether it is whole. */
export const writeManifest = (folder: string): void =>
  void execFileSync("sh", ["-c", "find . -type f ! -name MANIFEST -exec sha256sum {} + > MANIFEST"], {
    cwd: folder,
  });

export const environment = () => ({
  PATH: `${at("bin")}:${process.env.PATH}`,
  LEADS_PREFIX: machine,
});

/** Types a command of deploy/releases and returns its exit status and what it said. */
export const type = (...words: string[]) => typeAndAnswer("", ...words);

/** The same, and answers the command's questions with `input`. */
export function typeAndAnswer(input: string, ...words: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("sh", [script, ...words], {
    env: environment(),
    encoding: "utf8",
    input,
  });
  return { status, said: stdout + stderr };
}

export const inForce = () => readlinkSync(at("opt/leads/current"));
export const kept = () => readdirSync(at("opt/leads/releases")).sort();

/** What systemd was asked to do, a line each. */
export const askedOfSystemd = () => (existsSync(at("asked")) ? readFileSync(at("asked"), "utf8") : "");
