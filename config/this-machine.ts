// Which addresses are on this machine.

/** Whether a host, as URL's `hostname` has it, is this machine itself. */
export const isThisMachine = (hostname: string): boolean =>
  /(^|\.)localhost$/.test(hostname) || isLoopback(hostname.replace(/^\[|\]$/g, ""));

/** Whether an IP address is one of this machine's own, which no other machine can use. */
export const isLoopback = (address: string): boolean =>
  /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/.test(address);
