// What the inbox and the command say below their table of campaigns: what bots loaded and sent, which it leaves out, and which leads are
// erased.

/** The sums of the rows whose device is a bot. */
export interface BotCounts {
  views: number;
  served: number;
  stored: number;
}

/** "Bots, which the table leaves out: 7 loads, 9 documents served, 1 lead." */
export const botsInWords = ({ views, served, stored }: BotCounts): string =>
  `Bots, which the table leaves out: ${counted(views, "load")}, ${counted(served, "document")} served, ${counted(stored, "lead")}.`;

const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;

/** `day`, as it is written there, is the first one whose leads are kept. Page loads and costs stay when leads are erased. */
export const erasedLeadsInWords = (day: string): string =>
  `Leads that came before ${day} are erased because of their age; the loads and costs of those days are still here. So a lead cost less than is shown, and more of the loads became leads.`;
