// The days that a report or an export is about.
import { Chips } from "../page/chips.tsx";
import { serverNow } from "../page/clock.ts";
import { DayField } from "../page/day-field.tsx";
import { OrderNotice } from "../page/order-notice.tsx";
import { dayOf, daysBefore, ownZone } from "../page/times.ts";

export interface Period {
  since: string;
  until: string;
  zone: string;
}

/** The last `days` days, today among them, in the member's own zone. */
export function lastDays(days: number): Period {
  const today = dayOf(serverNow());
  return { since: daysBefore(today, days - 1), until: today, zone: ownZone() };
}

const spans = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
] as const;

interface Props {
  period: Period;
  onChange(period: Period): void;
}

export function PeriodFields({ period, onChange }: Props) {
  const isLast = (days: number) =>
    lastDays(days).since === period.since && lastDays(days).until === period.until;
  return (
    <>
      <div className="period no-print">
        <Chips
          label="The last"
          options={spans}
          isChosen={isLast}
          onChoose={(days) => onChange(lastDays(days))}
        />
        <DayField label="From" value={period.since} onChoose={(since) => onChange({ ...period, since })} />
        <DayField label="To" value={period.until} onChoose={(until) => onChange({ ...period, until })} />
      </div>
      <OrderNotice days={period} first="From" last="To" />
    </>
  );
}
