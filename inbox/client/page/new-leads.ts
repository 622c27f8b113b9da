// Tells the member that leads have come: what a screen reader says, the sound, the desktop notification. An event names new leads. After
// a gap in the stream, or an event about more leads than can be named, the page asks when the newest lead came.
import { callApi } from "../call-api.ts";
import { announce } from "./announcer.tsx";
import { notifyOfLeads } from "./notifications.ts";
import { count } from "./words.ts";

export interface NewLeads {
  /** So many leads have come. */
  tell(number: number): void;
  /** Leads may have come. */
  find(): void;
  stop(): void;
}

/** Milliseconds until a first question that failed is asked again. */
const retryAfter = 5_000;

export function followNewLeads(): NewLeads {
  const speech = speakSeldom();
  // Undefined until the first answer. That answer is no news, because the member has just opened the page.
  let newest: number | undefined;
  let asking = Promise.resolve();
  let isStopped = false;
  let told = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const ask = async (isNews: boolean) => {
    const toldBefore = told;
    const answer = await callApi("newest-lead", {}).catch(() => undefined);
    if (isStopped) return;
    // Later, the next gap in the stream asks again. Without the first answer none after it would be news.
    if (!answer) {
      clearTimeout(retry);
      if (newest === undefined) retry = setTimeout(() => askNext(false), retryAfter);
      return;
    }
    const came = answer.created_at ? Date.parse(answer.created_at) : 0;
    // What an event has told meanwhile is no news.
    if (isNews && told === toldBefore && newest !== undefined && came > newest) {
      speech.say(undefined);
      notifyOfLeads();
    }
    newest = Math.max(came, newest ?? 0);
  };
  // Asks one after the other, so that two answers do not tell of the same lead. A lead may still be told of twice: by an answer and by its event,
  // which comes later; or by its event and by an answer, where the question that the event asked has failed.
  const askNext = (isNews: boolean) => {
    asking = asking.then(() => ask(isNews));
  };
  return {
    tell(number) {
      told += number;
      speech.say(number);
      notifyOfLeads();
      askNext(false);
    },
    find: () => askNext(true),
    stop() {
      isStopped = true;
      clearTimeout(retry);
      speech.stop();
    },
  };
}

/** Milliseconds between two announcements at least: in a busy hour a screen reader would say nothing else. */
const minInterval = 30_000;

/**
 * Announces new leads at once, and those that follow together when the interval has passed. `undefined` stands for an unknown number of
 * leads.
 */
function speakSeldom() {
  let pending: number | undefined = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const speak = () => {
    timer = undefined;
    if (pending === 0) return;
    announce(
      pending === undefined ? "New leads in the queue." : `${count(pending, "new lead")} in the queue.`,
    );
    pending = 0;
    timer = setTimeout(speak, minInterval);
  };
  return {
    say(number: number | undefined) {
      pending = pending === undefined || number === undefined ? undefined : pending + number;
      if (timer === undefined) speak();
    },
    stop: () => clearTimeout(timer),
  };
}
