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

/** Returns a body as br, gzip and uncompressed, in this order because br is mostly the smallest. */
export function compress(bytes: Buffer): Body[] {
  const identity = uncompressed(bytes);
  return [
    compressedBody("br", identity, () => brotliCompressSync(bytes, { params: brotliSettings(bytes.length) })),
    compressedBody("gzip", identity, () => gzipSync(bytes, { level: 9 })),
    identity,
  ];
}

/** A body as it is, for a file that does not shrink. */
export const uncompressed = (bytes: Buffer): Body => ({
  encoding: undefined,
  etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 16)}"`,
  bytes,
});

/** The ETag of a body in an encoding, by that of the body as it is. */
export const etagOf = ({ etag }: Body, encoding: "br" | "gzip"): string =>
  etag.replace(/"$/, `-${encoding}"`);

const brotliSettings = (length: number) => ({
  [constants.BROTLI_PARAM_QUALITY]: 11,
  [constants.BROTLI_PARAM_SIZE_HINT]: length,
});

function compressedBody(encoding: "br" | "gzip", identity: Body, compressed: () => Buffer): Body {
  let bytes: Buffer | undefined;
  return {
    encoding,
    etag: etagOf(identity, encoding),
    get bytes() {
      return (bytes ??= compressed());
    },
  };
}

/** Whether a file of this name shrinks: fonts and photographs do not. */
export const isCompressible = (name: string): boolean =>
  [".js", ".css", ".svg", ".html", ".txt", ".xml", ".webmanifest"].includes(extname(name));
