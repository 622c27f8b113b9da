// What the long-running programs share: they read the settings, log, stop on a signal, and end with a sentence when the operator has
// to correct something.
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import { ContentError } from "../content/content-error.ts";
import { MigrationError } from "../database/migrate.ts";
import { DatabaseRefusal } from "../database/prepare.ts";
import { logBug } from "../log/bug.ts";
import { logWhatLibrariesPrint } from "../log/libraries.ts";
import { type Log, makeLog } from "../log/log.ts";
import { EmbeddedPostgresError } from "../packages/embedded-postgres/error.ts";
import { BuildError } from "../site/build-folder.ts";
import { ListenError } from "../web/listen.ts";
import { onStopSignals } from "./stop-signals.ts";

/** The program cannot start; the message is for the person who typed the command. */
export class StartError extends Error {
  override name = "StartError";
}

export interface Program {
  config: Config;
  log: Log;
  /** Aborted when the program is asked to stop. */
  stopping: AbortSignal;
  /** Adds what to close at the end. What was opened last is closed first. */
  onStop(close: () => Promise<unknown> | undefined): void;
  /** Ends the program because of an error in what `main` has started. */
  giveUp(error: unknown): Promise<void>;
}

/** Errors whose message is written for the operator. Any other error is a bug. */
const forTheOperator = [
  ConfigError,
  ContentError,
  BuildError,
  StartError,
  ListenError,
  EmbeddedPostgresError,
  MigrationError,
  DatabaseRefusal,
];

/** Runs a program until a signal stops it. `main` returns when the program has begun its work; what fails later goes to `giveUp`. */
export async function runProgram(main: (program: Program) => Promise<void>): Promise<void> {
  const write = (line: string) => process.stdout.write(line);
  let log = makeLog(write);
  // The program goes on when the reader of its log closes the pipe.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const stopping = new AbortController();
  const closers: (() => Promise<unknown> | undefined)[] = [];

  const stop = async (exitCode: number): Promise<never> => {
    log("stopping");
    noteStopping();
    stopping.abort();
    while (closers.length > 0) {
      const close = closers.pop();
      await close?.()?.catch((error) => logBug(log, error));
    }
    log("stopped");
    process.exit(exitCode);
  };

  const giveUp = async (error: unknown): Promise<void> => {
    if (forTheOperator.some((kind) => error instanceof kind))
      process.stderr.write(`${(error as Error).message}\n`);
    else logBug(log, error);
    // An error while the program stops does not end it before everything is closed in its order.
    if (stopping.signal.aborted) return;
    if (closers.length === 0) process.exit(1);
    await stop(1);
  };

  const noteStopping = onStopSignals(() => stop(0));
  process.on("uncaughtException", giveUp);
  try {
    const config = readConfig(process.env);
    log = makeLog(write, { format: config.logFormat });
    logWhatLibrariesPrint(log);
    const onStop: Program["onStop"] = (close) => void closers.push(close);
    await main({ config, log, stopping: stopping.signal, onStop, giveUp });
  } catch (error) {
    // An error of `main` while the program stops is caused by the stop.
    if (!stopping.signal.aborted) await giveUp(error);
  }
}
