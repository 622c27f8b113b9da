// The share card: a PNG of 1200×630 for those who pass the article on, with the label and the sponsor's name
// on it, beside the drawing or the operator's photo. Its font comes with it, because a fresh machine has none.
import { fileURLToPath } from "node:url";
import { type LanguageCode, textsIn } from "../content/languages.ts";
import { completeProvider, type ProviderSettings, withProvider } from "../content/provider.ts";
import { rendererModule } from "./renderer.ts";

export interface ShareCard {
  language: LanguageCode;
  provider: ProviderSettings;
  /** The operator's picture file, which then takes the drawing's half. */
  photo: string | undefined;
}

/** Draws the card, as a PNG. `folder` is that of the build to take the drawing from, when it is not the current one. */
export async function drawShareCard(card: ShareCard, folder?: string): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  const { label, headline, paidFor } = textsIn(card.language).article;
  const picture = card.photo
    ? await sharp(card.photo).autoOrient().resize(600, 630).toBuffer()
    : await drawing(folder);
  const [labelImage, headlineImage, payerImage] = await Promise.all([
    textImage({ text: label, colour: "#ffffff", size: 30, width: 440 }),
    textImage({ text: headline, colour: "#1c2321", size: headline.length > 60 ? 48 : 56, width: 500 }),
    textImage({
      text: withProvider(paidFor, completeProvider(card.provider).provider),
      colour: "#1c2321",
      size: 26,
      width: 500,
    }),
  ]);
  const labelBox = { width: labelImage.width + 40, height: labelImage.height + 32, channels: 3 as const };
  return sharp({ create: { width: 1200, height: 630, channels: 3, background: "#fbf8f1" } })
    .composite([
      { input: picture, left: 600, top: 0 },
      { input: { create: { ...labelBox, background: "#0c4a43" } }, left: 56, top: 56 },
      { input: labelImage.png, left: 76, top: 72 },
      { input: headlineImage.png, left: 56, top: 104 + labelImage.height + 24 },
      { input: payerImage.png, left: 56, top: 574 - payerImage.height },
    ])
    .png({ palette: true, quality: 90 })
    .toBuffer();
}

interface TextOnCard {
  text: string;
  colour: string;
  /** Pixels. */
  size: number;
  /** Where lines are broken, in pixels. */
  width: number;
}

async function textImage({ text, colour, size, width }: TextOnCard) {
  const { default: sharp } = await import("sharp");
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${colour}">${escapeMarkup(text)}</span>`,
      font: `Atkinson Hyperlegible Next Bold ${size}px`,
      fontfile: fileURLToPath(new URL("./share-card.ttf", import.meta.url)),
      width,
      dpi: 72,
      rgba: true,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true });
  return { png: data, width: info.width, height: info.height };
}

const escapeMarkup = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

async function drawing(folder?: string): Promise<Buffer> {
  const { renderDrawing } = await rendererModule(folder);
  const place = '<svg width="600" height="630" preserveAspectRatio="xMidYMid slice" ';
  return Buffer.from(renderDrawing().replace("<svg ", place).replace("0 0 960 600", "305 0 571 600"));
}
