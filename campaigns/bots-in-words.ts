// The sentence that counts the bots, which the table of campaigns leaves out: the same in the inbox and in the command.

/** The sums of the rows whose device is a bot. */
export interface BotCounts {
  views: number;
  served: number;
  stored: number;
}

/** "Bots, which the table leaves out: 7 loads, 9 served, 1 lead." */
export const botsInWords = ({ views, served, stored }: BotCounts): string =>
  `Bots, which the table leaves out: ${counted(views, "load")}, ${served.toLocaleString("en-US")} served, ${counted(stored, "lead")}.`;

const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
