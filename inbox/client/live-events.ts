// The event stream (inbox/api.ts, LiveEvent), opened by one tab for all of them: a browser allows a server six connections, and a
// stream in each of many tabs would use them up.
import type { LiveEvent } from "../api.ts";

type Message =
  | LiveEvent
  | { kind: "connection"; isOpen: boolean }
  /** Events about leads may have been lost: load the leads again. It says nothing of the team: a stream that opens sends a `team`, too. */
  | { kind: "gap" };

/**
 * Calls `onEvent` with each event until the returned function is called, and with `gap` after a gap in the stream.
 */
export function followEvents(onEvent: (message: Message) => void): () => void {
  const channel = new BroadcastChannel("inbox-events");
  const ended = new AbortController();
  const share = (message: Message) => {
    onEvent(message);
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }) => onEvent(data);
  const holdStream = () => {
    if (ended.signal.aborted) return undefined;
    const close = openStream(hasLocks() ? share : onEvent);
    return new Promise<void>((resolve) =>
      ended.signal.addEventListener("abort", () => {
        close();
        resolve();
      }),
    );
  };
  const shareStream = () =>
    navigator.locks
      .request("inbox-events", { ifAvailable: true }, (lock) => {
        if (lock) return holdStream();
        // Another tab holds the stream. What it heard before this tab followed is lost here.
        if (!ended.signal.aborted) onEvent({ kind: "gap" });
        return undefined;
      })
      .then(() => navigator.locks.request("inbox-events", { signal: ended.signal }, holdStream))
      // `followEvents` was ended. That aborts the second request, also where this tab held the lock by the first one.
      .catch(() => {});
  void (hasLocks() ? shareStream() : holdStream());
  return () => {
    ended.abort();
    channel.close();
  };
}

/** False over http, except on localhost: each tab then holds a stream of its own, and notifies by itself. */
export const hasLocks = (): boolean => "locks" in navigator;

/**
 * Milliseconds without a sign of life after which a stream counts as lost: the server gives one every 20 seconds. The browser does not
 * report a connection that falls silent, as after a machine's sleep, and may wait for hours.
 */
const longestSilence = 45_000;

function openStream(share: (message: Message) => void): () => void {
  let stream: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const after = (milliseconds: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
  const sayLost = () => {
    share({ kind: "connection", isOpen: false });
    share({ kind: "session" });
  };
  const expectLife = () =>
    after(longestSilence, () => {
      sayLost();
      open();
    });
  const open = () => {
    stream?.close();
    const opening = new EventSource("/api/events");
    stream = opening;
    expectLife();
    opening.onopen = () => {
      // Signs of life are expected from the first one on, because a server of an older release gives none.
      clearTimeout(timer);
      share({ kind: "connection", isOpen: true });
      // Events while the stream was closed are lost, so everything is loaded again.
      share({ kind: "gap" });
      share({ kind: "team" });
    };
    opening.addEventListener("alive", expectLife);
    opening.onmessage = ({ data }) => share(JSON.parse(data));
    opening.onerror = () => {
      sayLost();
      // The browser tries again by itself, except after an answer that is no stream.
      if (opening.readyState === EventSource.CLOSED) after(2_000, open);
      else expectLife();
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    stream?.close();
  };
}
