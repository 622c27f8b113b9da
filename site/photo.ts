// An operator's own photo instead of the drawing: one file, `content/photo.jpg` (or .jpeg, .png, .webp), made
// into AVIF, WebP and JPEG in the widths that screens ask for.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Photo } from "./built.ts";

const widths = [480, 800, 1200, 1920];

/** The operator's file, if there is one. */
export const photoIn = (content: string): string | undefined =>
  ["jpg", "jpeg", "png", "webp"].map((end) => join(content, `photo.${end}`)).find(existsSync);

/** Writes the forms of the photo into `assets`; null when there is no photo. */
export async function buildPhoto(content: string, assets: string): Promise<Photo | null> {
  const original = photoIn(content);
  if (!original) return null;
  const { default: sharp } = await import("sharp");
  mkdirSync(assets, { recursive: true });
  const { autoOrient: size } = await sharp(original).metadata();
  // Never wider than the original: an enlarged photo is only a blurred and heavier one.
  const made = [...new Set(widths.map((width) => Math.min(width, size.width)))];
  const write = async (width: number, format: "avif" | "webp" | "jpeg") => {
    const { data, hash } = await encode(sharp, original, width, format);
    const name = `photo-${width}-${hash}.${format === "jpeg" ? "jpg" : format}`;
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(assets, name), data);
    return `/assets/${name}`;
  };
  const set = async (format: "avif" | "webp") => ({
    type: `image/${format}`,
    srcset: (await Promise.all(made.map(async (width) => `${await write(width, format)} ${width}w`))).join(
      ", ",
    ),
  });
  return {
    width: size.width,
    height: size.height,
    sets: [await set("avif"), await set("webp")],
    fallback: await write(Math.min(1200, size.width), "jpeg"),
  };
}

async function encode(
  sharp: typeof import("sharp").default,
  original: string,
  width: number,
  format: "avif" | "webp" | "jpeg",
) {
  const { createHash } = await import("node:crypto");
  const data = await sharp(original).autoOrient().resize({ width }).toFormat(format).toBuffer();
  return { data, hash: createHash("sha256").update(data).digest("base64url").slice(0, 8) };
}
