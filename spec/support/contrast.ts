// How well a colour is told from the one beside it, and which colours lie beside the ring around what has the focus.
import type { Page } from "playwright-core";

/** The ring around what has the focus, and the colours beside it: the nearest background that is painted, and the glow within the ring. */
export const focusRing = (page: Page): Promise<{ name: string; ring: string; behind: string[] }> =>
  page.evaluate(() => {
    const one = document.activeElement as HTMLInputElement;
    const { outlineColor, boxShadow } = getComputedStyle(one);
    let around = one.parentElement;
    const fill = () => (around ? getComputedStyle(around).backgroundColor : "");
    while (around && fill() === "rgba(0, 0, 0, 0)") around = around.parentElement;
    const glow = /^rgb\([^)]*\)/.exec(boxShadow)?.[0];
    return {
      name: one.name || one.textContent || "",
      ring: outlineColor,
      behind: [fill(), glow].filter((colour) => colour !== undefined),
    };
  });

/** The contrast of two opaque colours, as WCAG defines it. */
export function contrast(...colours: [string, string]): number {
  const [darker = 0, lighter = 0] = colours.map(luminance).sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour)?.slice(1);
  if (!parts) throw new Error(`${colour} is no opaque colour`);
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
