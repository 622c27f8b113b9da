// The campaigns as a table that can be sorted by each of its columns: loads, leads, their share with its range, and what each cost.

import { useState } from "react";
import { botsInWords, erasedLeadsInWords } from "../../../campaigns/notes-in-words.ts";
import type { Campaigns } from "../../api-campaigns.ts";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { dayInWords } from "../page/times.ts";
import { inGroups } from "../page/words.ts";
import { type CampaignLine, costPer, money, rateInWords } from "./campaign-words.ts";
import { ReportSection } from "./report-section.tsx";

interface Column {
  name: string;
  /** The value to sort by; null comes last. */
  value(line: CampaignLine): string | number | null;
  /** What the cell shows, unless it is the value. */
  shown?(line: CampaignLine): string;
}

const cents = (name: string, value: (line: CampaignLine) => number | null): Column => ({
  name,
  value,
  shown: (line) => {
    const amount = value(line);
    return amount === null ? "" : money(amount);
  },
});

const columns: Column[] = [
  { name: "Campaign", value: ({ campaign }) => campaign || "None" },
  { name: "Source", value: ({ source }) => source || "None" },
  { name: "Medium", value: ({ medium }) => medium || "None" },
  { name: "Loads", value: ({ views }) => views },
  { name: "Leads", value: ({ stored }) => stored },
  {
    name: "Leads of 100 loads",
    value: ({ stored, views }) => (views > 0 ? stored / views : null),
    shown: rateInWords,
  },
  { name: "Reviewed", value: ({ reviewed }) => reviewed },
  { name: "Likely qualify", value: ({ qualified }) => qualified },
  cents("Cost in US dollars", ({ cost_cents }) => cost_cents || null),
  cents("A lead", (line) => costPer(line, line.stored)),
  cents("A reviewed one", (line) => costPer(line, line.reviewed)),
  cents("One that qualifies", (line) => costPer(line, line.qualified)),
];

interface Order {
  column: string;
  isDescending: boolean;
}

type Props = Pick<Campaigns, "campaigns" | "devices" | "leads_erased_before">;

/** The notes below the table count the bots, which it leaves out. Print and the end of the CSV have the notes too. */
export function CampaignTable({ campaigns, devices, leads_erased_before: day }: Props) {
  const [order, setOrder] = useState<Order>({ column: "Loads", isDescending: true });
  const sorted = inOrder(campaigns, order);
  const lines = sorted.map((line) => columns.map((column) => textOf(column, line)));
  return (
    <ReportSection
      title="Campaigns"
      file="campaigns"
      columns={columns.map(({ name }) => name)}
      lines={lines}
      notes={[
        "The range in brackets holds the true share in 95 of 100 cases. Costs are in US dollars.",
        ...(day === null ? [] : [erasedLeadsInWords(dayInWords(day))]),
        botsInWords(devices.find(({ device }) => device === "bot") ?? noBots),
      ]}
      ownTable={
        <SortedTable lines={sorted} order={order} onSort={(column) => setOrder(nextOrder(order, column))} />
      }
    />
  );
}

const noBots = { views: 0, served: 0, stored: 0 };

/** The same column again reverses the order; another column begins with its largest number, or with A. */
const nextOrder = (order: Order, { name }: Column): Order => ({
  column: name,
  isDescending: order.column === name ? !order.isDescending : !wordColumns.has(name),
});

const wordColumns = new Set(["Campaign", "Source", "Medium"]);

function inOrder(campaigns: readonly CampaignLine[], { column: name, isDescending }: Order): CampaignLine[] {
  const column = columns.find((one) => one.name === name) as Column;
  return [...campaigns].sort((one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const ascending =
      typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return isDescending ? -ascending : ascending;
  });
}

function textOf(column: Column, line: CampaignLine): string | number {
  return column.shown?.(line) ?? column.value(line) ?? "";
}

interface TableProps {
  lines: readonly CampaignLine[];
  order: Order;
  onSort(column: Column): void;
}

function SortedTable({ lines, order, onSort }: TableProps) {
  const directionOf = ({ name }: Column) =>
    order.column === name ? (order.isDescending ? "descending" : "ascending") : "none";
  return (
    <ScrollingTable name="Campaigns">
      <table className="wide-table">
        <caption className="visually-hidden">Campaigns; the columns can be sorted</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                aria-sort={directionOf(column)}
                className={wordColumns.has(column.name) ? undefined : "number-cell"}
              >
                <button type="button" className="sort" onClick={() => onSort(column)}>
                  {column.name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <CampaignRow key={JSON.stringify([line.source, line.medium, line.campaign])} line={line} />
          ))}
        </tbody>
      </table>
    </ScrollingTable>
  );
}

function CampaignRow({ line }: { line: CampaignLine }) {
  const [first, ...others] = columns as [Column, ...Column[]];
  return (
    <tr>
      <th scope="row">{textOf(first, line)}</th>
      {others.map((column) => {
        const text = textOf(column, line);
        return (
          <td key={column.name} className={wordColumns.has(column.name) ? undefined : "number-cell"}>
            {typeof text === "number" ? inGroups(text) : text}
          </td>
        );
      })}
    </tr>
  );
}
