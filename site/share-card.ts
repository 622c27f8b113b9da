// The share card: a PNG of 1200×630 for those who pass the article on, with the label and the sponsor's name
// on it, beside the drawing or the operator's photo. The words are outlines, because a fresh machine has no fonts.
import { readFileSync } from "node:fs";
import type { ProviderSettings } from "../config/config.ts";
import { headline, label } from "../content/article.ts";
import { completeProvider } from "../content/provider.ts";
import { rendererModule } from "./renderer.ts";

/** Draws the card, as a PNG. `photo` is the operator's picture file, which then takes the drawing's half. */
export async function drawShareCard(
  settings: ProviderSettings,
  photo: string | undefined,
  folder?: string,
): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  const picture = photo ? await sharp(photo).autoOrient().resize(600, 630).toBuffer() : await drawing(folder);
  const { name } = completeProvider(settings).provider;
  const payer = `Paid for by ${name}`;
  const lines = wrap(headline, 15);
  const payers = textWidth(payer, 25) > 500 ? wrap(payer, 36) : [payer];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">
    <rect width="1200" height="630" fill="#fbf8f1"/>
    <rect x="56" y="56" width="${textWidth(label, 30) + 40}" height="58" fill="#0c4a43"/>
    ${text(label, 76, 96, 30, "#ffffff")}
    ${lines.map((line, index) => text(line, 56, 196 + index * 68, 60, "#1c2321")).join("")}
    ${payers.map((line, index) => text(line, 56, 580 - (payers.length - 1 - index) * 36, Math.min(28, (28 * 500) / textWidth(line, 28)), "#1c2321")).join("")}
  </svg>`;
  return sharp(Buffer.from(svg))
    .composite([{ input: picture, left: 600, top: 0 }])
    .png({ palette: true, quality: 90 })
    .toBuffer();
}

async function drawing(folder?: string): Promise<Buffer> {
  const { renderDrawing } = await rendererModule(folder);
  const place = '<svg width="600" height="630" preserveAspectRatio="xMidYMid slice" ';
  return Buffer.from(renderDrawing().replace("<svg ", place).replace("0 0 960 600", "305 0 571 600"));
}

/** By letter: how far it moves the pen, and its outline, in thousandths of the letter's size. */
const letters: Record<string, [number, string]> = JSON.parse(
  readFileSync(new URL("./share-card-letters.json", import.meta.url), "utf8"),
);
// A letter with a mark that has no outline here is drawn without its mark.
const letter = (character: string): [number, string] =>
  letters[character] ?? letters[character.normalize("NFD")[0] ?? ""] ?? letters["?"] ?? [500, ""];

function text(words: string, x: number, y: number, size: number, fill: string): string {
  let pen = 0;
  const outlines = [...words].map((character) => {
    const [advance, outline] = letter(character);
    const drawn = `<path transform="translate(${pen} 0)" d="${outline}"/>`;
    pen += advance;
    return drawn;
  });
  const scale = size / 1000;
  return `<g fill="${fill}" transform="translate(${x} ${y}) scale(${scale} ${-scale})">${outlines.join("")}</g>`;
}

const textWidth = (words: string, size: number) =>
  [...words].reduce((width, character) => width + letter(character)[0], 0) * (size / 1000);

/** Lines of at most so many letters, broken between words. */
function wrap(words: string, most: number): string[] {
  const lines = [""];
  for (const word of words.split(" ")) {
    const last = lines.length - 1;
    const longer = `${lines[last]} ${word}`.trim();
    if (longer.length > most && lines[last]) lines.push(word);
    else lines[last] = longer;
  }
  return lines;
}
