// Bodies in the encodings that browsers accept, compressed once and as far as they go, because no request waits for it.
import { createHash } from "node:crypto";
import { extname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** A body in one encoding. */
export interface Body {
  encoding: "br" | "gzip" | undefined;
  etag: string;
  bytes: Buffer;
}

/** Returns a body as br, gzip and uncompressed, in this order because br is mostly the smallest; only uncompressed if it is not `compressible`. */
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
