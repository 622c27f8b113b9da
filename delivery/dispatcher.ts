// The dispatcher of a channel: claims what is due, sends it, and records what came of it. Each channel has its own, so that one
// that is down delays no other. The worker drives it, and so does a single run on a hosted function.
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { pauseAfterBug } from "./backoff.ts";
import type { Channel, Outcome } from "./channels/channel.ts";
import { claim, retryNow } from "./claim.ts";
import { type Clock, makeClock } from "./clock.ts";
import type { Delivery } from "./delivery.ts";
import { messagesOf } from "./messages.ts";
import { makeResults, type Results } from "./results.ts";
import { makeSender, type Sender } from "./sender.ts";

export interface DispatcherDependencies {
  database: ResilientConnection;
  log: Log;
  /** A test's own time; otherwise the database says what is due. */
  now?: (() => Date) | undefined;
  /** Whether pending deliveries are retried at the first run, because the settings may have been corrected. */
  retriesAtStart?: boolean | undefined;
}

export interface Dispatcher {
  /** Claims what is due and sends it. Called while it claims, it claims once more. Never throws. */
  run(): void;
  /** Claims nothing more. */
  stop(): void;
  /** Aborts what is under way; its deliveries are due again at once. */
  abort(): void;
  /** Whether the next run is to retry what waits for a later attempt, as at the start and after an outage of the channel. */
  owesRetry(): boolean;
  /** Settles when no message is under way and the results are recorded, without waiting for a database that is unreachable. */
  drained(): Promise<void>;
}

/** Seconds a dispatcher holds what it claimed: longer than any message takes. */
const lease = 90;

/** Whether the deliveries of a message are to be claimed again at once, in smaller messages, which the receiver may take. */
const isDividedNext = (deliveries: readonly Delivery[], outcome: Outcome): boolean =>
  outcome.kind !== "delivered" && outcome.mayPassDivided === true && deliveries.length > 1;

export const makeDispatcher = (channel: Channel, dependencies: DispatcherDependencies): Dispatcher =>
  new ChannelDispatcher(channel, dependencies);

class ChannelDispatcher implements Dispatcher {
  readonly #channel: Channel;
  readonly #database: ResilientConnection;
  readonly #log: Log;
  readonly #now: (() => Date) | undefined;
  readonly #clock: Clock;
  readonly #sender: Sender;
  readonly #results: Results;
  #isStopped = false;
  #isClaiming = false;
  #claimsAgain = false;
  #mustRetryPending: boolean;
  /** Whether this retry includes deliveries that the receiver refused for their content: at the start, because it may have been corrected. */
  #mustRetryRefused: boolean;
  /** How many deliveries a message carries: fewer than the channel's after one that was refused and may pass divided. */
  #batch: number;
  #pausedUntil = 0;
  #messagesUnderWay = 0;
  readonly #onDrained: (() => void)[] = [];

  constructor(channel: Channel, { database, log, now, retriesAtStart = true }: DispatcherDependencies) {
    this.#channel = channel;
    this.#database = database;
    this.#log = log;
    this.#now = now;
    this.#clock = makeClock(now);
    this.#mustRetryPending = retriesAtStart;
    this.#mustRetryRefused = retriesAtStart;
    this.#batch = channel.batch;
    this.#results = makeResults(database, log, now, this.#clock);
    const onRecovered = () => {
      // What waits because of the outage is retried with the next claim.
      this.#mustRetryPending = true;
    };
    this.#sender = makeSender(channel, { log, clock: this.#clock, onRecovered });
  }

  run(): void {
    this.#flush();
    this.#claimsAgain = true;
    if (this.#isClaiming || !this.#mayClaim()) return;
    this.#isClaiming = true;
    this.#claimAndSend()
      .catch((error) => this.#pauseIfBug(error))
      .finally(() => {
        this.#isClaiming = false;
        if (this.#claimsAgain && this.#mayClaim()) this.run();
        this.#resolveWhenDrained();
      });
  }

  stop(): void {
    this.#isStopped = true;
  }

  abort(): void {
    this.#sender.abort();
  }

  owesRetry(): boolean {
    return this.#mustRetryPending;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained.push(resolve);
      this.#resolveWhenDrained();
    });
  }

  async #retryPending(): Promise<void> {
    if (!this.#mustRetryPending) return;
    this.#mustRetryPending = false;
    const [at, refusedToo] = [this.#now?.(), this.#mustRetryRefused];
    try {
      await this.#database.query((sql) => retryNow(sql, this.#channel.name, { at, refusedToo }));
      this.#mustRetryRefused = false;
    } catch (error) {
      this.#mustRetryPending = true;
      throw error;
    }
  }

  async #claimAndSend(): Promise<void> {
    const { name, cooldown } = this.#channel;
    do {
      this.#claimsAgain = false;
      // First, because a delivery sent during an outage of the database may have outlived its lease, and a claim would send it again.
      if (!(await this.#results.flush())) return;
      await this.#retryPending();
      // Asked again, because a message that ended meanwhile may have opened the circuit breaker.
      if (!this.#mayClaim()) return;
      const batch = this.#batch;
      const max = this.#freeSlots() * batch;
      const deliveries = await this.#database.query((sql) =>
        claim(sql, name, { max, lease, cooldown, at: this.#now?.() }),
      );
      const { messages, unsendable } = messagesOf(deliveries, batch);
      for (const [delivery, reason] of unsendable)
        this.#results.add([delivery], { kind: "permanent", reason }, this.#sender.isAborted());
      for (const message of messages) void this.#send(message);
      if (unsendable.length > 0) this.#flush();
      this.#claimsAgain ||= deliveries.length === max;
    } while (this.#claimsAgain && this.#mayClaim());
  }

  async #send(deliveries: [Delivery, ...Delivery[]]): Promise<void> {
    this.#messagesUnderWay += 1;
    const outcome = await this.#sender.send(deliveries);
    const isDueAgain = isDividedNext(deliveries, outcome) || this.#sender.isAborted();
    this.#adaptBatch(deliveries, outcome);
    this.#results.add(deliveries, outcome, isDueAgain);
    await this.#results.flush();
    this.#messagesUnderWay -= 1;
    // Claims more once half of the slots are free. Until then the worker's sweep does, because a query after each delivery would be
    // too many.
    if (this.#messagesUnderWay === 0 || this.#freeSlots() >= this.#channel.concurrency / 2) this.run();
    this.#resolveWhenDrained();
  }

  // After a message that was refused and may pass divided, messages carry half as much, and more again with each one that the receiver accepts.
  #adaptBatch(deliveries: readonly Delivery[], outcome: Outcome): void {
    if (outcome.kind === "delivered") this.#batch = Math.min(2 * this.#batch, this.#channel.batch);
    // A larger message that was sent earlier may be refused only now.
    else if (isDividedNext(deliveries, outcome))
      this.#batch = Math.min(this.#batch, Math.ceil(deliveries.length / 2));
  }

  // A later sweep of the worker claims again; after a bug, once the pause is over. Only a bug is logged here: the connection logs an outage of
  // the database, and a deadlock passes by itself.
  #pauseIfBug(error: unknown): void {
    this.#claimsAgain = false;
    if (isDatabaseTrouble(error)) return;
    logBug(this.#log, error);
    this.#pausedUntil = this.#clock() + pauseAfterBug;
  }

  #mayClaim(): boolean {
    return (
      !this.#isStopped &&
      this.#freeSlots() > 0 &&
      !this.#sender.isPaused() &&
      this.#clock() >= this.#pausedUntil
    );
  }

  #freeSlots(): number {
    return this.#sender.concurrency() - this.#messagesUnderWay;
  }

  #flush(): void {
    void this.#results.flush().then(() => this.#resolveWhenDrained());
  }

  #resolveWhenDrained(): void {
    if (this.#isClaiming || this.#messagesUnderWay > 0 || this.#results.isFlushing()) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
