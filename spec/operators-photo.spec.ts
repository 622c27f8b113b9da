// The operator's own photo in place of the drawing: found in content/, cut to the shape of its place, and made for every browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPhoto, photoIn } from "../site/photo.ts";
import { drawShareCard } from "../site/share-card.ts";

describe("an operator's photo", () => {
  const folder = mkdtempSync(join(tmpdir(), "photo-"));
  beforeAll(async () => {
    const plain = { width: 1000, height: 625, channels: 3, background: "#dce7d9" } as const;
    await sharp({ create: plain }).jpeg().toFile(join(folder, "photo.jpg"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("becomes AVIF and WebP in several widths, never wider than the original, and one JPEG, and its size is known", async () => {
    const photo = await buildPhoto(folder, join(folder, "assets"));
    expect(photo).toMatchObject({ width: 1000, height: 625, fallback: expect.stringMatching(/\.jpg$/) });
    expect(photo?.sets.map(({ type }) => type)).toEqual(["image/avif", "image/webp"]);
    for (const { srcset } of photo?.sets ?? []) {
      expect(srcset.match(/\d{1,5}w/g)).toEqual(["480w", "800w", "1000w"]);
    }
    const made = (photo?.sets ?? []).flatMap(({ srcset }) => srcset.split(", "));
    const kinds = [...made, `${photo?.fallback} 1000w`].map(async (one) => {
      const [path = "", stated] = one.split(" ");
      const { mediaType, width } = await sharp(join(folder, path)).metadata();
      return [path.slice(path.lastIndexOf(".")), mediaType, stated === `${width}w`];
    });
    const [avif, webp, jpeg] = [
      [".avif", "image/avif", true],
      [".webp", "image/webp", true],
      [".jpg", "image/jpeg", true],
    ];
    expect(await Promise.all(kinds)).toEqual([avif, avif, avif, webp, webp, webp, jpeg]);
  });

  it("stands upright, however the camera was held", async () => {
    const turned = mkdtempSync(join(tmpdir(), "turned-"));
    const ground = { width: 250, height: 800, channels: 3, background: "#203020" } as const;
    // The camera lay on its side: the ground is at the left of the pixels, and the note in the file (6) turns it to the top.
    await sharp({ create: { width: 500, height: 800, channels: 3, background: "#e0f0ff" } })
      .composite([{ input: await sharp({ create: ground }).png().toBuffer(), left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toFile(join(turned, "photo.jpg"));
    const photo = await buildPhoto(turned, join(turned, "assets"));
    expect(photo).toMatchObject({ width: 800, height: 500 });
    const lightOf = async (top: number) => {
      const strip = { left: 0, top, width: 800, height: 100 };
      const part = await sharp(join(turned, photo?.fallback ?? ""))
        .extract(strip)
        .toBuffer();
      return (await sharp(part).stats()).channels[0]?.mean;
    };
    expect(await lightOf(0)).toBeLessThan(64);
    expect(await lightOf(400)).toBeGreaterThan(192);
    rmSync(turned, { recursive: true });
  });

  it("of another shape is cut to the shape of its place, around what stands out in it", async () => {
    const portrait = mkdtempSync(join(tmpdir(), "portrait-"));
    const wall = { create: { width: 600, height: 1200, channels: 3, background: "#dce7d9" } } as const;
    const face = await sharp({ create: { width: 200, height: 200, channels: 3, background: "#c68a60" } })
      .png()
      .toBuffer();
    await sharp(wall)
      .composite([{ input: face, left: 200, top: 60 }])
      .png()
      .toFile(join(portrait, "photo.png"));
    const photo = await buildPhoto(portrait, join(portrait, "assets"));
    expect(photo).toMatchObject({ width: 600, height: 375 });
    const shown = sharp(join(portrait, photo?.fallback.replace(/^\//, "") ?? ""));
    const { channels } = await shown.stats();
    expect(Math.max(...channels.map(({ stdev }) => stdev)), "the face is in it").toBeGreaterThan(10);
    rmSync(portrait, { recursive: true });
  });

  it("that is wider than its place is cut at its sides and not enlarged", async () => {
    const panorama = mkdtempSync(join(tmpdir(), "panorama-"));
    await sharp({ create: { width: 1200, height: 400, channels: 3, background: "#dce7d9" } })
      .png()
      .toFile(join(panorama, "photo.png"));
    const photo = await buildPhoto(panorama, join(panorama, "assets"));
    expect(photo).toMatchObject({ width: 640, height: 400 });
    expect(await sharp(join(panorama, photo?.fallback ?? "")).metadata()).toMatchObject({
      width: 640,
      height: 400,
    });
    rmSync(panorama, { recursive: true });
  });

  it("is found under a name in capitals, such as PHOTO.PNG, and its JPEG is white where it was transparent", async () => {
    const camera = mkdtempSync(join(tmpdir(), "camera-"));
    const transparent = {
      width: 800,
      height: 500,
      channels: 4,
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    } as const;
    await sharp({ create: transparent }).png().toFile(join(camera, "PHOTO.PNG"));
    const photo = await buildPhoto(camera, join(camera, "assets"));
    const { channels } = await sharp(join(camera, photo?.fallback ?? "")).stats();
    expect(channels.map(({ mean }) => mean)).toEqual([255, 255, 255]);
    rmSync(camera, { recursive: true });
  });

  it("that is no picture is refused in a sentence that names the file", async () => {
    const broken = mkdtempSync(join(tmpdir(), "broken-"));
    writeFileSync(join(broken, "photo.jpg"), "an attachment that was not saved whole");
    await expect(buildPhoto(broken, join(broken, "assets"))).rejects.toThrow(
      `${join(broken, "photo.jpg")} cannot be read as a picture. Save it as JPEG, PNG or WebP.`,
    );
    // The beginning of a picture states its size, so a file that was cut off could pass for whole.
    const whole = readFileSync(join(folder, "photo.jpg"));
    writeFileSync(join(broken, "photo.jpg"), whole.subarray(0, whole.length / 2));
    await expect(buildPhoto(broken, join(broken, "assets"))).rejects.toThrow("cannot be read as a picture");
    rmSync(broken, { recursive: true });
  });

  it("is not called broken when the program cannot write the folder of the pages", async () => {
    await expect(buildPhoto(folder, join(folder, "photo.jpg"))).rejects.toThrow("EEXIST");
  });

  it("takes the place of the drawing on the share card", async () => {
    const spreadInTheRightHalf = async (photo: string | undefined) => {
      const half = await sharp(await drawShareCard({ language: "en", provider: {}, photo }))
        .extract({ left: 600, top: 0, width: 600, height: 630 })
        .toBuffer();
      return (await sharp(half).stats()).channels.map(({ stdev }) => Math.round(stdev));
    };
    expect(await spreadInTheRightHalf(photoIn(folder)), "one plain colour").toEqual([0, 0, 0]);
    expect(Math.min(...(await spreadInTheRightHalf(undefined))), "a drawing").toBeGreaterThan(10);
  });
});
