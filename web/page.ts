// One page or file in memory, in the encodings that browsers take, each with its complete headers, so that answering a request
// only chooses one.
import type { HeaderValues } from "../intake/answer.ts";
import { readItems } from "../intake/header-values.ts";
import type { Body } from "../site/compress.ts";

export interface Page {
  status: number;
  /** What all its encodings share. */
  headers: Record<string, string>;
  /** As they are preferred: br, gzip, and last the one that is not compressed. */
  encodings: Encoding[];
  /** Which variant of the article this is, while an experiment runs. */
  variant?: string;
  /** The pages of which each request gets one by chance; this page is the first of them. */
  variants?: readonly Page[];
}

interface Encoding extends Body {
  readonly headers: Record<string, string>;
}

/** What a GET for a page is answered with. Without bytes, the browser has the page already. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  bytes?: Uint8Array<ArrayBuffer>;
  variant?: string | undefined;
}

/** A page of these bodies. */
export const pageOf = (status: number, headers: Record<string, string>, bodies: Body[]): Page => ({
  status,
  headers,
  encodings: bodies.map((body) => encodingOf(body, headers)),
});

// The bytes and their length are read with the first request that takes them, because only then they are compressed.
function encodingOf(body: Body, shared: Record<string, string>): Encoding {
  const { encoding, etag } = body;
  let headers: Record<string, string> | undefined;
  return {
    encoding,
    etag,
    get bytes() {
      return body.bytes;
    },
    get headers() {
      return (headers ??= {
        ...shared,
        etag,
        ...(encoding && { "content-encoding": encoding }),
        "content-length": String(body.bytes.length),
      });
    },
  };
}

/** The article while an experiment runs: each request gets one of the variants by chance, whatever the request says. */
export const pageOfVariants = (variants: readonly Page[]): Page => ({ ...(variants[0] as Page), variants });

const chosen = ({ variants }: Page): Page | undefined =>
  variants?.[Math.floor(Math.random() * variants.length)];

/** Chooses the first encoding that the browser takes, or 304 when it has that already. */
export function answerFor(asked: Page, headers: HeaderValues): PageAnswer {
  const page = chosen(asked) ?? asked;
  const accepted = headers.get("accept-encoding");
  const found = page.encodings.find(({ encoding }) => !encoding || accepts(accepted, encoding)) as Encoding;
  const known = page.status === 200 ? headers.get("if-none-match") : undefined;
  if (known?.split(",").some((tag) => ["*", found.etag].includes(tag.trim().replace(/^W\//, ""))))
    return { status: 304, headers: { ...page.headers, etag: found.etag }, variant: page.variant };
  return {
    status: page.status,
    headers: found.headers,
    bytes: found.bytes as Uint8Array<ArrayBuffer>,
    variant: page.variant,
  };
}

/** Answers a GET or a HEAD with the page as a Response. */
export function answer(page: Page, request: Request): Response {
  const { status, headers, bytes } = answerFor(page, request.headers);
  return new Response(request.method === "HEAD" ? null : bytes, { status, headers });
}

/** Whether an Accept-Encoding header takes this encoding: it names it (or `*`), and not with `q=0`. */
export function accepts(header: string | null | undefined, encoding: string): boolean {
  const items = readItems(header ?? "");
  const named = (name: string) => items.find(({ value }) => value.toLowerCase() === name);
  const item = named(encoding) ?? named("*");
  return item !== undefined && Number(item.parameters.get("q") ?? 1) !== 0;
}
