// The filters of the list: one's own leads, late ones, and further filters that are shown when the member unfolds them.
import { useState } from "react";
import { stateChoices } from "../../../calling/state-names.ts";
import { outcomes } from "../../api-values.ts";
import { Chips } from "../page/chips.tsx";
import { DayField } from "../page/day-field.tsx";
import { OrderNotice } from "../page/order-notice.tsx";
import { ownZone } from "../page/times.ts";
import { inGroups, outcomeNames } from "../page/words.ts";
import { type Filter, noFilter, openOutcomes } from "./first-page.ts";

interface Props {
  filter: Filter;
  counts: Record<"mine" | "late", number> | undefined;
  /** Closed leads are in a search and never in the queue. */
  isSearch: boolean;
  onChange(filter: Filter): void;
}

export function QueueFilters({ filter, counts, isSearch, onChange }: Props) {
  const further = Object.keys(filter).filter((key) => !["mine", "late", "zone"].includes(key)).length;
  const [isOpen, setOpen] = useState(false);
  const isOn = { mine: filter.mine === true, late: filter.late === true };
  return (
    <div className="filters">
      <Chips
        label="Show"
        options={[
          ["all", "All"],
          ["mine", `Mine${numbered(counts?.mine)}`],
          ["late", `Late${numbered(counts?.late)}`],
        ]}
        isChosen={(name) => (name === "all" ? !isOn.mine && !isOn.late && further === 0 : isOn[name])}
        onChoose={(name) =>
          onChange(name === "all" ? noFilter : changed(filter, name, isOn[name] ? undefined : true))
        }
      />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>More filters{further > 0 && ` (${further})`}</summary>
        {isOpen && <FurtherFilters filter={filter} isSearch={isSearch} onChange={onChange} />}
      </details>
    </div>
  );
}

const numbered = (number = 0) => (number > 0 ? ` ${inGroups(number)}` : "");

const days = [
  ["since", "Came since"],
  ["until", "Came until"],
] as const;

function FurtherFilters({ filter, isSearch, onChange }: Omit<Props, "counts">) {
  const set = (key: keyof Filter, value: string | boolean | undefined) =>
    onChange(changed(filter, key, value));
  return (
    <div className="further-filters">
      <Choice
        label="State"
        value={filter.state}
        options={stateChoices}
        onChoose={(value) => set("state", value)}
      />
      <Choice
        label="Last outcome"
        value={filter.outcome}
        options={outcomes
          .filter((outcome) => isSearch || openOutcomes.has(outcome) || outcome === filter.outcome)
          .map((outcome) => [outcome, outcomeNames[outcome]])}
        onChoose={(value) => set("outcome", value)}
      />
      {isSearch && (
        <Choice
          label="Work"
          value={filter.stage}
          options={[
            ["open", "Open"],
            ["callback", "Callback agreed"],
            ["closed", "Closed"],
          ]}
          onChoose={(value) => set("stage", value)}
        />
      )}
      {days.map(([key, name]) => (
        <DayField
          key={key}
          label={name}
          value={filter[key] ?? ""}
          onChoose={(day) => set(key, day)}
          onEmpty={() => set(key, undefined)}
        />
      ))}
      <OrderNotice days={filter} first={days[0][1]} last={days[1][1]} />
      <label className="choice">
        <input
          type="checkbox"
          checked={filter.flagged === true}
          onChange={({ target }) => set("flagged", target.checked || undefined)}
        />
        May be spam
      </label>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
  onChoose(value: string | undefined): void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label className="field">
      {label}
      <select value={value ?? ""} onChange={({ target }) => onChoose(target.value || undefined)}>
        <option value="">All</option>
        {options.map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function changed(filter: Filter, key: keyof Filter, value: string | boolean | undefined): Filter {
  const { [key]: _, ...rest } = filter;
  const next: Filter = value === undefined ? rest : { ...rest, [key]: value };
  // The zone is sent too, because days begin and end in the member's own time zone.
  return next.since || next.until ? { ...next, zone: ownZone() } : next;
}
