// The event stream of the inbox: tells each page on screen, by ids alone, that leads, a session or the team have changed. One
// connection listens to the database for all streams.
import { setTimeout as wait } from "node:timers/promises";
import { connect, type Sql } from "../database/connect.ts";
import { codeOf, type Log } from "../log/log.ts";
import type { LiveEvent } from "./api.ts";

/** A notification of the database (private.notify_inbox). `session` names whose. */
type Notification = Exclude<LiveEvent, { kind: "session" }> | { kind: "session"; member: string };
type Listener = (event: LiveEvent, member?: string) => void;

export interface LiveEvents {
  /** Calls the listener with each event until the returned function is called. */
  subscribe(listener: Listener): () => void;
  /** Aborted after the last event. */
  ended: AbortSignal;
  end(): Promise<void>;
}

/** Milliseconds. */
const lookInterval = 400;
const heartbeatInterval = 5_000;
const maxPause = 5_000;
/** A notification names up to so many leads (private.notify_inbox_of_leads). */
const maxToldById = 100;

/** Starts listening on the database at `address`, as the role of the inbox, and goes on until `end`. */
export function startLiveEvents(address: string, log: Log): LiveEvents {
  const listeners = new Set<Listener>();
  const stopping = new AbortController();
  const tell = (notification: Notification) => {
    for (const listener of listeners) {
      if (notification.kind === "session") listener({ kind: "session" }, notification.member);
      else listener(notification);
    }
  };
  const running = listenForever(address, log, stopping.signal, tell, () => listeners.size > 0);
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ended: stopping.signal,
    end: () => {
      stopping.abort();
      return running;
    },
  };
}

async function listenForever(
  address: string,
  log: Log,
  stopping: AbortSignal,
  tell: (notification: Notification) => void,
  hasListeners: () => boolean,
): Promise<void> {
  let isUnreachable = false;
  while (!stopping.aborted) {
    const sql = connect(address, { max: 1, name: "leads inbox events" });
    try {
      await listenUntilLost(sql, stopping, tell, hasListeners, () => {
        if (isUnreachable) log("database-ready");
        isUnreachable = false;
        // Notifications while the connection was down are lost, so pages load everything again.
        tell({ kind: "leads", new: [], changed: [] });
        tell({ kind: "team" });
      });
    } catch (error) {
      if (!isUnreachable && !stopping.aborted) log("database-unreachable", { code: codeOf(error) });
      isUnreachable = true;
    }
    await sql.end({ timeout: 1 }).catch(() => {});
    await wait(1_000, undefined, { signal: stopping }).catch(() => {});
  }
}

class Silence extends Error {
  override name = "Silence";
}

/**
 * Listens, and looks for new leads while a page is on screen. Calls `onListening` at each begin of listening, because what was
 * told before it is lost.
 * @throws when the connection is lost.
 */
async function listenUntilLost(
  sql: Sql,
  stopping: AbortSignal,
  tell: (notification: Notification) => void,
  hasListeners: () => boolean,
  onListening: () => void,
): Promise<void> {
  let heardAt = Date.now();
  const beat = `inbox ${crypto.randomUUID()}`;
  const hear = (text: string) => {
    if (text === beat) heardAt = Date.now();
    else if (text.startsWith("{")) tell(JSON.parse(text));
  };
  // postgres.js calls it again when it listens anew on another connection, which may be before the next look finds the first one lost.
  const listening = await sql.listen("team", hear, onListening);
  let beatenAt = 0;
  while (!stopping.aborted) {
    const started = Date.now();
    // An inbox beside the database is not told of an insert: that would cost each insert a lock that all of them share.
    const found = hasListeners() ? await lookForNewLeads(sql) : 0;
    const pause = pauseAfterLook(Date.now() - started, found);
    if (started - beatenAt >= heartbeatInterval) {
      if (beatenAt > 0 && heardAt < beatenAt) throw new Silence();
      beatenAt = started;
      await sql`select pg_notify('team', ${beat})`;
    }
    await wait(pause, undefined, { signal: stopping }).catch(() => {});
  }
  await listening.unlisten().catch(() => {});
}

/** Takes new leads into the lists, of which the database notifies; returns how many those were. */
async function lookForNewLeads(sql: Sql): Promise<number> {
  const [looked] = await sql<{ found: number }[]>`select team.index_new_leads() as found`;
  return looked?.found ?? 0;
}

/**
 * Milliseconds until the next look at new leads, after one that took so many milliseconds and found so many leads. The longer a look
 * takes, the longer the database is left to the intake. While leads come faster than anybody can read, a thirtieth of one
 * processor is enough for the lists, so that an open inbox does not slow the intake down.
 */
export function pauseAfterLook(took: number, found: number): number {
  const isFlood = found > maxToldById;
  return Math.min(maxPause, Math.max(lookInterval, took * (isFlood ? 30 : 10)));
}

const encoder = new TextEncoder();

/**
 * The answer to `GET /api/events`: a stream that ends when the page leaves or `isSignedIn` says that the session is not open any more.
 * `member` is whose page it is; another's sessions are not told.
 */
export function eventStream(
  events: LiveEvents,
  member: string,
  isSignedIn: () => Promise<boolean>,
  closed: AbortSignal,
): Response {
  const over = AbortSignal.any([closed, events.ended]);
  let close = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const check = async () => {
        send(": still here\n\n");
        if (!(await isSignedIn().catch(() => true))) end();
      };
      const unsubscribe = events.subscribe((event, whose) => {
        if (event.kind === "session" && whose !== member) return;
        send(`data: ${JSON.stringify(event)}\n\n`);
        if (event.kind === "session") void check();
      });
      const timer = setInterval(() => void check(), 20_000);
      const end = () => {
        unsubscribe();
        clearInterval(timer);
        over.removeEventListener("abort", end);
        try {
          controller.close();
        } catch {
          // The page has closed it already.
        }
      };
      close = end;
      over.addEventListener("abort", end);
      send("retry: 2000\n\n");
    },
    cancel: () => close(),
  });
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}
