// What a monitoring program reads at /metrics: how leads, deliveries, backups and this process stand. No figure is about a person, and
// a database that does not answer is one of the figures.
import { readdirSync } from "node:fs";
import type { ResilientConnection } from "../database/resilient-connection.ts";
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import type { Log } from "../log/log.ts";
import { type Figures, readFigures } from "../team/metrics.ts";
import { problems } from "../team/problems.ts";
import { counter, gauge, type Metric, metricsText, oneGauge, type Sample } from "./metrics-text.ts";

export interface MetricsDependencies {
  /** As the role leads_team. */
  database: ResilientConnection;
  /** How often the intake of this process has answered with each HTTP status; undefined where the process has no intake. */
  answerCounts: ReadonlyMap<number, number> | undefined;
  log: Log;
  /** Milliseconds on a clock that is never set. */
  now?: () => number;
}

/** Counting may take at most a tenth of the database's time, and is done at most every 5 seconds. */
const minInterval = 5_000;
const maxShare = 1 / 10;

export interface Metrics {
  /** All figures as text. Never rejects. */
  text(): Promise<string>;
  /** The number of unnotified leads; undefined when the database does not answer. Never rejects. */
  unnotified(): Promise<number | undefined>;
}

/** Makes the source of the figures. */
export function makeMetrics({
  database,
  answerCounts,
  log,
  now = () => performance.now(),
}: MetricsDependencies): Metrics {
  let counted: { figures: Figures | undefined; at: number; until: number } | undefined;
  let underWay: Promise<void> | undefined;
  const count = async () => {
    const started = now();
    // The connection logs an outage.
    const figures = await readFigures(database).catch((error) => {
      if (!isDatabaseTrouble(error)) logBug(log, error);
      return undefined;
    });
    const at = now();
    // A failure is not kept, because the database may be back at any moment.
    const pause = figures ? Math.max(minInterval, (at - started) / maxShare) : 0;
    counted = { figures, at, until: at + pause };
  };
  const newest = async () => {
    if (!counted || now() >= counted.until) {
      underWay ??= count().finally(() => {
        underWay = undefined;
      });
      await underWay;
    }
    return counted ?? { figures: undefined, at: now() };
  };
  return {
    async text() {
      const { figures, at } = await newest();
      return metricsText([
        oneGauge("leads_database_up", "Whether the database answers.", figures ? 1 : 0),
        ...(figures ? metricsOf(figures, (now() - at) / 1000) : []),
        insertsOf(answerCounts ?? new Map()),
        ...processMetrics(),
      ]);
    },
    unnotified: async () => (await newest()).figures?.unnotified,
  };
}

const states = ["delivered", "pending", "failed"] as const;

function metricsOf(figures: Figures, age: number): Metric[] {
  const { channels, last_backup_at, at } = figures;
  const found = problems.map((problem): Sample => [{ problem }, Number(figures.problems.includes(problem))]);
  return [
    oneGauge("leads_figures_age_seconds", "How long ago the database was asked.", age),
    oneGauge("leads_stored", "Leads that are stored.", figures.stored),
    oneGauge("leads_erased", "Leads that were erased.", figures.erased),
    oneGauge("leads_unreviewed", "Leads that are neither reviewed nor withdrawn.", figures.unreviewed),
    oneGauge("leads_overdue", "Unreviewed leads older than 24 hours.", figures.overdue),
    oneGauge("leads_untold", "Unreviewed leads that are owed to no channel.", figures.untold),
    oneGauge(
      "leads_unnotified",
      "Leads that have waited ALERT_AFTER_MINUTES while no channel took a message about them.",
      figures.unnotified,
    ),
    ...channelMetrics(channels, at),
    gauge("leads_problem", "What `leads status` finds wrong: 1 when it does.", found),
    oneGauge(
      "leads_backup_age_seconds",
      "Age of the newest scheduled backup.",
      secondsBetween(last_backup_at, at),
    ),
  ];
}

function channelMetrics(channels: Figures["channels"], at: string): Metric[] {
  const perChannel = (value: (channel: Figures["channels"][number]) => number) =>
    channels.map((channel): Sample => [{ channel: channel.channel }, value(channel)]);
  const deliveries = channels.flatMap((counts) =>
    states.map((state): Sample => [{ channel: counts.channel, state }, counts[state]]),
  );
  return [
    gauge("leads_deliveries", "Deliveries by channel and state.", deliveries),
    gauge(
      "leads_deliveries_stuck",
      "Pending deliveries older than 15 minutes.",
      perChannel(({ stuck }) => stuck),
    ),
    gauge(
      "leads_delivery_oldest_seconds",
      "Age of the oldest pending delivery; 0 when none is pending.",
      perChannel(({ oldest_pending }) => secondsBetween(oldest_pending, at) ?? 0),
    ),
    gauge(
      "leads_channel_enabled",
      "Whether a channel is set up.",
      perChannel(({ enabled }) => Number(enabled)),
    ),
  ];
}

const secondsBetween = (earlier: string | null, later: string): number | undefined =>
  earlier === null ? undefined : (Date.parse(later) - Date.parse(earlier)) / 1000;

const insertsOf = (answerCounts: ReadonlyMap<number, number>): Metric =>
  counter(
    "leads_inserts_total",
    "Answers of the intake by HTTP status: 201 and 303 are accepted leads.",
    [...answerCounts].sort(([a], [b]) => a - b).map(([status, count]) => [{ status: String(status) }, count]),
  );

function processMetrics(): Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedAt = Math.round(Date.now() / 1000 - process.uptime());
  return [
    oneGauge("process_resident_memory_bytes", "Memory of this process.", rss),
    oneGauge("nodejs_heap_size_used_bytes", "Memory that its JavaScript uses.", heapUsed),
    counter("process_cpu_seconds_total", "Processor time that it has used.", [[{}, (user + system) / 1e6]]),
    oneGauge("process_open_fds", "Files and connections that it holds open.", openDescriptors()),
    oneGauge("process_start_time_seconds", "When it started, in seconds since 1970.", startedAt),
  ];
}

/** The number of open files and connections on Linux; undefined elsewhere. */
function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
