// Bodies in the encodings that browsers accept, compressed once and as far as they go, because no request waits for it.
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** A body in one encoding. Those that are smaller, except of tiny ones, come first in a page's list. */
export interface Body {
  encoding: "br" | "gzip" | undefined;
  etag: string;
  bytes: Buffer;
}

/** A body in every encoding, the one that makes most of them smallest first. What is compressed already stays as it is. */
export function compress(bytes: Buffer, compressible = true): Body[] {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  const identity: Body = { encoding: undefined, etag: `"${hash}"`, bytes };
  if (!compressible) return [identity];
  const br = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const gzip = gzipSync(bytes, { level: 9 });
  return [
    { encoding: "br", etag: `"${hash}-br"`, bytes: br },
    { encoding: "gzip", etag: `"${hash}-gzip"`, bytes: gzip },
    identity,
  ];
}

/** Whether a file of this name shrinks: fonts and photographs do not. */
export const compressible = (name: string): boolean =>
  [".js", ".css", ".svg", ".html", ".txt", ".xml", ".webmanifest"].includes(extname(name));
