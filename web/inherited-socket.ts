// The listening socket that systemd holds for the server and hands to each new process (sd_listen_fds(3)). It stays open
// over a restart, so a request that arrives meanwhile waits in it and is answered by the next process.
import { ListenError } from "./listen.ts";

/**
 * The socket's file descriptor, or `undefined` when this process was handed none.
 * @throws ListenError when it was handed several, because visitors of the others would wait for ever.
 */
export function inheritedSocket(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  // The variables are for one process; a child that inherits them was handed no socket.
  if (env.LISTEN_PID !== String(pid) || !(Number(env.LISTEN_FDS) >= 1)) return undefined;
  if (Number(env.LISTEN_FDS) > 1)
    throw new ListenError(
      `systemd hands over ${Number(env.LISTEN_FDS)} sockets, and this server takes one. In a drop-in, write an empty ListenStream= before the new one.`,
    );
  return firstDescriptor;
}

/** After standard input, output and error. */
const firstDescriptor = 3;
