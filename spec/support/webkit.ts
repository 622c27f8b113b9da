// WebKit, Safari's engine, as WebKitGTK's MiniBrowser: driven by WebDriver over HTTP, on a virtual display.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import type { Engine, EnginePrograms } from "./engine.ts";
import { freePort } from "./free-port.ts";

const [browser] = globSync("/usr/lib/*/webkit2gtk-4.*/MiniBrowser");
const programs = ["/usr/bin/WebKitWebDriver", "/usr/bin/xvfb-run"];

export const webkit: EnginePrograms = {
  name: "WebKit",
  missingPackages:
    browser && programs.every((path) => existsSync(path)) ? undefined : "webkit2gtk-driver xvfb xauth",
  launch,
};

async function launch(): Promise<Engine> {
  const port = await freePort();
  const child = spawn("/usr/bin/xvfb-run", ["-a", "/usr/bin/WebKitWebDriver", `--port=${port}`], {
    env: { ...process.env, WEBKIT_DISABLE_COMPOSITING_MODE: "1", LIBGL_ALWAYS_SOFTWARE: "1" },
    stdio: "ignore",
    detached: true,
  });
  const end = () => child.pid && process.kill(-child.pid, "SIGTERM");
  process.once("exit", () => child.exitCode === null && child.signalCode === null && end());
  const send = client(`http://127.0.0.1:${port}`);
  await waitUntilReady(send);
  const options = { binary: browser, args: ["--automation"] };
  const { sessionId } = (await send("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
  })) as { sessionId: string };
  const close = async () => {
    await send("DELETE", `/session/${sessionId}`);
    const exited = once(child, "exit");
    end();
    await exited;
  };
  return { ...page((method, path, body) => send(method, `/session/${sessionId}${path}`, body)), close };
}

type Send = (method: string, path: string, body?: object) => Promise<unknown>;

function client(address: string): Send {
  return async (method, path, body) => {
    const response = await fetch(address + path, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await response.json()) as { value: { error?: string; message?: string } };
    if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  };
}

async function waitUntilReady(send: Send): Promise<void> {
  for (let tries = 0; ; tries++) {
    const answered = await send("GET", "/status").then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (tries > 100) throw new Error("WebKitWebDriver does not answer.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function page(send: Send): Omit<Engine, "close"> {
  const element = async (selector: string) => {
    const found = await send("POST", "/element", { using: "css selector", value: selector });
    return `/element/${Object.values(found as Record<string, string>)[0]}`;
  };
  return {
    goto: async (url) => void (await send("POST", "/url", { url })),
    click: async (selector) => void (await send("POST", `${await element(selector)}/click`, {})),
    async fill(selector, text) {
      const field = await element(selector);
      await send("POST", `${field}/clear`, {});
      if (text) await send("POST", `${field}/value`, { text });
    },
    evaluate: async <Result>(expression: string) =>
      (await send("POST", "/execute/sync", { script: `return ${expression}`, args: [] })) as Result,
  };
}
