// The request for the first page of the queue without a filter. It has its own file, because first-requests.ts sends it before the
// pages' main script is loaded.
import type { RequestOf } from "../../api.ts";

export type Filter = NonNullable<RequestOf<"queue">["filter"]>;
export const noFilter: Filter = {};

/** Whether a filter leaves anything out. */
export const isFiltered = (filter: Filter): boolean => Object.keys(filter).some((key) => key !== "zone");

/** The outcomes after which a lead stays in the queue. The others are found by a search. */
export const openOutcomes: ReadonlySet<string> = new Set(["callback", "no_answer", "left_message"]);

/** A search's filter for the queue: without the stage, which only a search can choose, and without an outcome that only closed leads have. */
export function queueFilter({ stage: _, outcome, ...filter }: Filter): Filter {
  return outcome && openOutcomes.has(outcome) ? { ...filter, outcome } : filter;
}

/** `limit` is the rows on a page. */
export const firstPage: { filter: Filter; after: string | null; limit: number } = {
  filter: noFilter,
  after: null,
  limit: 50,
};
