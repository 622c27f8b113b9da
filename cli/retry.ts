// `leads retry`: has deliveries that failed, or wait, sent again now. The server, or `npm run deliver`, sends them.
import { retryFailed, retry as retryLead } from "../delivery/outbox.ts";
import { reference } from "../lead/lead.ts";
import { findLead, readReference } from "../team/find-lead.ts";
import { type Act, Misuse, Refusal, readWords, typed } from "./subcommand.ts";

export function retry(words: readonly string[]): Act {
  if (words.includes("--failed")) {
    readWords("retry --failed", words, { failed: { type: "boolean" } });
    return async ({ sql, out }) => {
      const count = await retryFailed(sql);
      await out(count === 0 ? "Nothing has failed.\n" : `${dueNow(count)}\n`);
      return 0;
    };
  }
  if (words.length === 0) {
    throw new Misuse(
      `What shall be sent again?\nType: ${typed("retry <id>")}\nor:   ${typed("retry --failed")}`,
    );
  }
  const { positionals } = readWords("retry <id>", words, {});
  const part = readReference(positionals[0] as string);
  return async ({ sql, out }) => {
    const id = await findLead(sql, part, { erased: true });
    const count = await retryLead(sql, id);
    if (count === 0) throw new Refusal(await whyNothing(sql, id));
    await out(`${dueNow(count)}\n`);
    return 0;
  };
}

const dueNow = (count: number) =>
  count === 1 ? "1 delivery is due now." : `${count} deliveries are due now.`;

async function whyNothing(sql: Parameters<typeof retryLead>[0], id: string): Promise<string> {
  const [row] = await sql<
    { any: boolean }[]
  >`select exists (select from private.channels where enabled) as any`;
  return row?.any
    ? `There is nothing to send again: the channels have been told of ${reference(id)}.`
    : "No channel is set up. Set WEBHOOK_URL or NOTIFY_EMAIL (see .env.example) and start the server again.";
}
