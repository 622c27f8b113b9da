/** What is said of each channel, by the channel's name, so that a test can look at the channels that it is about, and at no others. */
export const byChannel = <Said extends { channel: string }>(said: readonly Said[]): Record<string, Said> =>
  Object.fromEntries(said.map((one) => [one.channel, one]));
