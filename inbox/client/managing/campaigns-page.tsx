// What the ads bring, for managers: a sentence for each of the eight largest campaigns, where readers are lost, the campaigns with their
// costs, the hours, the experiments and the web vitals. All of it counts page loads, not people.
import { useState } from "react";
import type { Campaigns } from "../../api-campaigns.ts";
import { Loading } from "../page/notice.tsx";
import { isInOrder } from "../page/order-notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { dayInWords } from "../page/times.ts";
import { useCall } from "../queries.ts";
import { CampaignCosts, CostReports } from "./campaign-costs.tsx";
import { CampaignFunnel } from "./campaign-funnel.tsx";
import { CampaignTable } from "./campaign-table.tsx";
import { campaignSentence } from "./campaign-words.ts";
import { CampaignsInTime } from "./campaigns-in-time.tsx";
import { DevicesReport } from "./devices-report.tsx";
import { Experiments } from "./experiments.tsx";
import { lastDays, type Period, PeriodFields } from "./period-fields.tsx";
import { VitalsReport } from "./vitals-report.tsx";

export default function CampaignsPage() {
  const [period, setPeriod] = useState(() => lastDays(30));
  return (
    <>
      <PageHeading title="Campaigns">Campaigns</PageHeading>
      <p className="print-only">
        {dayInWords(period.since)} to {dayInWords(period.until)}, {period.zone}
      </p>
      <PeriodFields period={period} onChange={setPeriod} />
      <CampaignsOfDays period={period} />
      <Experiments />
      <p className="actions no-print">
        <button type="button" className="button" onClick={() => print()}>
          Print
        </button>
      </p>
    </>
  );
}

function CampaignsOfDays({ period }: { period: Period }) {
  // Without `placeholderData`, because figures of other days would be read, printed and saved as those of these days.
  const enabled = isInOrder(period);
  const { data, error } = useCall("campaigns", period, { refetchOnWindowFocus: false, enabled });
  return (
    <>
      {enabled && <Loading error={error} isLoaded={data !== undefined} />}
      {enabled && data && <WhatTheyBring report={data} />}
      {/* Kept while other days load (base.css hides it until then), and shown while they are in the wrong order, because it says what
      became of a file of costs that was sent. */}
      <CampaignCosts lastDay={period.until} />
      {enabled && data && <FurtherReports report={data} />}
    </>
  );
}

const WhatTheyBring = ({ report }: { report: Campaigns }) => (
  <>
    <Sentences campaigns={report.campaigns} />
    <CampaignFunnel campaigns={report.campaigns} />
    <CampaignTable {...report} />
  </>
);

const FurtherReports = ({ report }: { report: Campaigns }) => (
  <>
    <CostReports unmatched={report.unmatched} costs={report.costs} />
    <CampaignsInTime days={report.days} hours={report.hours} />
    <DevicesReport devices={report.devices} />
    <VitalsReport vitals={report.vitals} />
  </>
);

/** Sentences are shown for the campaigns with the most loads; the table has all of them. */
const maxSentences = 8;

function Sentences({ campaigns }: Pick<Campaigns, "campaigns">) {
  return (
    <section className="card" aria-labelledby="in-short">
      <h2 id="in-short">In short</h2>
      {campaigns.length === 0 && <p className="quiet">Nothing was counted in these days.</p>}
      <ul className="sentences">
        {campaigns.slice(0, maxSentences).map((line) => (
          <li key={JSON.stringify([line.source, line.medium, line.campaign])}>
            {campaignSentence(campaigns, line)}.
          </li>
        ))}
      </ul>
      <p className="quiet">
        A load is a page that a reader saw; somebody who comes twice is two loads. Reloads, returns and known
        bots are not among them.
      </p>
    </section>
  );
}
