// The program `leads`: its commands in groups, its help, and what it says of words that it does not understand.
//
// A new command is a function in team/, a file here that parses what was typed and prints (an `AddCommand`), its place in `groups`
// below, and its tests in a chapter. A command that shows, lists, exports, erases or changes leads writes to the
// audit log: by `auditOperator`, or in SQL (`erase --older-than`). A function that lists from private.lead_work calls `refreshLists` first.
// `export --permission`, and what finds single leads, instead add the leads without a row there.
// JSON is written as the head of cli/json.ts says. docs/operating.md and spec/two-database-servers.spec.ts name the commands that work on a
// standby.
import { Command, CommanderError, Help, type Option } from "commander";
import { version } from "../config/version.ts";
import { isInstalled, leadsProgram } from "../log/installation.ts";
import {
  type AddCommand,
  type FolderHandler,
  type Handler,
  type Needs,
  type Run,
  type RunOnFolder,
  typed,
  UsageError,
} from "./command.ts";

/** Every command by its name, in the groups and the order of the help. */
const groups: [heading: string, commands: Record<string, () => Promise<AddCommand>>][] = [
  [
    "The leads:",
    {
      list: async () => (await import("./list.ts")).list,
      show: async () => (await import("./show.ts")).show,
      review: async () => (await import("./review.ts")).review,
      withdraw: async () => (await import("./withdraw.ts")).withdraw,
      erase: async () => (await import("./erase.ts")).erase,
      export: async () => (await import("./export.ts")).exportCommand,
    },
  ],
  [
    "Their way to the team:",
    {
      status: async () => (await import("./status.ts")).status,
      watch: async () => (await import("./watch.ts")).watch,
      retry: async () => (await import("./retry.ts")).retry,
      channel: async () => (await import("./channel.ts")).channel,
      test: async () => (await import("./test.ts")).test,
    },
  ],
  [
    "The ads (see docs/campaigns.md):",
    {
      campaigns: async () => (await import("./campaigns.ts")).campaigns,
      experiments: async () => (await import("./experiments.ts")).experimentsCommand,
    },
  ],
  [
    "The inbox (see docs/inbox.md):",
    {
      team: async () => (await import("./team.ts")).team,
      "call-log": async () => (await import("./call-log.ts")).callLogCommand,
      stop: async () => (await import("./stop.ts")).stop,
      audit: async () => (await import("./audit.ts")).audit,
    },
  ],
  [
    "Safe keeping (see docs/backup.md):",
    {
      backup: async () => (await import("./backup.ts")).backup,
      restore: async () => (await import("./restore.ts")).restore,
      upgrade: async () => (await import("./upgrade.ts")).upgrade,
      move: async () => (await import("./move.ts")).move,
    },
  ],
];

/** A note about npm, where commands are typed through it. */
const npmNote = leadsProgram === "leads" ? "" : ' "npm run -s" leaves out npm\'s own lines.';

/** The commands of deploy/leads on a machine, which this program does not have. */
export const releaseCommands = `
The installed release (see docs/deploy-server.md):
  update <file>  put a release in force          rollback  put the one before in force again
  releases       list them                       remove    remove the program; the leads stay
  doctor         examine the deployment
`;

const notes = `${isInstalled ? releaseCommands : ""}
Times are in this machine's time zone (TZ); in JSON and CSV they are in UTC.
Results go to standard output, messages to standard error.${npmNote}
Exit status: 0 all is well; 1 something is wrong, such as a failed or stuck delivery, or cannot be done;
2 the command was not understood, or needs somebody to say yes; 130 it was broken off (Ctrl-C or a signal).

Options and examples of a command: ${typed("list --help")}
The version of this program: ${typed("--version")}`;

/** A command as it was typed: it works on the database, on the data folder alone, or prints a text: help, or the version. */
export type ReadCommand =
  | ({ handler: Handler } & Needs)
  | { folderHandler: FolderHandler }
  | { help: string };

/**
 * Reads what was typed: a command's handler, or the help that was asked for. Commander breaks its lines of the help at `columns` characters, 120 at most;
 * ours stay as they are.
 * @throws UsageError
 */
export async function readCommand(words: readonly string[], columns: number): Promise<ReadCommand> {
  let chosen: ReadCommand | undefined;
  let help = "";
  const program = makeProgram(
    await loadCommands(words),
    (handler, needs) => (chosen = { handler, ...needs }),
    (folderHandler) => (chosen = { folderHandler }),
    (text) => (help += text),
    columns,
  );
  if (words.length === 0)
    throw new UsageError(`What shall it do? For example: ${typed("list")}\nHelp: ${typed("--help")}`);
  const asked = withHelpOption(program, words);
  requireCommand(program, asked);
  try {
    program.parse(asked, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!/^commander\.(help(Displayed)?|version)$/.test(error.code) || help === "") {
      throw usageError(error, commandAt(program, asked));
    }
  }
  return chosen ?? { help };
}

type Group = [heading: string, commands: AddCommand[]];

/** Loads only the command that the first word names, because all of them double the time of a short one; all where it names none. */
async function loadCommands([name = ""]: readonly string[]): Promise<Group[]> {
  const isNamed = groups.some(([, commands]) => Object.hasOwn(commands, name));
  const loadGroup = async ([heading, commands]: (typeof groups)[number]): Promise<Group> => {
    const needed = Object.entries(commands).filter(([one]) => !isNamed || one === name);
    return [heading, await Promise.all(needed.map(([, load]) => load()))];
  };
  return Promise.all(groups.map(loadGroup));
}

function makeProgram(
  loaded: Group[],
  run: Run,
  runOnFolder: RunOnFolder,
  write: (text: string) => void,
  columns: number,
): Command {
  const program = new Command(leadsProgram)
    .version(version, "--version", "print the version of this program")
    .usage("<command> [options]")
    .description(
      "Reads and looks after the leads, also while the server runs: in the embedded database (DATA_DIR) or in DATABASE_URL.",
    )
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", notes)
    .configureHelp({ subcommandTerm: termOf, visibleOptions: optionsOf, visibleCommands: commandsOf })
    .configureOutput({
      getOutHelpWidth: () => Math.min(columns, 120),
      writeOut: write,
      writeErr: () => {},
      outputError: () => {},
    })
    .exitOverride();
  for (const [heading, commands] of loaded) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, run, runOnFolder);
  }
  return program;
}

// The program's own help is to fit on one screen: its notes say how to get a command's help and the version.
const optionsOf = (command: Command): Option[] => (command.parent ? new Help().visibleOptions(command) : []);
const commandsOf = (command: Command): Command[] =>
  new Help().visibleCommands(command).filter((one) => one.name() !== "help");

/** A command with its arguments; its options stand in its own help. */
const termOf = (command: Command): string => {
  const words = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [command.name(), ...words].join(" ");
};

/** Reads `help team invite` as `team invite --help`: commander's own `help` reads one word after it only. */
function withHelpOption(program: Command, words: readonly string[]): readonly string[] {
  const { at, word } = nextCommand(program, words);
  return word === "help" ? [...words.toSpliced(at, 1), "--help"] : words;
}

/**
 * @throws UsageError where a word stands in a command's place and names none. Commander would take `nosuch --help` for a question about the
 * whole program.
 */
function requireCommand(program: Command, words: readonly string[]): void {
  const { command, word } = nextCommand(program, words);
  if (word === undefined || word.startsWith("-")) return;
  throw new UsageError(`There is no command ${JSON.stringify(word)}.\n${helpOf(command)}`);
}

/** The command that the first words name, and the word after them where one of its own commands has to stand. */
function nextCommand(program: Command, words: readonly string[]) {
  const command = commandAt(program, words);
  const at = pathOf(command).split(" ").filter(Boolean).length;
  return { command, at, word: command.commands.length === 0 ? undefined : words[at] };
}

/** The command that the first words name; the program itself when they name none. */
function commandAt(program: Command, words: readonly string[]): Command {
  const [name, ...rest] = words;
  const named = program.commands.find((command) => command.name() === name);
  return named ? commandAt(named, rest) : program;
}

/** Says in our words what commander found, and what to type. */
function usageError(error: CommanderError, command: Command): UsageError {
  const path = pathOf(command);
  const help = helpOf(command);
  const usage = `Type: ${typed(`${path} ${command.usage()}`.trim())}\n${help}`;
  const name = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  switch (error.code) {
    case "commander.missingArgument":
      return new UsageError(`Which <${name}>?\n${usage}`);
    case "commander.excessArguments":
      return new UsageError(
        `One word too many: ${command.args[command.registeredArguments.length]}.\n${usage}`,
      );
    case "commander.help":
      return new UsageError(`Which command?\n${help}`);
    default: {
      const [sentence = ""] = error.message.replace(/^error: /, "").split("\n");
      return new UsageError(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.\n${usage}`);
    }
  }
}

const helpOf = (command: Command): string => `Help: ${typed(`${pathOf(command)} --help`.trim())}`;

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : "";
