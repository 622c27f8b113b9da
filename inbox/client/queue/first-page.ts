// The request for the first page of the queue without a filter. It has its own file, because first-requests.ts sends it before the
// pages' main script is loaded.
import type { RequestOf } from "../../api.ts";

export type Filter = NonNullable<RequestOf<"queue">["filter"]>;
export const noFilter: Filter = {};

/** `limit` is the rows on a page. */
export const firstPage: { filter: Filter; after: string | null; limit: number } = {
  filter: noFilter,
  after: null,
  limit: 50,
};
