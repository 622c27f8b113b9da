// What narrows the audit log: days, a member, an action, a lead.
import { useState } from "react";
import { DayField } from "../page/day-field.tsx";
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
  const set = (key: keyof AuditFilter, value: string) => {
    const { [key]: _, ...rest } = filter;
    onChange(value ? { ...rest, [key]: value, zone: ownZone() } : rest);
  };
  return (
    <div className="further-filters no-print">
      {days.map(([key, name]) => (
        <DayField
          key={key}
          name={name}
          value={filter[key] ?? ""}
          onChoose={(day) => set(key, day)}
          onEmpty={() => set(key, "")}
        />
      ))}
      <label className="field">
        Who
        <select value={filter.member ?? ""} onChange={({ target }) => set("member", target.value)}>
          <option value="">Everybody</option>
          {data?.members.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        What
        <select value={filter.action ?? ""} onChange={({ target }) => set("action", target.value)}>
          <option value="">Everything</option>
          {actions.map((action) => (
            <option key={action}>{action}</option>
          ))}
        </select>
      </label>
      <LeadField onSet={(reference) => set("lead", reference)} />
    </div>
  );
}

/** Takes effect once it holds a whole reference, or nothing. */
function LeadField({ onSet }: { onSet(reference: string): void }) {
  const [typed, setTyped] = useState("");
  const type = (text: string) => {
    setTyped(text);
    if (text === "" || /^[0-9a-f-]{8,36}$/i.test(text)) onSet(text);
  };
  return (
    <label className="field">
      Lead’s reference
      <input
        type="text"
        autoComplete="off"
        maxLength={36}
        value={typed}
        onChange={({ target }) => type(target.value.trim())}
      />
    </label>
  );
}
