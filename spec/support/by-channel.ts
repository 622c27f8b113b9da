/** What is said of each channel, by its name, so that a test may name those that it is about: others may stand among them. */
export const byChannel = <Said extends { channel: string }>(said: readonly Said[]): Record<string, Said> =>
  Object.fromEntries(said.map((one) => [one.channel, one]));
