// The listening socket that systemd holds for the server and hands to each new process (sd_listen_fds(3)). It stays open
// over a restart, so a request that arrives meanwhile waits in it and is answered by the next process.

/** The socket's file descriptor, or `undefined` when this process was handed none. */
export function inheritedSocket(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  // The variables are for one process; a child that inherits them was handed no socket.
  if (env.LISTEN_PID !== String(pid) || !(Number(env.LISTEN_FDS) >= 1)) return undefined;
  return firstDescriptor;
}

/** After standard input, output and error. */
const firstDescriptor = 3;
