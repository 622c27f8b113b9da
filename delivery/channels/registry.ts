// The registry of channels. A new channel is its file, its line here, its settings in config/team-settings.ts and its chapter of
// the specification; the database takes the names from here when a program starts.
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
  channels.flatMap((channel) => channel.make(settings, context) ?? []);
