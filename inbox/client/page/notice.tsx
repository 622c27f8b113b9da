// A message in the page: what went wrong, what to know, what was done.
import type { ReactNode } from "react";
import { failureSentence } from "./failure.ts";
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

/** What stands where a page's content is not loaded yet, or cannot be. */
export function Loading({ error }: { error: Error | null }) {
  return error ? <FailureNotice error={error} /> : <p className="loading">Loading…</p>;
}
