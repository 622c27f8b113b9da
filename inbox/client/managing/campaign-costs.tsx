// What the campaigns cost: typed in for a day, or read from the file that an ad network exports. Costs that no campaign took are shown,
// because a name is easily written in two ways.
import { type FormEvent, useState } from "react";
import { csvLine } from "../../../team/csv.ts";
import type { Campaigns } from "../../api-campaigns.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { count } from "../page/words.ts";
import { refresh, useAction } from "../queries.ts";
import { campaignName, money } from "./campaign-words.ts";
import { DayField, type Period } from "./period-fields.tsx";

type Unmatched = Campaigns["unmatched"];

export function CampaignCosts({ unmatched, period }: { unmatched: Unmatched; period: Period }) {
  const record = useAction("campaigns/costs");
  const send = (csv: string, then?: () => void) =>
    record.mutate(
      { csv },
      {
        onSuccess: (answer) => {
          if (!("recorded" in answer)) return;
          refresh("campaigns");
          then?.();
        },
      },
    );
  return (
    <section className={unmatched.length > 0 ? "card" : "card no-print"} aria-labelledby="costs">
      <h2 id="costs">Costs</h2>
      <CostForm lastDay={period.until} onSend={send} />
      <CostFile onSend={send} />
      {record.data && <WhatCameOfIt answer={record.data} />}
      <FailureNotice error={record.error} />
      {unmatched.length > 0 && <UnmatchedCosts unmatched={unmatched} />}
    </section>
  );
}

type Answer = { recorded: number } | { problems: string[] };

function WhatCameOfIt({ answer }: { answer: Answer }) {
  if ("recorded" in answer)
    return <Notice kind="done">{`${count(answer.recorded, "cost is", "costs are")} recorded.`}</Notice>;
  return (
    <Notice kind="trouble">
      <p>Nothing was recorded:</p>
      <ul>
        {answer.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Notice>
  );
}

interface SendProps {
  onSend(csv: string, then?: () => void): void;
}

function CostForm({ lastDay, onSend }: SendProps & { lastDay: string }) {
  const [day, setDay] = useState(lastDay);
  const [campaign, setCampaign] = useState("");
  const [amount, setAmount] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    const heading = csvLine(["date", "campaign", "amount"]);
    onSend(heading + csvLine([day, campaign, amount]), () => setAmount(""));
  };
  return (
    <form className="form-line no-print" onSubmit={send}>
      <DayField name="Day" value={day} onChoose={setDay} />
      <label className="field">
        Campaign
        <input
          type="text"
          required
          maxLength={100}
          autoComplete="off"
          value={campaign}
          onChange={({ target }) => setCampaign(target.value)}
        />
      </label>
      <label className="field">
        Cost in dollars
        <input
          type="text"
          inputMode="decimal"
          required
          maxLength={20}
          autoComplete="off"
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
        />
      </label>
      <button type="submit" className="button">
        Record
      </button>
    </form>
  );
}

/** More than this the inbox reads in no request. */
const mostCharacters = 50_000;

function CostFile({ onSend }: SendProps) {
  const [isTooLong, setTooLong] = useState(false);
  const read = async (input: HTMLInputElement) => {
    const text = (await input.files?.[0]?.text()) ?? "";
    // So that the same file can be chosen again once it is mended.
    input.value = "";
    setTooLong(text.length > mostCharacters);
    if (text && text.length <= mostCharacters) onSend(text);
  };
  return (
    <div className="no-print">
      <label className="field">
        A CSV file: date, campaign, amount
        <input type="file" accept=".csv,text/csv,text/plain" onChange={({ target }) => void read(target)} />
      </label>
      <p className="quiet">
        A cost that is recorded again takes the place of the one before; an amount of 0 takes it away.
      </p>
      {isTooLong && (
        <Notice kind="trouble">The file is too long. Please divide it: 50,000 characters at once.</Notice>
      )}
    </div>
  );
}

const UnmatchedCosts = ({ unmatched }: { unmatched: Unmatched }) => (
  <>
    <h3>Costs that no campaign took</h3>
    <p className="quiet">
      No page load and no lead of these days names such a campaign. Is it written as in the ad’s address?
    </p>
    <ScrollingTable name="Costs that no campaign took">
      <table>
        <thead>
          <tr>
            <th scope="col">Campaign</th>
            <th scope="col" className="number-cell">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {unmatched.map((cost) => (
            <tr key={JSON.stringify([cost.source, cost.medium, cost.campaign])}>
              <th scope="row">{campaignName(cost)}</th>
              <td className="number-cell">{money(cost.cost_cents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollingTable>
  </>
);
