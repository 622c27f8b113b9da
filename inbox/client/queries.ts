// The API's calls as React queries and actions. Each of them fails with a CallFailed.
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { CallName, RequestOf, ResponseOf } from "../api.ts";
import { CallFailed, callApi } from "./call-api.ts";
import { mayBeDone } from "./page/failure.ts";
import { reportLostChange } from "./page/lost-changes.ts";
import { noteFailure } from "./session.ts";

const onError = (error: Error) => {
  if (error instanceof CallFailed) noteFailure(error, queries);
};

/** A failure that may pass by itself is retried until it has passed; any other is an answer. */
export const isTemporary = (error: Error): boolean =>
  error instanceof CallFailed && (error.why === "offline" || error.why === "database unreachable");

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // The browser's own idea of being online is often wrong; the calls find out.
      networkMode: "always",
      retry: (_, error) => isTemporary(error),
      retryDelay: 2_000,
      staleTime: 5_000,
      throwOnError: (error) => !(error instanceof CallFailed),
    },
    mutations: { networkMode: "always", retry: false },
  },
});

type Options<Name extends CallName> = Omit<UseQueryOptions<ResponseOf<Name>, Error>, "queryKey" | "queryFn">;

/** Asks the API. The answer on screen is asked for again as the options say, and by `refresh`. */
export const useCall = <Name extends CallName>(
  name: Name,
  request: RequestOf<Name>,
  options: Options<Name> = {},
): UseQueryResult<ResponseOf<Name>, Error> =>
  useQuery({
    queryKey: [name, request],
    queryFn: ({ signal }) => callApi(name, request, signal),
    ...options,
  });

/** Asks ahead for what a page will ask for. Settles when the answer or a failure is there. */
export const prefetch = <Name extends CallName>(name: Name, request: RequestOf<Name>): Promise<void> =>
  queries.prefetchQuery({
    queryKey: [name, request],
    queryFn: () => callApi(name, request),
    retry: false,
  });

export interface Action<Name extends CallName>
  extends Omit<UseMutationResult<ResponseOf<Name>, Error, RequestOf<Name>>, "mutate" | "mutateAsync"> {
  /** Returns false where it does nothing, because the answer to an earlier press is not here. */
  mutate(request: RequestOf<Name>, then?: Then<Name>): boolean;
}

interface Then<Name extends CallName> {
  onSuccess?(answer: ResponseOf<Name>): void;
  onSettled?(): void;
}

/**
 * A change that the member makes; it is never retried by itself, and a press before the answer to an earlier one is here does nothing,
 * because a second answer would take the place of the first. `then` is called even when the component that asked is no longer on
 * the page, because the event of a change often arrives before its answer.
 */
export function useAction<Name extends CallName>(name: Name): Action<Name> {
  const { mutateAsync, ...mutation } = useMutation({
    mutationFn: (request: RequestOf<Name>) => callApi(name, request),
  });
  const isUnderWay = useRef(false);
  const isOnPage = useIsOnPage();
  const send = async (request: RequestOf<Name>, { onSuccess, onSettled }: Then<Name> = {}) => {
    let failure: unknown;
    const answer = await mutateAsync(request).catch((error) => {
      failure = error;
    });
    isUnderWay.current = false;
    const isDone = answer !== undefined && !(typeof answer === "object" && "refused" in answer);
    // Nobody sees the failure on a page that was left. Where it was left because the session was locked or ended, the member is told after the
    // next sign-in.
    if (!isDone && !isOnPage.current)
      reportLostChange(name, request, { mayBeDone: answer === undefined && mayBeDone(failure) });
    if (answer !== undefined) onSuccess?.(answer);
    onSettled?.();
  };
  const mutate: Action<Name>["mutate"] = (request, then) => {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    void send(request, then);
    return true;
  };
  return { ...mutation, mutate } as Action<Name>;
}

/** Whether the component is still on the page. */
function useIsOnPage() {
  const isOnPage = useRef(true);
  useEffect(() => {
    isOnPage.current = true;
    return () => {
      isOnPage.current = false;
    };
  }, []);
  return isOnPage;
}

/** How the action that was begun last has failed; null where it has not, even if an earlier one had. */
export const failureOfLatest = (
  ...actions: Pick<Action<CallName>, "submittedAt" | "error">[]
): Error | null =>
  actions.reduce((latest, action) => (action.submittedAt > latest.submittedAt ? action : latest)).error;

/**
 * Repeats these calls wherever their answers are on screen. An answer on the way is shown first, because one that comes slowly would never
 * be shown while events, or presses of a key, follow each other closely.
 */
export function refresh(...names: CallName[]): void {
  for (const { promise, queryKey } of names.flatMap(queriesOf)) {
    const again = () => queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
    void Promise.allSettled([promise]).then(again);
  }
}

/**
 * Repeats these calls after a change that the member made. An answer on the way is not shown: it may be older than the change, which
 * would then vanish and come back, and a key pressed meanwhile would be lost.
 */
export function refreshAfterChange(...names: CallName[]): void {
  for (const { state, promise, queryKey } of names.flatMap(queriesOf)) {
    const again = () => queries.invalidateQueries({ queryKey, exact: true });
    // React Query goes on with a first load, whatever is asked for meanwhile.
    if (state.data === undefined) void Promise.allSettled([promise]).then(again);
    else void again();
  }
}

const queriesOf = (name: CallName) => queries.getQueryCache().findAll({ queryKey: [name] });
