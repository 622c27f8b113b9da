// An operator's own photo instead of the drawing: one file, `content/photo.jpg` (or .jpeg, .png, .webp), cut to the shape
// of its place and made into AVIF and WebP in the widths that screens ask for, and into one JPEG for the rest.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ContentError } from "../content/content-error.ts";
import type { Photo } from "./built.ts";

const widths = [480, 800, 1200, 1920];

/** The shape of its place in the article, as `article.css` has it. A photo of another shape is cut to the part that draws the eye. */
const heightOf = (width: number) => Math.round((width * 5) / 8);

/** The operator's file, if there is one. */
export const photoIn = (content: string): string | undefined => {
  // Cameras write PHOTO.JPG.
  const name = readdirSync(content)
    .toSorted()
    .find((one) => /^photo\.(jpe?g|png|webp)$/i.test(one));
  return name && join(content, name);
};

/** Writes the formats of the operator's photo into `assets`; null when there is no photo. */
export async function buildPhoto(content: string, assets: string): Promise<Photo | null> {
  const original = photoIn(content);
  return original ? writeFormats(original, assets, "photo") : null;
}

/**
 * Writes the formats of a photo into `assets`, under names that begin with `prefix`.
 * @throws ContentError when the photo cannot be read to its end.
 */
export async function writeFormats(original: string, assets: string, prefix: string): Promise<Photo> {
  const { default: sharp } = await import("sharp");
  mkdirSync(assets, { recursive: true });
  const { autoOrient: size } = await sharp(original).metadata().catch(refuseAs(original));
  // Never larger than the original: an enlarged photo is only a blurred and heavier one.
  const widest = Math.min(size.width, Math.floor((size.height * 8) / 5));
  const madeWidths = [...new Set(widths.map((width) => Math.min(width, widest)))];
  const write = async (width: number, format: "avif" | "webp" | "jpeg") => {
    const { data, hash } = await encode(sharp, original, width, format).catch(refuseAs(original));
    const name = `${prefix}-${width}-${hash}.${format === "jpeg" ? "jpg" : format}`;
    writeFileSync(join(assets, name), data);
    return `/assets/${name}`;
  };
  const set = async (format: "avif" | "webp") => ({
    type: `image/${format}`,
    srcset: (
      await Promise.all(madeWidths.map(async (width) => `${await write(width, format)} ${width}w`))
    ).join(", "),
  });
  return {
    width: widest,
    height: heightOf(widest),
    sets: [await set("avif"), await set("webp")],
    fallback: await write(Math.min(1200, widest), "jpeg"),
  };
}

const refuseAs = (original: string) => (cause: unknown) => {
  throw new ContentError(`${original} cannot be read as a picture. Save it as JPEG, PNG or WebP.`, { cause });
};

async function encode(
  sharp: typeof import("sharp").default,
  original: string,
  width: number,
  format: "avif" | "webp" | "jpeg",
) {
  const shape = { width, height: heightOf(width), position: "attention" };
  const cut = sharp(original).autoOrient().resize(shape);
  // What is transparent in the original would be black in a JPEG.
  if (format === "jpeg") cut.flatten({ background: "white" });
  const data = await cut.toFormat(format).toBuffer();
  return { data, hash: createHash("sha256").update(data).digest("base64url").slice(0, 8) };
}
