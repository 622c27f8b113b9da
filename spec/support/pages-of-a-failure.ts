// What stands on the browser's pages when a test has failed, for whoever looks for the cause: it may pass the next time.
import type { Browser, Page } from "playwright-core";

/** Prints each open page as a screen reader has it, with what stands in its fields. Never rejects. */
export async function printPages(browser: Browser, title: string): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  const texts = await Promise.all(pages.map(contentsOf));
  console.error([`The pages when this failed: ${title}`, ...texts].join("\n\n"));
}

/** The time limit is short, because a page may be the one that hangs. */
const contentsOf = (page: Page): Promise<string> =>
  page
    .locator("body")
    .ariaSnapshot({ timeout: 5_000 })
    .then(
      (snapshot) => `${page.url()}\n${snapshot}`,
      (error: Error) => `${page.url()}: ${error.message}`,
    );
