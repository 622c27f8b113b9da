// What narrows the audit log: days, a member, an action, a lead.
import { useState } from "react";
import { CheckedField } from "../page/checked-field.tsx";
import { DayField } from "../page/day-field.tsx";
import { OrderNotice } from "../page/order-notice.tsx";
import { ownZone } from "../page/times.ts";
import { useCall } from "../queries.ts";
import type { AuditFilter } from "./audit-page.tsx";

interface Props {
  filter: AuditFilter;
  actions: string[];
  onChange(filter: AuditFilter): void;
}

const days = [
  ["since", "From"],
  ["until", "To"],
] as const;

export function AuditFilters({ filter, actions, onChange }: Props) {
  const { data } = useCall("members", {});
  // The one in force also where the list could not be loaded, because the field would show "Everything" for it.
  const offered = [...new Set([...actions, ...(filter.action ? [filter.action] : [])])];
  const set = (key: keyof AuditFilter, value: string) => {
    const { [key]: _, zone: _zone, ...rest } = filter;
    const next: AuditFilter = value ? { ...rest, [key]: value } : rest;
    onChange(next.since || next.until ? { ...next, zone: ownZone() } : next);
  };
  return (
    <div className="further-filters no-print">
      {days.map(([key, name]) => (
        <DayField
          key={key}
          label={name}
          value={filter[key] ?? ""}
          onChoose={(day) => set(key, day)}
          onEmpty={() => set(key, "")}
        />
      ))}
      <OrderNotice days={filter} first="From" last="To" />
      <label className="field">
        Who
        <select value={filter.member ?? ""} onChange={({ target }) => set("member", target.value)}>
          <option value="">Everybody</option>
          {data?.members.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value="operator">The operator</option>
        </select>
      </label>
      <label className="field">
        What
        <select value={filter.action ?? ""} onChange={({ target }) => set("action", target.value)}>
          <option value="">Everything</option>
          {offered.map((action) => (
            <option key={action}>{action}</option>
          ))}
        </select>
      </label>
      <LeadField inForce={filter.lead ?? ""} onSet={(reference) => set("lead", reference)} />
    </div>
  );
}

/** The last eight digits or more of a lead's id, or all of it. */
const isReference = (text: string): boolean =>
  /^[0-9a-f-]{8,36}$/i.test(text) && text.replaceAll("-", "").length >= 8;

/** Narrows the log while it holds a whole reference. */
function LeadField({ inForce, onSet }: { inForce: string; onSet(reference: string): void }) {
  const [typed, setTyped] = useState("");
  const [isLeft, setLeft] = useState(false);
  const isWrong = isLeft && typed !== "" && !isReference(typed);
  const type = (text: string) => {
    setTyped(text);
    setLeft(false);
    const reference = isReference(text) ? text : "";
    if (reference !== inForce) onSet(reference);
  };
  return (
    <CheckedField
      label="Lead’s reference"
      type="text"
      autoComplete="off"
      value={typed}
      problem={
        isWrong
          ? "A reference has 8 characters, 0 to 9 and a to f, such as 12ab34cd. The entries of all leads are shown."
          : undefined
      }
      onChange={({ target }) => type(target.value.trim())}
      onBlur={() => setLeft(true)}
    />
  );
}
