// What the queue asks for when nobody has narrowed it or turned a page. In a file of its own, because it is asked for before the
// pages' script is there (first-requests.ts).
import type { RequestOf } from "../../api.ts";

export type Filter = NonNullable<RequestOf<"queue">["filter"]>;
export const noFilter: Filter = {};

/** `limit` is the rows on a page. */
export const firstPage: { filter: Filter; after: string | null; limit: number } = {
  filter: noFilter,
  after: null,
  limit: 50,
};
