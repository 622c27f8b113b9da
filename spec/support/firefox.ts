// Firefox, by default the one that Debian packages, driven by WebDriver BiDi over a WebSocket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Engine, EnginePrograms } from "./engine.ts";

const program = process.env.FIREFOX_PATH ?? "/usr/bin/firefox-esr";

export const firefox: EnginePrograms = {
  name: "Firefox",
  missingPackages: existsSync(program) ? undefined : "firefox-esr",
  launch,
};

async function launch(): Promise<Engine> {
  const profile = mkdtempSync(join(tmpdir(), "firefox-"));
  writeFileSync(
    join(profile, "user.js"),
    disabledPreferences.map((name) => `user_pref("${name}", false);\n`).join(""),
  );
  const child = spawn(
    program,
    ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"],
    {
      env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  process.once("exit", () => child.kill("SIGKILL"));
  const session = await connect(await addressIn(child.stderr));
  await session.send("session.new", { capabilities: {} });
  const { contexts } = await session.send("browsingContext.getTree", {});
  const { context } = (contexts as { context: string }[])[0] as { context: string };
  const close = async () => {
    session.close();
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
    rmSync(profile, { recursive: true, force: true });
  };
  return { ...page(session, context), close };
}

/** Preferences that are turned off, because they make Firefox ask its user, or Mozilla's servers, which a test machine may not reach. */
const disabledPreferences = [
  "app.update.enabled",
  "browser.newtabpage.enabled",
  "browser.shell.checkDefaultBrowser",
  "datareporting.policy.dataSubmissionEnabled",
  "extensions.update.enabled",
  "network.captive-portal-service.enabled",
  "network.connectivity-service.enabled",
  "toolkit.telemetry.enabled",
];

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error("Firefox ended before it listened.");
}

interface Session {
  send(method: string, params: object): Promise<Record<string, unknown>>;
  close(): void;
}

/** Sends commands over one WebSocket, and finds the answer to each by its id; events are ignored. */
async function connect(address: string): Promise<Session> {
  const socket = new WebSocket(`${address}/session`);
  const pending = new Map<number, (answer: Record<string, unknown>) => void>();
  let count = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data));
    pending.get(answer.id)?.(answer);
  });
  await once(socket, "open");
  const send = async (method: string, params: object) => {
    const id = ++count;
    const answered = new Promise<Record<string, unknown>>((resolve) => pending.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, message, result } = await answered;
    if (type === "error") throw new Error(`${method}: ${message}`);
    return result as Record<string, unknown>;
  };
  return { send, close: () => socket.close() };
}

function page({ send }: Session, context: string): Omit<Engine, "close"> {
  const call = async (functionDeclaration: string, argument: unknown) => {
    const { result, exceptionDetails } = (await send("script.callFunction", {
      functionDeclaration,
      arguments: [{ type: "string", value: String(argument) }],
      target: { context },
      awaitPromise: true,
    })) as { result?: { value?: unknown; sharedId?: string }; exceptionDetails?: { text: string } };
    if (!result) throw new Error(exceptionDetails?.text ?? "The script failed.");
    return result;
  };
  // Waits until the element rests where it can be pressed, because a page that has just come still scrolls to its banner.
  const find = `async (selector) => {
    const rest = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
    for (;;) {
      const one = document.querySelector(selector);
      const before = one.getBoundingClientRect().top;
      await rest();
      const { top, bottom } = one.getBoundingClientRect();
      if (one.isConnected && top === before && top >= 0 && bottom <= innerHeight) return one;
      one.scrollIntoView({ block: "center", behavior: "instant" });
      await rest();
    }
  }`;
  const click = async (selector: string) => {
    const { sharedId } = await call(find, selector);
    const origin = { type: "element", element: { sharedId } };
    const actions = [
      { type: "pointerMove", x: 0, y: 0, origin },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
  };
  return {
    goto: async (url) => void (await send("browsingContext.navigate", { context, url, wait: "complete" })),
    click,
    async fill(selector, text) {
      await click(selector);
      await call("(selector) => document.querySelector(selector).select()", selector);
      const keys = text ? [...text] : ["\uE017"];
      const actions = keys.flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await send("input.performActions", { context, actions: [{ type: "key", id: "keys", actions }] });
    },
    async evaluate<Result>(expression: string) {
      const { value } = await call("(text) => JSON.stringify(eval(text) ?? null)", expression);
      return JSON.parse(String(value)) as Result;
    },
  };
}
