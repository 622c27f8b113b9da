// The event stream of the inbox: notifies each page on screen, by ids alone, that leads, a session or the team have changed. One
// connection listens to the database for all streams.
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { connect, type Sql } from "../database/connect.ts";
import { withTimeout } from "../database/timeout.ts";
import { codeOf, type Log } from "../log/log.ts";
import type { LiveEvent } from "./api.ts";
import { Id } from "./api-values.ts";
import { maxNamedLeads, namesLeads, paceLeadEvents } from "./pace-lead-events.ts";

const Leads = v.pipe(v.array(Id), v.maxLength(maxNamedLeads));
/** A notification of the database (private.notify_inbox). One about a session names whose it is. */
const Notification = v.variant("kind", [
  v.object({ kind: v.literal("leads"), new: Leads, changed: Leads }),
  v.object({ kind: v.literal("session"), member: Id }),
  v.object({ kind: v.literal("team") }),
]);
type Notification = v.InferOutput<typeof Notification>;
const NotificationText = v.pipe(v.string(), v.parseJson(), Notification);
type Listener = (event: LiveEvent, member?: string) => void;

export interface LiveEvents {
  /** Calls the listener with each event until the returned function is called. */
  subscribe(listener: Listener): () => void;
  /** Aborted when `end` is called. */
  ended: AbortSignal;
  end(): Promise<void>;
}

/** In milliseconds. The pause is the one after a poll. */
const minPause = 400;
const maxPause = 5_000;
const heartbeatInterval = 5_000;
/**
 * How long no poll is made after a notification that names no lead, which the delivery sends in a flood. Longer than the delivery's interval
 * for taking new leads into the lists (delivery/scheduled-jobs.ts).
 */
const noPollAfterFlood = 1_500;

/**
 * Starts listening on the database at `address`, as the role of the inbox, and goes on until `end`. A connection on which a
 * query takes longer than `queryTimeout` milliseconds is taken for lost, because a host that vanishes resets no connection.
 */
export function startLiveEvents(address: string, log: Log, queryTimeout = 15_000): LiveEvents {
  const listeners = new Set<Listener>();
  const stopping = new AbortController();
  const publish = (notification: Notification) => {
    for (const listener of listeners) {
      if (notification.kind === "session") listener({ kind: "session" }, notification.member);
      else listener(notification);
    }
  };
  const pace = paceLeadEvents(publish);
  const hear = (notification: Notification) =>
    notification.kind === "leads" ? pace(notification) : publish(notification);
  const reload = () => {
    publish({ kind: "leads", new: [], changed: [] });
    publish({ kind: "team" });
  };
  const running = listenForever(address, log, {
    hear,
    reload,
    queryTimeout,
    stopping: stopping.signal,
    hasListeners: () => listeners.size > 0,
  });
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

interface ListenOptions {
  /** Aborted when the events are to end. */
  stopping: AbortSignal;
  queryTimeout: number;
  hear(notification: Notification): void;
  /** Makes each page load everything again, because notifications were lost. */
  reload(): void;
  hasListeners(): boolean;
}

async function listenForever(address: string, log: Log, options: ListenOptions): Promise<void> {
  const { stopping } = options;
  let isUnreachable = false;
  while (!stopping.aborted) {
    const sql = connect(address, { max: 1, name: "leads inbox events" });
    const close = () => sql.end({ timeout: 1 }).catch(() => {});
    // Ends a query under way, too, which a database that does not answer would leave waiting.
    stopping.addEventListener("abort", close);
    try {
      await listenUntilLost(sql, options, () => {
        if (isUnreachable) log("database-ready");
        isUnreachable = false;
        options.reload();
      });
    } catch (error) {
      if (!isUnreachable && !stopping.aborted) log("database-unreachable", { code: codeOf(error) });
      isUnreachable = true;
    }
    stopping.removeEventListener("abort", close);
    await close();
    await wait(1_000, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Milliseconds on a clock that nobody sets: if it were set back, the poll for new leads would wait that much longer. */
const now = () => performance.now();

/** The connection delivers no notifications any more, although it reports no error. */
class HeartbeatLost extends Error {
  override name = "HeartbeatLost";
}

/**
 * Listens for notifications, and polls for new leads while a page is on screen. Calls `onListening` each time that listening begins,
 * because the notifications before are lost. The caller ends `sql`, and the listening with it.
 * @throws when the connection is lost.
 */
async function listenUntilLost(sql: Sql, options: ListenOptions, onListening: () => void): Promise<void> {
  const { stopping, queryTimeout } = options;
  const inTime = <Result>(query: PromiseLike<Result>) => withTimeout(queryTimeout, query);
  let receivedAt = now();
  let floodAt = Number.NEGATIVE_INFINITY;
  const heartbeat = `inbox ${crypto.randomUUID()}`;
  const onNotification = (text: string) => {
    if (text === heartbeat) receivedAt = now();
    // PostgreSQL lets every login notify, so anything may come.
    const { success, output: notification } = v.safeParse(NotificationText, text);
    if (!success) return;
    if (notification.kind === "leads" && !namesLeads(notification)) floodAt = now();
    options.hear(notification);
  };
  // postgres.js calls onListening again when it listens on a new connection, which may be before this loop finds the first one lost.
  await inTime(sql.listen("team", onNotification, onListening));
  let sentAt = Number.NEGATIVE_INFINITY;
  while (!stopping.aborted) {
    const started = now();
    // Inserts send no notification, because NOTIFY takes a lock that all inserts would share at their commits. In a flood the delivery
    // takes the leads into the lists once a second, and a poll beside it would look through the same leads for nothing.
    const isDue = options.hasListeners() && started - floodAt >= noPollAfterFlood;
    const found = isDue ? await inTime(announceNewLeads(sql)) : 0;
    const pause = pauseAfterPoll(now() - started, found);
    if (started - sentAt >= heartbeatInterval) {
      if (receivedAt < sentAt) throw new HeartbeatLost();
      sentAt = started;
      await inTime(sql`select pg_notify('team', ${heartbeat})`);
    }
    await wait(pause, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Adds new leads to the lists, and the database then sends a notification of them. Returns how many there were. */
async function announceNewLeads(sql: Sql): Promise<number> {
  const [looked] = await sql<{ found: number }[]>`select team.index_new_leads() as found`;
  return looked?.found ?? 0;
}

/**
 * Milliseconds until the next poll for new leads, after one that took `took` milliseconds and found `found` leads. The longer a poll
 * takes, the longer the pause, so that the database has time for the intake. While leads come faster than anybody can read, a thirtieth
 * of one processor is enough for the lists, so that an open inbox does not slow the intake down; a pause is five seconds at the most.
 */
export function pauseAfterPoll(took: number, found: number): number {
  const isFlood = found > maxNamedLeads;
  return Math.min(maxPause, Math.max(minPause, took * (isFlood ? 30 : 10)));
}

const encoder = new TextEncoder();

/** The event has a name, by which a page tells it from a LiveEvent. It has data, because a browser ignores an event without data. */
const signOfLife = "event: alive\ndata: 1\n\n";

/**
 * The answer to `GET /api/events`: a stream that ends when the page leaves (`left` is aborted), when `events` end, or when `isSignedIn`
 * says that the session is not open any more.
 * `member` is the member whose page it is: events about another member's session are left out.
 */
export function eventStream(
  events: LiveEvents,
  member: string,
  isSignedIn: () => Promise<boolean>,
  left: AbortSignal,
): Response {
  const over = AbortSignal.any([left, events.ended]);
  let close = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (over.aborted) return controller.close();
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const check = async () => {
        send(signOfLife);
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
      send(`retry: 2000\n\n${signOfLife}`);
    },
    cancel: () => close(),
  });
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}
