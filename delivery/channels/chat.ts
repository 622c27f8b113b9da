// The chat channel: posts that leads are waiting, with links to them, to an incoming webhook as Slack has it. A chat is read
// by many, so the message holds no personal word: only references of leads. A burst becomes one message, as with e-mail.
import { reference } from "../../lead/lead.ts";
import type { Delivery } from "../delivery.ts";
import type { ChannelContext, ChannelDefinition, Transport } from "./channel.ts";
import { type EventInWords, eventsInWords } from "./events-in-words.ts";
import { postJson } from "./post-json.ts";

export const chat: ChannelDefinition = {
  name: "chat",
  setting: "CHAT_URL",
  make: ({ CHAT_URL: url }, { linkTo }) => (url ? makeChat({ url, linkTo }) : undefined),
};

export interface ChatSettings {
  /** The incoming webhook's address. It is a secret: who knows it may post. */
  url: string;
  linkTo: ChannelContext["linkTo"];
}

/** A longer list helps nobody in a chat. */
const maxListed = 20;

/** Makes the channel. `timeout` in milliseconds is for the answer's head. */
export function makeChat(
  { url, linkTo }: ChatSettings,
  { timeout = 10_000 }: { timeout?: number } = {},
): Transport {
  const send: Transport["send"] = (deliveries, stop) => {
    const body = JSON.stringify({ text: textOf(deliveries, linkTo) });
    return postJson({ url, body, receiver: "the chat's server", timeout }, stop);
  };
  return { batch: 500, concurrency: 1, cooldown: 20, send };
}

/** The message's text, with the three characters escaped that mean something to Slack. */
export function textOf(deliveries: readonly Delivery[], linkTo: ChannelContext["linkTo"]): string {
  const text = eventsInWords(deliveries)
    .map((event) => paragraphOf(event, linkTo))
    .join("\n\n");
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function paragraphOf({ title, todo, deliveries }: EventInWords, linkTo: ChannelContext["linkTo"]): string {
  const leads = deliveries.map(
    ({ lead, leadId }) => (lead && linkTo(leadId)) || `reference ${reference(leadId)}`,
  );
  const rest = leads.length - maxListed;
  const list = [...leads.slice(0, maxListed), ...(rest > 0 ? [`and ${rest} more`] : [])];
  // Everybody in the chat knows what a waiting lead asks for; the other events say it.
  const last = deliveries[0]?.event === "lead.created" ? [] : [todo];
  return [list.length === 1 ? `${title}: ${list[0]}` : [`${title}:`, ...list].join("\n"), ...last].join("\n");
}
