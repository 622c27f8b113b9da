// The registry of channels:
// - webhook: a signed POST for each delivery, as Standard Webhooks describes it, to a program of the provider's. It has all facts of the
//   lead, or the id alone of an erased one.
// - email: a mail to the team: leads wait or are overdue, their permission was withdrawn, or they were erased
// - chat: a message of the same, without a personal word, to an incoming webhook as Slack has it
//
// A new channel needs a file of its own (post-json.ts has the POST of a channel that speaks HTTP), a line here, its settings in
// config/team-settings.ts (and a rule in `jointRules` of config/settings.ts where several settings need each other), a chapter in spec/,
// and its settings in spec/delivery-settings.spec.ts and spec/testing-channels.spec.ts (one that speaks HTTP in spec/unreachable.spec.ts, too).
// The database and the messages take the names from here. A channel is given every event (delivery.ts); eventsInWords says them to people.
// Add an example to docs/deploy-supabase.md, a line to docs/privacy.md that says what the channel receives, and its name where README.md and
// docs/deploy-server.md list the channels. Decisions 022 and 024 say how many deliveries a message may carry and which failures are permanent.
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

/** What to do where no channel is set up, as the beginning of a sentence: "Set ONE_SETTING, ANOTHER or A_THIRD (see .env.example)". */
export function howToSetUp(): string {
  const settings = channels.map(({ setting }) => setting);
  return `Set ${settings.slice(0, -1).join(", ")} or ${settings.at(-1)} (see .env.example)`;
}
