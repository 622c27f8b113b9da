// Reports for managers: how the promise was kept, how soon people were called, what came of it, and from which campaigns they came.
import { useState } from "react";
import type { Reports } from "../../api-managing.ts";
import { Chips } from "../page/chips.tsx";
import { FailureNotice, Loading } from "../page/notice.tsx";
import { isInOrder } from "../page/order-notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { dayInWords, span } from "../page/times.ts";
import { count, inGroups, outcomeNames } from "../page/words.ts";
import { useAction, useCall } from "../queries.ts";
import { Figure } from "./figure.tsx";
import { lastDays, type Period, PeriodFields } from "./period-fields.tsx";
import { BarsPicture, DaysPicture, HoursTable, nameOfWeekday } from "./report-pictures.tsx";
import { ReportSection } from "./report-section.tsx";
import { saveFile } from "./save-csv.ts";

export default function ReportsPage() {
  const [period, setPeriod] = useState(() => lastDays(30));
  return (
    <>
      <PageHeading title="Reports">Reports</PageHeading>
      <p className="print-only">
        {dayInWords(period.since)} to {dayInWords(period.until)}, {period.zone}
      </p>
      <PeriodFields period={period} onChange={setPeriod} />
      {isInOrder(period) && <ReportsOfDays period={period} />}
    </>
  );
}

function ReportsOfDays({ period }: { period: Period }) {
  // Without `placeholderData`, because figures of other days would be read, printed and saved as those of these days.
  const { data, error } = useCall("reports", period, { refetchOnWindowFocus: false });
  return (
    <>
      <Loading error={error} isLoaded={data !== undefined} />
      {data && <AllReports reports={data} period={period} />}
      <PrintAndExport period={period} />
    </>
  );
}

function AllReports({ reports, period }: { reports: Reports; period: Period }) {
  const { promises, first_call, outcomes, campaigns } = reports;
  const days = everyDay(reports.days, period);
  const bars = outcomes.map(({ outcome, leads }) => [outcomeNames[outcome], leads] as const);
  return (
    <>
      <KeyFigures promises={promises} firstCall={first_call} />
      <ReportSection
        title="By day"
        file="days"
        columns={["Day", "Leads", "Kept", "Missed", "Still open", "Withdrawn unreviewed", "Calls"]}
        lines={days.map(cellsOfDay)}
        isFolded
      >
        <DaysPicture days={days} />
      </ReportSection>
      <ReportSection title="Outcomes" file="outcomes" columns={["Outcome", "Leads"]} lines={bars} isFolded>
        <BarsPicture parts={bars} />
      </ReportSection>
      <HoursReport hours={reports.hours} />
      <ReportSection
        title="By campaign"
        file="campaigns"
        columns={[
          "Source",
          "Medium",
          "Campaign",
          "Leads",
          "Reviewed",
          "Likely",
          "Needs a visit",
          "Withdrawn",
        ]}
        lines={campaigns.map(cellsOfCampaign)}
        notes={
          campaigns.length < maxCampaigns ? [] : [`Only the ${maxCampaigns} campaigns with the most leads.`]
        }
      />
    </>
  );
}

const cellsOfDay = ({ day, leads, kept, missed, open, withdrawn, calls }: Reports["days"][number]) => [
  day,
  leads,
  kept,
  missed,
  open,
  withdrawn,
  calls,
];

const cellsOfCampaign = (line: Reports["campaigns"][number]) => [
  line.source || "None",
  line.medium || "None",
  line.campaign || "None",
  line.leads,
  line.reviewed,
  line.likely,
  line.needs_visit,
  line.withdrawn,
];

/** The database lists no more (private.report). */
const maxCampaigns = 500;

/** In a longer period the picture is too narrow for the days without anything. */
const maxFilledDays = 400;

/**
 * Adds the days without leads and calls, which the answer leaves out, so that the picture has every day. A longer period has only the
 * days with something.
 */
function everyDay(days: Reports["days"], { since, until }: Period): Reports["days"] {
  if (Date.parse(until) - Date.parse(since) >= maxFilledDays * 86_400_000) return days;
  const known = new Map(days.map((day) => [day.day, day]));
  const all: Reports["days"] = [];
  for (let at = Date.parse(since); at <= Date.parse(until); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { day, leads: 0, kept: 0, missed: 0, open: 0, withdrawn: 0, calls: 0 });
  }
  return all;
}

interface KeyFiguresProps {
  promises: Reports["promises"];
  firstCall: Reports["first_call"];
}

function KeyFigures({ promises, firstCall }: KeyFiguresProps) {
  const minutes = (value: number | null) => (value === null ? "None yet" : span(value * 60_000));
  const { percent, kept, missed, open, withdrawn } = promises;
  const [were, theyCount] = withdrawn === 1 ? ["was", "It counts"] : ["were", "They count"];
  return (
    <>
      <dl className="figures wide">
        <Figure name="Reviewed within 24 hours" value={percent === null ? "None yet" : `${percent}%`} />
        <Figure name="Kept" value={inGroups(kept)} />
        <Figure name="Missed" value={inGroups(missed)} />
        <Figure name="Still open" value={inGroups(open)} />
        <Figure name="To the first call, median" value={minutes(firstCall.median_minutes)} />
        <Figure name="To the first call, 9 of 10" value={minutes(firstCall.p90_minutes)} />
      </dl>
      {withdrawn > 0 && (
        <p className="quiet">
          {`${count(withdrawn, "lead")} ${were} withdrawn within the 24 hours and not reviewed within them. ${theyCount} as neither kept nor missed.`}
        </p>
      )}
    </>
  );
}

const countedKinds = [
  ["leads", "Leads come"],
  ["calls", "Calls made"],
  ["reached", "People reached"],
] as const;

function HoursReport({ hours }: Pick<Reports, "hours">) {
  const [what, setWhat] = useState<(typeof countedKinds)[number][0]>("leads");
  const name = countedKinds.find(([kind]) => kind === what)?.[1] ?? "";
  return (
    <ReportSection
      title="By hour and weekday"
      file="hours"
      columns={["Weekday", "Hour", "Leads", "Calls", "Reached"]}
      lines={hours.map(({ weekday, hour, leads, calls, reached }) => [
        nameOfWeekday(weekday),
        hour,
        leads,
        calls,
        reached,
      ])}
      isFolded
    >
      <Chips
        label="What is counted"
        options={countedKinds}
        isChosen={(kind) => kind === what}
        onChoose={setWhat}
      />
      <HoursTable hours={hours} what={what} name={name} />
    </ReportSection>
  );
}

/** Prints the reports, and exports the leads of their days. */
function PrintAndExport({ period }: { period: Period }) {
  const exported = useAction("export");
  const save = () => exported.mutate(period, { onSuccess: saveFile });
  return (
    <section className="card no-print" aria-labelledby="taking">
      <h2 id="taking">Take away</h2>
      <div className="actions">
        <button type="button" className="button" onClick={() => print()}>
          Print the reports
        </button>
        <button type="button" className="button" onClick={save}>
          Export the leads of these days
        </button>
      </div>
      <p className="quiet">
        The export holds names, numbers and health answers. It is written to the audit log; keep the file
        safe.
      </p>
      <FailureNotice error={exported.error} />
    </section>
  );
}
