// What the table of campaigns leaves out as that of bots, in the same words in the inbox and in the command.

/** The sums of the rows whose device is a bot. */
export interface BotCounts {
  views: number;
  served: number;
  stored: number;
}

/** "Bots, which the table leaves out: 7 loads, 9 served, 0 leads." */
export const botsInWords = ({ views, served, stored }: BotCounts): string =>
  `Bots, which the table leaves out: ${[
    `${views.toLocaleString("en-US")} loads`,
    `${served.toLocaleString("en-US")} served`,
    `${stored.toLocaleString("en-US")} leads`,
  ].join(", ")}.`;
