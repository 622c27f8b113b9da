// Any request that HTTP allows, for property tests: known and odd addresses, methods, headers, bodies and framings, as bytes for a socket.
import fc from "fast-check";
import { aLead } from "./database.ts";
import { methods } from "./plain-answer.ts";

export interface AnyRequest {
  /** The address, as the first line of the request has it. */
  target: string;
  bytes: Buffer;
}

/**
 * Requests to these paths, to the paths with odd text after them, and to other addresses. About half bring the header lines `known`, such
 * as `["apikey: x"]`. The other headers have odd values, or one of `values`, which are given with spaces between them.
 */
export function anyRequest(
  paths: readonly string[],
  { known, values }: { known: readonly string[]; values: string },
): fc.Arbitrary<AnyRequest> {
  const headerValue = fc.oneof(oneOf(values), fc.string({ unit: byteOfAHeader }));
  const headers = fc
    .tuple(fc.boolean(), fc.array(fc.tuple(headerName, headerValue), { maxLength: 6 }))
    .map(([isKnown, others]) => [
      ...(isKnown ? known : []),
      ...others.map(([name, value]) => `${name}: ${value}`),
    ])
    .map((lines) => lines.map((line) => `${line}\r\n`).join(""));
  return fc
    .record({
      method: fc.constantFrom(...methods),
      target: targetOf(paths),
      headers,
      body,
      framing: fc.constantFrom(...Object.values(framings)),
    })
    .map(({ method, target, headers, body, framing }) => {
      const head = `${method} ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}`;
      const parts = [head, ...framing(body)].map((part) => Buffer.from(part as string, "latin1"));
      return { target, bytes: Buffer.concat(parts) };
    });
}

/** One of these words, given with spaces between them. */
const oneOf = (words: string) => fc.constantFrom(...words.split(" "));
const oddText = fc.string({ unit: fc.constantFrom(...`abc/.%?&=+"'\\:;,<>{}[]()*$`), maxLength: 40 });

const targetOf = (paths: readonly string[]) =>
  fc.oneof(
    fc.tuple(fc.constantFrom(...paths), oddText).map(([path, odd]) => path + odd),
    oddText.map((odd) => `/${odd}`),
    fc.webUrl(),
  );

// Names of headers that something in the product or in Node may treat specially.
const headerName = fc.oneof(
  oneOf("accept accept-encoding apikey authorization content-profile content-type content-encoding cookie"),
  oneOf("origin prefer range referer user-agent x-forwarded-for forwarded if-none-match __proto__ te"),
);
const byteOfAHeader = fc
  .integer({ min: 0x20, max: 0xff })
  .filter((code) => code !== 0x7f)
  .map((code) => String.fromCharCode(code));

const field = oneOf("name email phone zip_code has_medicare has_diabetes insulin");
const value = fc.oneof(fc.jsonValue(), fc.constantFrom("Rosa", true, false));
const body = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((json) => Buffer.from(json)),
  fc.dictionary(field, value).map((odd) => Buffer.from(JSON.stringify({ ...aLead(), ...odd }))),
  fc.webQueryParameters().map((form) => Buffer.from(form)),
);

const chunked = (bytes: Buffer) =>
  bytes.length > 0 ? [`${bytes.length.toString(16)}\r\n`, bytes, "\r\n0\r\n\r\n"] : ["0\r\n\r\n"];
const framings = {
  "with its length": (bytes: Buffer) => [`content-length: ${bytes.length}\r\n\r\n`, bytes],
  "in chunks": (bytes: Buffer) => ["transfer-encoding: chunked\r\n\r\n", ...chunked(bytes)],
  "without a body": () => ["\r\n"],
};
