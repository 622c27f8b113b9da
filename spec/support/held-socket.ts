// A listening socket that outlives the servers behind it, as systemd holds one: a shell holds it, and starts a server on it
// again whenever one has ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { programEnvironment } from "./program-environment.ts";

const restartForever = `
trap 'kill $server; wait; exit' TERM
trap 'kill $server' USR1
while :; do
  sh -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" bin/serve.ts' "$0" &
  server=$!
  while kill -0 $server 2> /dev/null; do wait $server; done
done`;

/** Serves on a held socket. `restart` ends the running server and resolves when the next one listens. */
export async function serveOnHeldSocket(env: Record<string, string>) {
  const socket = createServer().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  // Node has no public name for a socket's descriptor.
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  const shell = spawn("sh", ["-c", restartForever, process.execPath], {
    env: programEnvironment({ RATE_LIMIT: "off", INBOX: "off", ...env }),
    stdio: ["ignore", "pipe", "inherit", fd],
  });
  socket.close();
  const ended = once(shell, "exit");
  onTestFinished(async () => {
    shell.kill();
    await ended;
  });
  const lines = createInterface(shell.stdout as Readable);
  // Listens to every line, because events.once() for each would miss all but the first of several lines that arrive together.
  const listening = () =>
    new Promise<void>((resolve) => {
      lines.on("line", (line) => / listening: /.test(line) && resolve());
    });
  await listening();
  return {
    address: `http://127.0.0.1:${port}`,
    restart: async () => {
      const next = listening();
      shell.kill("SIGUSR1");
      await next;
    },
  };
}
