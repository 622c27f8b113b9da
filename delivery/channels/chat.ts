// The chat channel: posts what has happened to leads, such as that one is waiting, to an incoming webhook as Slack has it. Many people
// read a chat, so the message has no personal data, only links or references. The first lead of a burst is posted at once and the rest as one
// message, as with e-mail.
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

/** Stands after a lead whose permission was withdrawn before the message about it could be sent. */
const doNotPhone = " (permission withdrawn: do not phone)";

function paragraphOf({ title, todo, deliveries }: EventInWords, linkTo: ChannelContext["linkTo"]): string {
  const leads = deliveries.map(
    ({ lead, leadId, event, permission }) =>
      `${(lead && linkTo(leadId)) || `reference ${reference(leadId)}`}${permission?.withdrawn_at && event !== "permission.withdrawn" ? doNotPhone : ""}`,
  );
  const rest = leads.length - maxListed;
  const list = [...leads.slice(0, maxListed), ...(rest > 0 ? [`and ${rest} more`] : [])];
  // Not for a new lead, because everybody in the chat knows what to do about it.
  const last = deliveries[0]?.event === "lead.created" ? [] : [todo];
  return [list.length === 1 ? `${title}: ${list[0]}` : [`${title}:`, ...list].join("\n"), ...last].join("\n");
}
