// Whether the member is signed in, locked or signed out, as the server's answers say it, in every tab at once.
import type { QueryClient } from "@tanstack/react-query";
import type { CallFailed } from "./call-api.ts";
import { dropDrafts } from "./page/drafts.ts";
import { forgetLostChanges } from "./page/lost-changes.ts";
import { makeSharedValue, useSharedValue } from "./page/shared-value.ts";
import { dropListStates } from "./queue/list-state.ts";

export type SessionState = "unknown" | "signed in" | "locked" | "signed out";

const state = makeSharedValue<SessionState>(() => "unknown");
const tabs = new BroadcastChannel("inbox-session");

export const useSessionState = (): SessionState => useSharedValue(state);
export const sessionState = (): SessionState => state.get();

/** Whose drafts are kept while the session is locked or has ended. */
let memberOfDrafts = "";

/** Forgets what was typed, when a session was ended on purpose or another member signs in. */
function dropTyped(): void {
  dropDrafts();
  dropListStates();
  forgetLostChanges();
}

/** A member is signed in. What another member typed at this screen is dropped, and a reload removes that member's pages from the screen. */
export function noteMember(id: string): void {
  if (memberOfDrafts && memberOfDrafts !== id) {
    dropTyped();
    if (state.get() === "signed in") location.reload();
  }
  memberOfDrafts = id;
  isLeaving = false;
  state.set("signed in");
}

/** Who is signed in, and how one can sign in: neither holds anything about a lead. */
const askedWithoutSession = ["me", "sign-in/methods"];

let isLeaving = false;

/** The member signs out: what was typed goes when the session has ended, also where the answer is lost. */
export const noteLeaving = (): void => void (isLeaving = true);

/** Reads a failed call for what it says of the session. What the page has loaded goes; what was typed stays until the member signs out. */
export function noteFailure({ why }: Pick<CallFailed, "why">, queries: QueryClient): void {
  const next = why === "signed out" || why === "locked" ? why : undefined;
  if (next === "signed out" && isLeaving) dropTyped();
  if (!next || state.get() === next) return;
  state.set(next);
  // Later, when the pages have left the screen, because they would load again what is removed. What the sign-in page and the lock screen
  // ask for stays.
  queueMicrotask(() =>
    queries.removeQueries({
      predicate: ({ queryKey }) => !askedWithoutSession.includes(String(queryKey[0])),
    }),
  );
}

/** The member has signed out here. What was typed goes in every tab, also where an answer came meanwhile that names the member. */
export function noteSignedOut(queries: QueryClient): void {
  noteLeaving();
  tabs.postMessage("left");
  noteFailure({ why: "signed out" }, queries);
}

/** Makes every other tab check the session again. */
export const notifyTabs = (): void => tabs.postMessage("check");
export function followTabs(onNotified: () => void): () => void {
  const onMessage = ({ data }: MessageEvent<"check" | "left">) => {
    if (data === "left") {
      noteLeaving();
      // At once, because the member may have signed in again by the time this tab asks.
      dropTyped();
    }
    onNotified();
  };
  tabs.addEventListener("message", onMessage);
  return () => tabs.removeEventListener("message", onMessage);
}
