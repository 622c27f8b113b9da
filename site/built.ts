// What the build has made that the pages name: the hashed files, the inline style and the inline script. The bundler replaces
// BUILT with these values (site/bundle.ts).

/** A picture of the operator's own, in the formats and widths that the build made of it. */
export interface Photo {
  width: number;
  height: number;
  sets: { type: string; srcset: string }[];
  fallback: string;
}

export interface Built {
  style: string;
  loader: string;
  /** The counting script, by its address. */
  counting: { path: string; code: string };
  /** The fonts that the first screen needs. */
  fonts: string[];
  /** Of the share cards: what their paths have instead of a hash, and whose name stands on them. */
  shareCard: { version: string; payer: string };
  photo: Photo | null;
  /** The pictures of variants, by their file in content/. */
  variantPhotos: Record<string, Photo>;
}

declare const BUILT: Built;

export const built: Built = BUILT;
