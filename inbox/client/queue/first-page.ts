// The request for the first page of the queue without a filter. It has its own file, because first-requests.ts sends it before the
// pages' main script is loaded.
import type { RequestOf } from "../../api.ts";

export type Filter = NonNullable<RequestOf<"queue">["filter"]>;
export const noFilter: Filter = {};

/** Whether a filter leaves anything out. */
export const isFiltered = (filter: Filter): boolean => Object.keys(filter).some((key) => key !== "zone");

/** A search's filter without what the queue cannot be filtered by: `stage`, because it has no closed leads. */
export function queueFilter({ stage: _, ...filter }: Filter): Filter {
  return filter;
}

/** `limit` is the rows on a page. */
export const firstPage: { filter: Filter; after: string | null; limit: number } = {
  filter: noFilter,
  after: null,
  limit: 50,
};
