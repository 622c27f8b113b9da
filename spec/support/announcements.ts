// What a page says to a screen reader.
import type { Page } from "playwright-core";

/** Runs in the page before its own scripts. The page removes an announcement after some seconds, maybe before the test looks. */
export function recordAnnouncements(): void {
  const said: string[] = [];
  Object.assign(window, { said });
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      if (target instanceof Element && target.matches("[role=status]"))
        for (const added of addedNodes) said.push(added.textContent ?? "");
  }).observe(document, { childList: true, subtree: true });
}

/** What a page that was opened by `openAs` has said to a screen reader since it was loaded. */
export const said = (page: Page) => page.evaluate(() => Reflect.get(window, "said") as string[]);
