// A field for a day. It takes effect once a whole day is typed.
import { useState } from "react";

interface Props {
  name: string;
  /** YYYY-MM-DD; "" for none. */
  value: string;
  onChoose(day: string): void;
  /** Given where no day is a choice, too. */
  onEmpty?(): void;
}

/** A year that is being typed is the year 2, 20 and 202 on its way to 2026, and none of them is chosen. */
const firstDay = "2000-01-01";

export function DayField({ name, value, onChoose, onEmpty }: Props) {
  const [typed, setTyped] = useState<string>();
  const type = ({ value: day, validity }: HTMLInputElement) => {
    const isDay = day >= firstDay && day.length === firstDay.length;
    setTyped(isDay ? undefined : day);
    if (isDay) onChoose(day);
    // While a part of the day is typed the value is empty, too.
    else if (day === "" && !validity.badInput) onEmpty?.();
  };
  return (
    <label className="field">
      {name}
      <input
        type="date"
        value={typed ?? value}
        onChange={({ target }) => type(target)}
        onBlur={() => setTyped(undefined)}
      />
    </label>
  );
}
