// The registry of channels:
// - webhook: a signed POST a delivery, with all facts of its lead, or the id alone of one that was erased, to a program of the provider's, as
//   Standard Webhooks describes it
// - email: a mail to the team that leads wait
// - chat: a message that leads wait, without a personal word, to an incoming webhook as Slack has it
//
// A new channel is its file (post-json.ts has the POST of one that speaks HTTP), its line here, its settings in config/team-settings.ts (one that needs several has a rule in `jointRules` of
// config/settings.ts), its chapter of the specification, and a line in spec/delivery-settings.spec.ts; the database and the messages take
// the names from here. An example in docs/deploy-supabase.md and a line in docs/privacy.md say what it receives.
import type { ChannelSettings } from "../../config/config.ts";
import type { Channel, ChannelContext, ChannelDefinition } from "./channel.ts";
import { chat } from "./chat.ts";
import { email } from "./email.ts";
import { webhook } from "./webhook.ts";

const channels: readonly ChannelDefinition[] = [webhook, email, chat];

/** The names of all channels that this program knows. */
export const channelNames: readonly string[] = channels.map(({ name }) => name);

/** Makes the channels that the operator has set up. */
export const makeChannels = (settings: ChannelSettings, context: ChannelContext): Channel[] =>
  channels.flatMap(({ name, make }) => {
    const transport = make(settings, context);
    return transport ? [{ name, ...transport }] : [];
  });

/** What to do where no channel is set up, as the beginning of a sentence: "Set WEBHOOK_URL, ... or CHAT_URL (see .env.example)". */
export function howToSetUp(): string {
  const settings = channels.map(({ setting }) => setting);
  return `Set ${settings.slice(0, -1).join(", ")} or ${settings.at(-1)} (see .env.example)`;
}
