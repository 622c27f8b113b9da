// The log: one closed list of events, as text or as JSON lines, and an unexpected exception as a bug an engineer can find.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readSources } from "../check/syntax-tree.ts";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import type { Outcome } from "../delivery/channels/channel.ts";
import { makeResults } from "../delivery/results.ts";
import { logBug } from "../log/bug.ts";
import { events } from "../log/events.ts";
import { logWhatLibrariesPrint } from "../log/libraries.ts";
import { makeLog } from "../log/log.ts";
import { onceAMinute } from "../log/once-a-minute.ts";
import { aDelivery } from "./support/a-delivery.ts";

/** What a log in this format writes while `use` runs. */
function written(use: (log: ReturnType<typeof makeLog>) => void, format?: "text" | "json"): string {
  let text = "";
  const now = () => new Date("2026-11-21T12:00:00Z");
  use(makeLog((line) => (text += line), { now, ...(format && { format }) }));
  return text;
}

describe("the list of events", () => {
  it("holds only events whose names stand in a source of a program", () => {
    const sources = readSources().filter(
      ({ file }) => !/^(spec|bench)\/|\.spec\.ts$|^log\/events\.ts$/.test(file),
    );
    const neverLogged = Object.keys(events).filter(
      (event) => !sources.some(({ text }) => text.includes(`"${event}"`)),
    );
    expect(neverLogged).toEqual([]);
  });
});

describe("a line of the log", () => {
  it("has the time, the level, the event, its sentence, and the facts", () => {
    expect(written((log) => log("migrated", { name: "leads" }))).toBe(
      "2026-11-21T12:00:00.000Z info migrated: Applied a migration. name=leads\n",
    );
  });

  it("stays one line, whatever a fact holds", () => {
    expect(written((log) => log("migrated", { name: "a\nb\rc\u0085d\u2028e\u2029f g" }))).toBe(
      '2026-11-21T12:00:00.000Z info migrated: Applied a migration. name="a?b?c?d?e?f g"\n',
    );
  });

  it("is one JSON object in the format json", () => {
    const line = written((log) => log("migrated", { name: "a\nb", count: 2, left: undefined }), "json");
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({
      time: "2026-11-21T12:00:00.000Z",
      level: "info",
      event: "migrated",
      message: "Applied a migration.",
      name: "a\nb",
      count: 2,
    });
  });

  it.each<[string, Outcome]>([
    ["delivered", { kind: "delivered" }],
    ["delivery-postponed", { kind: "transient", reason: "answered 500" }],
    ["delivery-failed", { kind: "permanent", reason: "answered 410" }],
  ])(
    "names the event %s in JSON, and in `type` the event of the lead that the delivery is about",
    (event, outcome) => {
      const line = written((log) => {
        const results = makeResults({} as ResilientConnection, log, undefined, () => 0);
        results.add([aDelivery({ event: "lead.overdue" })], outcome, false);
      }, "json");
      expect(JSON.parse(line)).toMatchObject({ event, type: "lead.overdue" });
    },
  );
});

/** An exception that quotes a visitor, as PostgreSQL's do. */
class QuotingError extends Error {
  override name = "QuotingError";
  code = "22P02";
}

const bugOf = (error: unknown) => written((log) => logBug(log, error));

describe("an unexpected exception", () => {
  it("is logged as a bug: its class, its code, and our own frames with file and line", () => {
    expect(bugOf(new QuotingError("Rosa Martinez"))).toMatch(
      /error bug: .{0,300} class=QuotingError code=22P02 frames="?spec\/the-log\.spec\.ts:\d+/,
    );
  });

  it("is logged without its message, even one that looks like a frame", () => {
    const root = new URL("..", import.meta.url).pathname;
    const error = new Error(`Rosa\n    at file://${root}rosa.martinez:1:2\n    at rosa (${root}rosa:3:4)`);
    expect(bugOf(error)).not.toMatch(/rosa/i);
  });

  it("is logged with the file of a module that was imported with a query", () => {
    const error = new Error("it");
    error.stack = `Error: it\n    at file://${new URL("..", import.meta.url).pathname}web/app.ts?made=12:7:9`;
    expect(bugOf(error)).toMatch(/ class=Error frames=web\/app\.ts:7\n$/);
  });

  it("is logged with our frames also where this program stands in a folder with a space in its name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "of our own "));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(new URL("../log", import.meta.url), join(folder, "log"), { recursive: true });
    writeFileSync(join(folder, "breaks.ts"), "export const error = new Error('it');");
    const at = (file: string) => import(pathToFileURL(join(folder, file)).href);
    const [{ error }, copy] = await Promise.all([at("breaks.ts"), at("log/bug.ts")]);
    expect(written((log) => copy.logBug(log, error))).toMatch(/ class=Error frames=breaks\.ts:1\n$/);
  });

  it("is logged without frames of libraries and of Node", () => {
    const error = new Error("x");
    const root = new URL("..", import.meta.url).pathname;
    error.stack = `Error: x\n    at a (file://${root}node_modules/y/z.js:1:2)\n    at node:internal/x:1:2\n    at b (file://${root}web/app.ts:7:9)`;
    expect(bugOf(error)).toMatch(/ class=Error frames=web\/app\.ts:7\n$/);
  });

  it.each([undefined, null, "a word", { message: "x" }])("is logged as well when it is %s", (thrown) => {
    expect(bugOf(thrown)).toMatch(/ error bug: .{0,300} class=(undefined|object|string)\n$/);
  });
});

describe("what a library prints", () => {
  const methods = ["log", "info", "warn", "error", "debug", "trace", "dir"] as const;
  const own = methods.map((name) => [name, console[name]] as const);
  const listeners = process.listeners("warning");
  afterEach(() => {
    for (const [name, method] of own) console[name] = method;
    process.removeAllListeners("warning");
    for (const listener of listeners) process.on("warning", listener);
  });

  it("is not printed where it is a warning, also when Node has printed one before", () => {
    const printed = vi.fn();
    process.on("warning", printed);
    logWhatLibrariesPrint(() => {});
    process.emit("warning", Object.assign(new Error("Rosa Martinez"), { name: "DeprecationWarning" }));
    expect(printed).not.toHaveBeenCalled();
  });

  it("is logged as a bug where Node warns of a leak of listeners, and not where it warns of its own interfaces", () => {
    const warning = (name: string) => Object.assign(new Error("Rosa Martinez"), { name });
    const lines = written((log) => {
      logWhatLibrariesPrint(log);
      process.emit("warning", warning("ExperimentalWarning"));
      process.emit("warning", warning("MaxListenersExceededWarning"));
    });
    expect(lines.trim().split("\n")).toEqual([expect.stringContaining(" class=MaxListenersExceededWarning")]);
    expect(lines).not.toContain("Rosa");
  });

  it("is logged as a bug without its message where it is an error, and not printed", () => {
    const streams = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockReturnValue(true),
    );
    const lines = written((log) => {
      logWhatLibrariesPrint(log);
      console.error(new QuotingError("Rosa Martinez"));
      console.warn("Something about", new QuotingError("Rosa Martinez"));
      console.error("Rosa Martinez");
      for (const name of ["log", "info", "debug", "trace", "dir"] as const) console[name]("Rosa Martinez");
    });
    expect(streams.flatMap(({ mock }) => mock.calls)).toEqual([]);
    for (const stream of streams) stream.mockRestore();
    expect(lines.trim().split("\n")).toEqual([
      expect.stringContaining(" class=QuotingError code=22P02"),
      expect.stringContaining(" class=QuotingError code=22P02"),
    ]);
    expect(lines).not.toContain("Rosa");
  });
});

describe("an event that may happen a thousand times a second", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is logged at once the first time, and then once a minute with its count", () => {
    const report = vi.fn();
    const happens = onceAMinute(report);
    for (let n = 0; n < 1_000; n += 1) happens();
    expect(report.mock.calls).toEqual([[1]]);
    vi.advanceTimersByTime(60_000);
    expect(report.mock.calls).toEqual([[1], [999]]);
    happens();
    expect(report).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(60_000);
    expect(report.mock.calls.at(-1)).toEqual([1]);
  });

  it("is logged at once again after a minute without it", () => {
    const report = vi.fn();
    const happens = onceAMinute(report);
    happens();
    vi.advanceTimersByTime(60_000);
    happens();
    expect(report.mock.calls).toEqual([[1], [1]]);
  });
});
