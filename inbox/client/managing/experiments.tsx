// The experiments with the article: what each has brought so far, as a range; whether its loads are split as they should be;
// and how much longer it takes.
import type { Experiment } from "../../api-campaigns.ts";
import { Loading } from "../page/notice.tsx";
import { dayInWords, daysBefore } from "../page/times.ts";
import { count, inGroups } from "../page/words.ts";
import { useCall } from "../queries.ts";
import { percent } from "./campaign-words.ts";
import { RangePicture } from "./range-picture.tsx";
import { ReportSection } from "./report-section.tsx";

export function Experiments() {
  const { data, error } = useCall("experiments", {}, { refetchOnWindowFocus: false });
  if (!data) return <Loading error={error} isLoaded={false} />;
  if (data.experiments.length === 0)
    return (
      <section className="card" aria-labelledby="experiments">
        <h2 id="experiments">Experiments</h2>
        <p className="quiet">No experiment with the article has run. Whoever runs the site can start one.</p>
      </section>
    );
  return data.experiments.map((one) => <ExperimentReport key={one.variant} experiment={one} />);
}

function ExperimentReport({ experiment }: { experiment: Experiment }) {
  const { variant, original, changed, stored, qualified } = experiment;
  const lineOf = (name: string, { loads, ...leads }: Experiment["original"]) => [
    name,
    loads,
    leads.stored,
    share(leads.stored, loads),
    leads.reviewed,
    leads.qualified,
    share(leads.qualified, loads),
  ];
  return (
    <ReportSection
      title={`Experiment: ${variant}`}
      file={`experiment-${variant}`}
      columns={[
        "Shown",
        "Loads",
        "Leads",
        "Leads of 100 loads",
        "Reviewed",
        "Likely qualify",
        "Qualify of 100 loads",
      ]}
      lines={[lineOf("The original", original), lineOf("The variant", changed)]}
      notes={[whenInWords(experiment), splitInWords(experiment)]}
    >
      <p className={experiment.verdict === "split broken" ? "danger-words" : "verdict"}>
        {verdicts[experiment.verdict]}
      </p>
      {stored && <RangePicture name="Leads" range={stored} />}
      {qualified && <RangePicture name="Likely qualify" range={qualified} />}
    </ReportSection>
  );
}

const share = (part: number, loads: number): string => (loads > 0 ? percent(part / loads) : "");

const verdicts: Record<Experiment["verdict"], string> = {
  more: "The variant brings more leads.",
  fewer: "The variant brings fewer leads.",
  "not yet": "No difference can be told so far.",
  "none found":
    "The experiment has its size, and it cannot be told whether the variant brings more or fewer.",
  "split broken":
    "No result: the loads are not split evenly, so the assignment or the counting is broken. Whoever runs the site has to look.",
  "no loads": "Nothing to compare yet: no page load of one of the two was counted.",
};

function whenInWords({ started_on, ended_on, plan, size_needed, days_left, verdict }: Experiment): string {
  const lift = `${plan.lift > 0 ? "+" : ""}${Number((100 * plan.lift).toFixed(2))}%`;
  const size = `Each side needs ${inGroups(size_needed)} loads to find ${lift}`;
  const since = `Since ${dayInWords(started_on)}`;
  if (ended_on === started_on) return `Stopped on its first day, ${dayInWords(started_on)}.`;
  if (ended_on) return `${dayInWords(started_on)} to ${dayInWords(daysBefore(ended_on, 1))}. ${size}.`;
  if (verdict === "more" || verdict === "fewer")
    return `${since}. ${size}. The answer holds already: the variant brings ${verdict} leads.`;
  if (days_left === null) return `${since}. ${size}.`;
  if (days_left === 0) return `${since}. ${size}. Both have them: decide now.`;
  return `${since}. ${size}: about ${count(days_left, "more day")}.`;
}

const splitInWords = ({ split_chi_square }: Experiment): string =>
  `The split: chi-square ${split_chi_square.toFixed(2)}; above 10.83 it is broken. The ranges may be looked at every day.`;
