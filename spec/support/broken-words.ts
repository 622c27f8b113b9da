// The words of a page that do not stand on one line, or whose marks do not stand beside them.
import type { Page } from "playwright-core";

/** Words that the page breaks within, as seen: a part of a word stands below another part. A word ends at a hyphen, where a line may end. */
export const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isBroken = (text: Text, at: number, length: number) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + length);
      const parts = [...range.getClientRects()];
      // The first letter of a text may be larger, and is then a part of its own beside the others.
      return parts.some((one) => parts.some((other) => one.top >= other.bottom - 1));
    };
    const broken: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}]+/gu))
        if (isBroken(text, index, word.length)) broken.push(word);
    }
    return broken;
  });

/** Words whose mark, such as a full stop, stands apart on a line below: each with its mark. */
export const strayMarks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const placeOf = (text: Text, at: number) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect();
    };
    const stray: string[] = [];
    let before: Text | undefined;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      const isMark = before !== undefined && /\S$/.test(before.data) && /^[.,;:)]/.test(text.data);
      if (before && isMark && placeOf(text, 0).top >= placeOf(before, before.length - 1).bottom - 1)
        stray.push(`${before.data}${text.data.slice(0, 1)}`);
      before = text;
    }
    return stray;
  });
