// One report: a heading, a picture where one helps, the table behind it, and that table as CSV.

import type { ReactNode } from "react";
import { ScrollingTable } from "../page/scrolling-table.tsx";
import { dayInWords } from "../page/times.ts";
import { inGroups } from "../page/words.ts";
import { saveTable } from "./save-csv.ts";

type Cell = string | number;

interface Props {
  title: string;
  /** The name of the CSV file, without its ending. */
  file: string;
  /** The cells of the column "Day" have the form YYYY-MM-DD: the CSV keeps it, and the table shows the days in words. */
  columns: readonly string[];
  lines: readonly (readonly Cell[])[];
  /** What stands above the table: a picture of it, or what it comes to. Nothing that a reader of the table alone must know. */
  children?: ReactNode;
  /** Sentences that a reader of the table must know. They stand below it, or above it where it is folded, and are the last lines of the CSV. */
  notes?: readonly string[];
  /** A table of its own with the same cells, such as one that can be sorted. */
  ownTable?: ReactNode;
  /** Folds the table up below its picture. */
  isFolded?: boolean;
}

export function ReportSection(props: Props) {
  const { title, file, columns, lines, children, notes = [], ownTable, isFolded = false } = props;
  const id = `report-${file}`;
  const table = ownTable ?? <ReportTable title={title} columns={columns} lines={lines} />;
  return (
    <section className="card report" aria-labelledby={id}>
      <div className="report-top">
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className="button quiet no-print"
          onClick={() => saveTable(`${file}.csv`, [columns, ...lines, ...notes.map((note) => [note])])}
        >
          CSV<span className="visually-hidden"> of {title}</span>
        </button>
      </div>
      {lines.length === 0 ? <p className="quiet">Nothing in these days.</p> : children}
      {lines.length > 0 && !isFolded && table}
      {notes.map((note) => (
        <p key={note} className="quiet">
          {note}
        </p>
      ))}
      {lines.length > 0 && isFolded && (
        <details>
          <summary>Table</summary>
          {table}
        </details>
      )}
    </section>
  );
}

/** A number, an amount such as "$1,204.50", or a share that is written out, such as "12.5%". */
const isFigure = (cell: Cell | undefined): boolean =>
  typeof cell === "number" || /^\$?[\d.,]{1,16}%?$/.test(cell ?? "");

/** The column tells what is a day. The text does not, because a campaign may be named 2026-12-31, or 2026-31-12, which is no day. */
function shown(cell: Cell | undefined, column: string | undefined): ReactNode {
  if (typeof cell === "number") return inGroups(cell);
  if (!cell || column !== "Day") return cell;
  return <time dateTime={cell}>{dayInWords(cell)}</time>;
}

/** The first cell with something in it, which tells what the column holds. */
const firstOf = (lines: Props["lines"], column: number) =>
  lines.find((cells) => cells[column] !== "")?.[column];

function ReportTable({ title, columns, lines }: Pick<Props, "title" | "columns" | "lines">) {
  return (
    <ScrollingTable name={title}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            {columns.map((column, nth) => (
              <th
                key={column}
                scope="col"
                className={isFigure(firstOf(lines, nth)) ? "number-cell" : undefined}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([first, ...cells], nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a report never move.
            <tr key={nth}>
              <th scope="row">{shown(first, columns[0])}</th>
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do its columns.
                <td key={column} className={isFigure(cell) ? "number-cell" : undefined}>
                  {shown(cell, columns[column + 1])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollingTable>
  );
}
