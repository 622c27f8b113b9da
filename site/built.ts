// The results of the build that the pages refer to: the hashed files, the inline style and the inline script. The bundler replaces
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
  /** The inline script (site/load-form.ts). */
  loader: string;
  /** The counting script and its path. */
  counting: { path: string; code: string };
  /** The fonts that the first screen needs. */
  fonts: string[];
  /** The share cards: the version in their paths, which takes the place of a hash, and the provider's name on them. */
  shareCard: { version: string; providerName: string };
  photo: Photo | null;
  /** The pictures of variants, by the names of their files in content/. */
  variantPhotos: Record<string, Photo>;
}

declare const BUILT: Built;

export const built: Built = BUILT;
