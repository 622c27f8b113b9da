// Bodies in the encodings that browsers accept, compressed as far as they go. A body is compressed once, when it is first read: to compress all
// pages at the start would delay it by 0.1 s, and few servers ever send every page in each encoding.
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** A body in one encoding. */
export interface Body {
  encoding: "br" | "gzip" | undefined;
  etag: string;
  readonly bytes: Buffer;
}

/** Returns a body as br, gzip and uncompressed, in this order because br is mostly the smallest; only uncompressed if it is not `compressible`. */
export function compress(bytes: Buffer, compressible = true): Body[] {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  const identity: Body = { encoding: undefined, etag: `"${hash}"`, bytes };
  if (!compressible) return [identity];
  return [
    compressedBody("br", hash, () => brotliCompressSync(bytes, { params: brotliSettings(bytes.length) })),
    compressedBody("gzip", hash, () => gzipSync(bytes, { level: 9 })),
    identity,
  ];
}

const brotliSettings = (length: number) => ({
  [constants.BROTLI_PARAM_QUALITY]: 11,
  [constants.BROTLI_PARAM_SIZE_HINT]: length,
});

function compressedBody(encoding: "br" | "gzip", hash: string, compressed: () => Buffer): Body {
  let bytes: Buffer | undefined;
  return {
    encoding,
    etag: `"${hash}-${encoding}"`,
    get bytes() {
      return (bytes ??= compressed());
    },
  };
}

/** Whether a file of this name shrinks: fonts and photographs do not. */
export const compressible = (name: string): boolean =>
  [".js", ".css", ".svg", ".html", ".txt", ".xml", ".webmanifest"].includes(extname(name));
