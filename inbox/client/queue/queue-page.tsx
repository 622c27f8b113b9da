// The queue: who is to be called next, who may be called now, and who has to wait. It comes up to date by itself.
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ResponseOf } from "../../api.ts";
import { announce } from "../page/announcer.tsx";
import type { SignedIn } from "../page/frame.tsx";
import { Loading } from "../page/notice.tsx";
import { PageHeading } from "../page/page-heading.tsx";
import { Pager } from "../page/pager.tsx";
import { count } from "../page/words.ts";
import { queries, refresh, useCall } from "../queries.ts";
import { type Filter, firstPage, isFiltered, queueFilter } from "./first-page.ts";
import { useListState } from "./list-state.ts";
import { QueueFilters } from "./queue-filters.tsx";
import { QueueList } from "./queue-list.tsx";
import { SearchField } from "./search-field.tsx";
import { TakeNextButton } from "./take-next.tsx";

/** Milliseconds between two loads: the clock alone moves a lead to another group or ends a claim, and no event says so. */
const loadInterval = 30_000;

export function QueuePage({ member }: { member: SignedIn }) {
  const [{ words, filter, starts }, change] = useListState(member.id);
  const isSearch = words !== "";
  const page = { ...firstPage, filter, after: starts.at(-1) ?? null };
  // During a search, for the numbers above it.
  const queue = useQueue(isSearch ? firstPage : page);
  const found = useSearch(words, page);
  const { data, error, isPlaceholderData } = isSearch ? found : queue;
  const counts = queue.data?.counts;
  const filterBy = (next: Filter) => {
    // What matches a filter may have changed since it was chosen last.
    forgetFound("inactive");
    change({ filter: next, starts: [null] });
  };
  const search = (next: string) => {
    // Words that were typed and removed again leave the page of the queue on screen.
    if (!isSearch && next === "") return;
    // The same words sent again search anew. The way back from a lead, or to an earlier page, shows the earlier rows.
    if (isSearch && next === words) refresh("search");
    else forgetFound("all");
    change({ words: next, filter: next === "" ? queueFilter(filter) : filter, starts: [null] });
  };
  return (
    <>
      <div className="page-top">
        <div>
          <PageHeading title="Leads">Leads</PageHeading>
          {counts && <QueueSummary {...counts} />}
        </div>
        <TakeNextButton />
      </div>
      <SearchField words={words} onSearch={search} />
      <QueueFilters filter={filter} counts={counts} isSearch={isSearch} onChange={filterBy} />
      {/* The rows of the filter or page before stay until the new ones come. */}
      <Loading
        error={error}
        isLoaded={data !== undefined && !isPlaceholderData}
        isOtherShown={isPlaceholderData}
      />
      {data && (
        <>
          <QueueList
            rows={data.rows}
            counts={isFiltered(filter) ? undefined : counts}
            member={member}
            of={kindOfList(isSearch, isFiltered(filter), starts.length > 1)}
          />
          <Pager
            list="the list"
            names={["Earlier page", "Next page"]}
            starts={starts}
            next={data.next}
            isTurning={isPlaceholderData}
            onTurn={(to) => change({ starts: to })}
          />
        </>
      )}
    </>
  );
}

/** Makes later searches ask the server. "inactive": what is on screen stays. */
const forgetFound = (type: "all" | "inactive") => queries.removeQueries({ queryKey: ["search"], type });

function kindOfList(isSearch: boolean, isFiltered: boolean, isLaterPage: boolean) {
  if (isSearch && isLaterPage) return "later page of a search";
  if (isSearch) return isFiltered ? "filtered search" : "search";
  if (isLaterPage) return "later page";
  return isFiltered ? "filter" : "queue";
}

/** The queue, asked for again and again while it is on screen. */
const useQueue = (page: typeof firstPage) =>
  useCall("queue", page, { placeholderData: keepPreviousData, refetchInterval: loadInterval });

/**
 * What a search finds. It is asked once, because each search is an act of the member that the audit log notes; what changes
 * afterwards is loaded by the call `rows`, which the audit log does not note.
 */
function useSearch(text: string, page: typeof firstPage) {
  const isAsked = text !== "";
  const { data, dataUpdatedAt, error, isPlaceholderData } = useCall(
    "search",
    { text, ...page },
    {
      // Rows stay while a page is turned, but not those of other words.
      placeholderData: (data, before) =>
        (before?.queryKey[1] as { text?: string } | undefined)?.text === text ? data : undefined,
      enabled: isAsked,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
    },
  );
  // Also where the same words find the same again.
  useEffect(() => {
    if (!isAsked || !data || isPlaceholderData || dataUpdatedAt === 0) return;
    announce(foundSentence(data, page.after));
  }, [isAsked, data, dataUpdatedAt, isPlaceholderData, page.after]);
  const ids = data?.rows.map(({ id }) => id) ?? [];
  const live = useCall(
    "rows",
    { ids },
    { enabled: isAsked && ids.length > 0, staleTime: 0, gcTime: 0, refetchInterval: loadInterval },
  );
  // Without the leads that were erased since.
  const rows = live.data?.rows ?? data?.rows ?? [];
  return { data: data && { ...data, rows }, error, isPlaceholderData };
}

/** What a page of a search holds. How many were found in all is known only where one page holds them. */
function foundSentence({ rows, next }: Pick<ResponseOf<"search">, "rows" | "next">, after: string | null) {
  if (rows.length === 0) return after === null ? "Nobody is found." : "Nobody is on this page any more.";
  if (after === null && next === null) return `${count(rows.length, "lead")} found.`;
  return `${count(rows.length, "lead")} on this page${next === null ? "" : ", and more on the next"}.`;
}

type Counts = Record<"callback_due" | "callable" | "not_callable" | "late", number>;

function QueueSummary({ callback_due, callable, late }: Counts) {
  const waiting = callback_due + callable;
  return (
    <p className="summary">
      {waiting === 0 ? "Nobody may be called right now" : `${count(waiting, "person", "people")} to call now`}
      {late > 0 && <span className="late">{count(late, "lead")} late</span>}
    </p>
  );
}
