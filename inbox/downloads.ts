// The files that managers download, as CSV: the leads of some days, and the audit log. The page asks for a download, which writes the
// audit log, and follows the address that it gets. The file is sent a page of rows at a time, each when the browser has taken the one
// before, so that the memory is the same for any size and a download that is aborted reads one page more at most.
import { ReadableStream as NodeStream } from "node:stream/web";
import * as v from "valibot";
import type { Ask } from "../team/ask.ts";
import { type Cell, csvLine } from "../team/csv.ts";
import { type AuditEntry, exportedAuditPages, exportedLeadPages } from "../team/managing.ts";
import { AuditFilter } from "./api-managing.ts";
import { Zone } from "./api-values.ts";
import { json } from "./read-request.ts";

const Entry = v.pipe(v.string(), v.regex(/^\d{1,15}$/));

/** Reads the parameters of an address, and returns the pages of the file; undefined when they are not valid. */
type Download = (ask: Ask, query: object) => AsyncGenerator<string> | undefined;

const downloads: Readonly<Record<string, Download>> = {
  leads: makeDownload(v.strictObject({ entry: Entry, zone: Zone }), (ask, { entry, zone }) =>
    leadsAsCsv(exportedLeadPages(ask, entry, zone)),
  ),
  "audit-log": makeDownload(
    v.strictObject({ entry: Entry, filter: v.pipe(v.string(), v.parseJson(), AuditFilter) }),
    (ask, { entry, filter }) => auditAsCsv(exportedAuditPages(ask, entry, filter)),
  ),
};

function makeDownload<Schema extends v.GenericSchema>(
  schema: Schema,
  pagesOf: (ask: Ask, query: v.InferOutput<Schema>) => AsyncGenerator<string>,
): Download {
  return (ask, query) => {
    const given = v.safeParse(schema, query);
    return given.success ? pagesOf(ask, given.output) : undefined;
  };
}

export const leadsAddress = (entry: string, zone: string): string =>
  `/api/downloads/leads?${new URLSearchParams({ entry, zone })}`;

export const auditAddress = (entry: string, filter: object): string =>
  `/api/downloads/audit-log?${new URLSearchParams({ entry, filter: JSON.stringify(filter) })}`;

/**
 * Answers the request of a download; undefined for an unknown name. `onBroken` is called with the error when a file cannot be read to
 * its end; it cuts the connection, so that the browser notices.
 * @throws Refused, or the database's error, before the first byte
 */
export async function answerDownload(
  name: string,
  request: Request,
  ask: Ask,
  onBroken: (error: unknown) => void,
): Promise<Response | undefined> {
  const download = Object.hasOwn(downloads, name) ? downloads[name] : undefined;
  if (!download) return undefined;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return json({ error: "another page" }, 403);
  const pages = download(ask, Object.fromEntries(new URL(request.url).searchParams));
  if (!pages) return json({ error: "not a request" }, 400);
  const first = await pages.next();
  return new Response(streamOf(first.value ?? "", pages, onBroken), {
    headers: { "content-type": "text/csv; charset=utf-8", "content-disposition": "attachment" },
  });
}

const encoder = new TextEncoder();

/**
 * The bytes of a file, a page each time that the client reads. They begin with a byte order mark, by which spreadsheets know UTF-8. A file
 * that cannot be read to its end ends where it is: `onBroken` cuts the connection, because the server's library would print the error and
 * send its message as the last line.
 */
export const streamOf = (
  first: string,
  pages: AsyncGenerator<string>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> =>
  NodeStream.from(bytesOf(first, pages, onBroken)) as ReadableStream<Uint8Array>;

async function* bytesOf(
  first: string,
  pages: AsyncGenerator<string>,
  onBroken: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield encoder.encode(`\ufeff${first}`);
    for await (const page of pages) yield encoder.encode(page);
  } catch (error) {
    onBroken(error);
  }
}

const leadColumns = [
  ...["id", "created_at", "name", "email", "phone", "zip_code", "has_medicare", "has_diabetes"],
  ...["withdrawn_at", "reviewed_at", "outcome", "marks"],
];

async function* leadsAsCsv(pages: AsyncIterable<Record<string, unknown>[]>): AsyncGenerator<string> {
  const cellOf = (value: unknown) => (Array.isArray(value) ? value.join("; ") : ((value ?? null) as Cell));
  let heading = csvLine(leadColumns);
  for await (const leads of pages) {
    yield heading + leads.map((lead) => csvLine(leadColumns.map((name) => cellOf(lead[name])))).join("");
    heading = "";
  }
}

async function* auditAsCsv(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  let heading = csvLine(["id", "at", "who", "action", "lead", "details"]);
  for await (const entries of pages) {
    const lines = entries.map(({ id, at, who, action, lead, details }) =>
      csvLine([String(id), at, who.name, action, lead?.id ?? null, JSON.stringify(details)]),
    );
    yield heading + lines.join("");
    heading = "";
  }
}
