// Shown in place of a page that failed: its script could not be loaded, because the network was down or the server has a newer
// build, or the page has a bug. The navigation stays on screen, and what was typed on other pages is kept.
import { Component, type ReactNode } from "react";
import { tryFailedPagesAgain } from "./lazy-page.tsx";
import { Notice } from "./notice.tsx";
import { PageHeading } from "./page-heading.tsx";

interface Props {
  /** The page's address. When another page is shown, the failed one is tried again the next time that it is opened. */
  path: string;
  children: ReactNode;
}

interface State {
  /** The address of the page that failed; empty until the next render notes it, because an error does not say it. */
  failedAt: string | undefined;
  /** The address of the page that was shown last. */
  shownAt: string | undefined;
}

export class PageFailure extends Component<Props, State> {
  override state: State = { failedAt: undefined, shownAt: undefined };

  static getDerivedStateFromError(): Partial<State> {
    return { failedAt: "" };
  }

  static getDerivedStateFromProps({ path }: Props, { failedAt, shownAt }: State): State {
    // Also pages that failed unseen, after the member left them.
    if (path !== shownAt) tryFailedPagesAgain();
    if (failedAt === "") return { failedAt: path, shownAt: path };
    return { failedAt: failedAt === path ? failedAt : undefined, shownAt: path };
  }

  override render(): ReactNode {
    return this.state.failedAt === undefined ? this.props.children : <Failed />;
  }
}

function Failed() {
  return (
    <>
      <PageHeading title="Not loaded">This page could not be loaded</PageHeading>
      <Notice kind="trouble">
        There was no connection, or the inbox has been brought up to date since you opened it. Load it again.
        If it stays like this, tell your operator.
      </Notice>
      <button type="button" className="button primary" onClick={() => location.reload()}>
        Load the inbox again
      </button>
    </>
  );
}
