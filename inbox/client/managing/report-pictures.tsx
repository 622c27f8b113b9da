// The pictures of the reports, as SVG and tables of our own. Each stands above a table that says the same in figures.
import type { Reports } from "../../api-managing.ts";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { dayInWords } from "../page/times.ts";
import { count, inGroups } from "../page/words.ts";

/** The parts of a day's column, from below. */
const parts = [
  ["kept", "Kept"],
  ["missed", "Missed"],
  ["open", "Still open"],
  ["withdrawn", "Withdrawn unreviewed"],
] as const;

/** Leads by day, one column a day. */
export function DaysPicture({ days }: Pick<Reports, "days">) {
  const highest = Math.max(0, ...days.map(({ leads }) => leads));
  const [width, height, slot] = [720, 160, 720 / Math.max(days.length, 7)];
  const unit = (height - 20) / Math.max(1, highest);
  return (
    <figure className="picture">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Leads by day, at most ${inGroups(highest)} on one day`}
      >
        <line x1="0" y1={height} x2={width} y2={height} className="axis" />
        {days.map((day, nth) => (
          <g key={day.day} transform={`translate(${nth * slot + slot * 0.12} ${height})`}>
            <title>{inWords(day)}</title>
            {parts.map(([part], at) => {
              const upTo = parts.slice(0, at + 1).reduce((sum, [one]) => sum + day[one], 0);
              return (
                <rect
                  key={part}
                  className={`bar of-${part}`}
                  y={-upTo * unit}
                  width={slot * 0.76}
                  height={day[part] * unit}
                />
              );
            })}
          </g>
        ))}
      </svg>
      {days.length > 0 && (
        <p
          className="days-axis quiet"
          aria-hidden="true"
          style={{ width: `${(100 * days.length * slot) / width}%` }}
        >
          <span>{dayInWords(days[0]?.day ?? "")}</span>
          {days.length > 1 && <span>{dayInWords(days.at(-1)?.day ?? "")}</span>}
        </p>
      )}
      <figcaption className="legend">
        {parts.map(([part, name]) => (
          <span key={part} className={`swatch of-${part}`}>
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const inWords = (day: Reports["days"][number]) =>
  `${dayInWords(day.day)}: ${[
    count(day.leads, "lead"),
    ...parts.map(([part, name]) => `${inGroups(day[part])} ${name.toLowerCase()}`),
  ].join(", ")}`;

/** How large each part is, as bars with their words. */
export function BarsPicture({ parts }: { parts: readonly (readonly [string, number])[] }) {
  const highest = Math.max(1, ...parts.map(([, value]) => value));
  return (
    <div className="bars" aria-hidden="true">
      {parts.map(([name, value]) => (
        <div key={name} className="bars-line">
          <span>{name}</span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none">
            <rect className="bar" width={(value / highest) * 100} height="8" />
          </svg>
          <span>{inGroups(value)}</span>
        </div>
      ))}
    </div>
  );
}

/** From Monday, which PostgreSQL counts as 1. */
const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
export const nameOfWeekday = (weekday: number): string => weekdays[weekday - 1] ?? "";
const allHours = Array.from({ length: 24 }, (_, hour) => hour);

/** Hours by weekdays as a table with shaded cells, so that a screen reader can read it and a printer print it. */
export function HoursTable<What extends string>({
  hours,
  what,
  name = what,
}: {
  hours: readonly ({ weekday: number; hour: number } & Record<What, number>)[];
  what: What;
  /** What is counted, in words. */
  name?: string;
}) {
  const highest = Math.max(1, ...hours.map((cell) => cell[what]));
  const valueAt = (weekday: number, hour: number) =>
    hours.find((cell) => cell.weekday === weekday && cell.hour === hour)?.[what] ?? 0;
  return (
    <ScrollingTable name={`${name} by hour and weekday`}>
      <table className="hours">
        <caption className="visually-hidden hours-caption">{name} by hour and weekday</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Weekday</span>
            </th>
            {allHours.map((hour) => (
              <th key={hour} scope="col">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdays.map((weekday, nth) => (
            <tr key={weekday}>
              <th scope="row">{weekday}</th>
              {allHours.map((hour) => (
                <HourCell key={hour} value={valueAt(nth + 1, hour)} highest={highest} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollingTable>
  );
}

/** Five shades; a number that is not 0 stands in its cell, from a thousand on as "5.4K", because a cell has no place for more. */
function HourCell({ value, highest }: { value: number; highest: number }) {
  const shade = value === 0 ? 0 : Math.ceil((value / highest) * 4);
  return <td className={`shade-${shade}`}>{value > 0 ? short(value) : ""}</td>;
}

const short = (value: number) =>
  value < 1_000 ? value : value.toLocaleString("en-US", { notation: "compact" });
