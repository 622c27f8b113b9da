// A message in the page: what went wrong, what to know, what was done.
import type { ReactNode } from "react";
import { failureSentence, firstFailureSentence } from "./failure.ts";
import { Icon } from "./icon.tsx";

type Kind = "trouble" | "caution" | "done" | "plain";

/** Trouble is said at once by a screen reader. */
export function Notice({ kind = "plain", children }: { kind?: Kind; children: ReactNode }) {
  const icons = { trouble: "warning", caution: "warning", done: "check", plain: "info" } as const;
  return (
    <div className={`notice ${kind}`} role={kind === "trouble" ? "alert" : undefined}>
      <Icon name={icons[kind]} />
      <div>{children}</div>
    </div>
  );
}

/** What became of an action that failed; nothing when it did not. */
export function FailureNotice({ error }: { error: Error | null }) {
  return error && <Notice kind="trouble">{failureSentence(error)}</Notice>;
}

interface LoadingProps {
  error: Error | null;
  /** Whether the content is on screen, from an earlier answer. */
  isLoaded: boolean;
  /** Whether an earlier choice's content is on screen meanwhile. */
  isOtherShown?: boolean;
}

/** Stands above a page's content: says that it is not loaded yet, that it cannot be, or that what is on screen may be out of date. */
export function Loading({ error, isLoaded, isOtherShown }: LoadingProps) {
  if (!error) return isLoaded ? null : <p className={`loading ${isOtherShown ? "" : "alone"}`}>Loading…</p>;
  return (
    <Notice kind="trouble">
      {isLoaded && "What stands here may be out of date. "}
      {failureSentence(error)}
    </Notice>
  );
}

/** Stands alone before anything was answered. Says a temporary failure, too: it is retried, and never becomes an `error`. */
export const FirstLoad = ({ failure }: { failure: Error | null }) => (
  <p className="loading first" role="status">
    {failure ? firstFailureSentence(failure) : "Loading…"}
  </p>
);
