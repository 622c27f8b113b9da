// What the campaigns cost: typed in for a day, or read from the file that an ad network exports. Costs that match no campaign are shown,
// because a name is easily written in two ways.
import { type FormEvent, useState } from "react";
import { csvLine } from "../../../team/csv.ts";
import type { Campaigns } from "../../api-campaigns.ts";
import { atMost } from "../page/at-most.ts";
import { DayField } from "../page/day-field.tsx";
import { useDraft } from "../page/drafts.ts";
import { FailureNotice, Notice } from "../page/notice.tsx";
import { count } from "../page/words.ts";
import { refreshAfterChange, useAction } from "../queries.ts";
import { money } from "./campaign-words.ts";
import { ReportSection } from "./report-section.tsx";

type Named = { campaign: string; source: string; medium: string };

/** `lastDay`, as YYYY-MM-DD, is the day that the form shows at first. */
export function CampaignCosts({ lastDay }: { lastDay: string }) {
  // Two actions, because an action ignores a request while another of its own is under way: a file that is chosen while a typed cost is
  // being sent would be lost.
  const [typed, file] = [useAction("campaigns/costs"), useAction("campaigns/costs")];
  const [refused, setRefused] = useState<keyof typeof refusals>();
  const sendBy = (action: typeof typed) => (csv: string, then?: () => void) =>
    action.mutate(
      { csv },
      {
        onSuccess: (answer) => {
          if (!("recorded" in answer)) return;
          refreshAfterChange("campaigns");
          then?.();
        },
      },
    );
  // A file that is chosen while the one before is being sent leaves the answer to that one on screen.
  const isFileAnswerShown = refused === undefined || refused === "busy";
  return (
    <section className="card no-print" aria-labelledby="costs">
      <h2 id="costs">Costs</h2>
      <CostForm lastDay={lastDay} isBusy={typed.isPending} onSend={sendBy(typed)} />
      {typed.data && <RecordResult answer={typed.data} isTyped />}
      <FailureNotice error={typed.error} />
      <CostFile isBusy={file.isPending} onRefuse={setRefused} onSend={sendBy(file)} />
      {refused && <Notice kind="trouble">{refusals[refused]}</Notice>}
      {isFileAnswerShown && file.data && <RecordResult answer={file.data} isTyped={false} />}
      {isFileAnswerShown && <FailureNotice error={file.error} />}
    </section>
  );
}

type Answer = { recorded: number; removed: number } | { problems: string[] };

function RecordResult({ answer, isTyped }: { answer: Answer; isTyped: boolean }) {
  if ("recorded" in answer) {
    const { recorded, removed } = answer;
    return (
      <Notice kind="done">
        {[
          (recorded > 0 || removed === 0) && `${count(recorded, "cost is", "costs are")} recorded.`,
          removed > 0 && `${count(removed, "cost is", "costs are")} taken away.`,
        ]
          .filter(Boolean)
          .join(" ")}
      </Notice>
    );
  }
  // What is typed is sent as a file of one line.
  const problems = isTyped ? answer.problems.map((one) => one.replace(/^Line \d+: /, "")) : answer.problems;
  return (
    <Notice kind="trouble">
      <p>Nothing was recorded:</p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Notice>
  );
}

interface SendProps {
  /** Returns false where the costs before are still being sent. */
  onSend(csv: string, then?: () => void): boolean;
}

function CostForm({ lastDay, isBusy, onSend }: SendProps & { lastDay: string; isBusy: boolean }) {
  // The next cost is often one of the same campaign.
  const [start, setStart] = useState({ day: lastDay, campaign: "", amount: "" });
  const { value, set, dropSent } = useDraft("campaign cost", start, () => isBusy);
  const { day, campaign, amount } = value;
  const send = (event: FormEvent) => {
    event.preventDefault();
    const heading = csvLine(["date", "campaign", "amount"]);
    onSend(heading + csvLine([day, campaign, amount]), () => {
      const next = { ...value, amount: "" };
      setStart(next);
      for (const one of [value, next]) dropSent(one);
    });
  };
  return (
    <form className="form-line" onSubmit={send}>
      <DayField label="Day" value={day} onChoose={(next) => set({ ...value, day: next })} />
      <label className="field">
        Campaign
        <input
          type="text"
          required
          {...atMost(100)}
          autoComplete="off"
          value={campaign}
          onChange={({ target }) => set({ ...value, campaign: target.value })}
        />
      </label>
      <label className="field">
        Cost in US dollars
        <input
          type="text"
          inputMode="decimal"
          required
          {...atMost(20)}
          autoComplete="off"
          value={amount}
          onChange={({ target }) => set({ ...value, amount: target.value })}
        />
      </label>
      <button type="submit" className="button" disabled={isBusy}>
        Record
      </button>
    </form>
  );
}

/** The inbox refuses a longer request (inbox/api-campaigns.ts). */
const maxCharacters = 50_000;

interface FileProps extends SendProps {
  isBusy: boolean;
  /** Called with why a file is not sent, and with nothing when it is. */
  onRefuse(why: keyof typeof refusals | undefined): void;
}

function CostFile({ isBusy, onRefuse, onSend }: FileProps) {
  const read = async (input: HTMLInputElement) => {
    const chosen = input.files?.[0];
    if (!chosen) return;
    const text = await chosen.text().catch(() => undefined);
    // So that the same file can be chosen again once it is corrected.
    input.value = "";
    if (text === undefined) return onRefuse("unreadable");
    const problem = isBusy ? "busy" : problemOf(text);
    onRefuse(problem ?? (onSend(text) ? undefined : "busy"));
  };
  return (
    <div>
      <label className="field">
        A CSV file: date, campaign, amount in US dollars
        <input type="file" accept=".csv,text/csv,text/plain" onChange={({ target }) => void read(target)} />
      </label>
      <p className="quiet">
        A cost that is recorded again takes the place of the one before; an amount of 0 takes it away.
      </p>
    </div>
  );
}

function problemOf(text: string) {
  if (text.trim() === "") return "empty";
  return text.length > maxCharacters ? "too long" : undefined;
}

/** Why a file that was chosen is not sent. */
const refusals = {
  empty: "The file is empty.",
  unreadable: "The browser cannot read the file. Please choose it again.",
  "too long":
    "The file is too long: 50,000 characters at once. Please divide it between days, because lines of one campaign and day have to stay in one file.",
  busy: "The file before was still being recorded. Please choose this one again.",
};

export const CostReports = ({ unmatched, costs }: Pick<Campaigns, "unmatched" | "costs">) => (
  <>
    {unmatched.length > 0 && (
      <ReportSection
        title="Costs that no campaign took"
        file="unmatched-costs"
        columns={["Campaign", "Source", "Medium", "US dollars"]}
        lines={unmatched.map((cost) => [...namesOf(cost), money(cost.cost_cents)])}
        notes={[
          "No page load and no lead of these days names such a campaign. Is it written as in the ad’s address?",
        ]}
      />
    )}
    {costs.length > 0 && (
      <ReportSection
        title="Recorded costs"
        file="campaign-costs"
        columns={["Day", "Campaign", "Source", "Medium", "US dollars"]}
        lines={costs.map((cost) => [cost.day, ...namesOf(cost), money(cost.amount_cents)])}
        isFolded
      />
    )}
  </>
);

const namesOf = ({ campaign, source, medium }: Named): string[] => [
  campaign,
  source || "Any",
  medium || "Any",
];
