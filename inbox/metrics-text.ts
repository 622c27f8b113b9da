// The figures in Prometheus' text format (version 0.0.4): one line says what a metric is, one its type, then each value has a line.

/** A value with the labels that tell it from others of the same metric. */
export type Sample = [labels: Readonly<Record<string, string>>, value: number];

export interface Metric {
  name: string;
  /** One sentence. */
  help: string;
  type: "gauge" | "counter";
  samples: readonly Sample[];
}

/** A gauge with a value for each sample. */
export const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  help,
  samples,
  type: "gauge",
});

/** A gauge of one value, or of none when there is no value. */
export const oneGauge = (name: string, help: string, value: number | undefined): Metric =>
  gauge(name, help, value === undefined ? [] : [[{}, value]]);

export const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  help,
  samples,
  type: "counter",
});

/** A metric without a value is left out. */
export const metricsText = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([labels, value]) => `${name}${labelsText(labels)} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("");

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

const escaped = (value: string) =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
