// The files that managers download, as CSV: the leads of some days, and the audit log. The page asks for a download, which writes the
// audit log, and follows the address that it gets. The file is sent a page of rows at a time, each when the browser has taken the one
// before, so that the memory is the same for any size and a download that is aborted reads one page more at most.
import { ReadableStream as NodeStream } from "node:stream/web";
import type { Ask } from "../team/ask.ts";
import { type Cell, csvLine } from "../team/csv.ts";
import { leadColumns } from "../team/export-leads.ts";
import { type AuditEntry, exportedAuditPages, exportedLeadPages } from "../team/managing.ts";
import { json } from "./read-request.ts";

/** The pages of a file. The entry of the audit log has the days, or the filter, so that nothing else can be read than what it says. */
type Download = (ask: Ask, entry: string) => AsyncGenerator<string>;

const downloads = {
  leads: (ask, entry) => leadsAsCsv(exportedLeadPages(ask, entry)),
  "audit-log": (ask, entry) => auditAsCsv(exportedAuditPages(ask, entry)),
} satisfies Record<string, Download>;

type DownloadName = keyof typeof downloads;
const isDownload = (name: string): name is DownloadName => Object.hasOwn(downloads, name);

/** The address of a file. `entry` is the id of the audit log's entry about the download. */
export const addressOf = (name: DownloadName, entry: string): string =>
  `/api/downloads/${name}?entry=${entry}`;

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
  if (!isDownload(name)) return undefined;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return json({ error: "another page" }, 403);
  const entry = new URL(request.url).searchParams.get("entry") ?? "";
  if (!/^\d{1,15}$/.test(entry)) return json({ error: "not a request" }, 400);
  const pages = downloads[name](ask, entry);
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
  } finally {
    // The loop ends the pages, too, but not where the client breaks off before the loop begins.
    await pages.return(undefined);
  }
}

async function* leadsAsCsv(pages: AsyncIterable<Record<string, unknown>[]>): AsyncGenerator<string> {
  let heading = csvLine(leadColumns);
  for await (const leads of pages) {
    yield heading +
      leads.map((lead) => csvLine(leadColumns.map((name) => cellOf(name, lead[name])))).join("");
    heading = "";
  }
}

function cellOf(name: string, value: unknown): Cell {
  if (Array.isArray(value)) return value.join("; ");
  return name.endsWith("_at") && typeof value === "string" ? inUtc(value) : ((value ?? null) as Cell);
}

/** PostgreSQL writes a time in the zone of its settings. */
const inUtc = (time: string): Date => new Date(time);

async function* auditAsCsv(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  let heading = csvLine(["id", "at", "who", "action", "lead", "details"]);
  for await (const entries of pages) {
    const lines = entries.map(({ id, at, who, action, lead, details }) =>
      csvLine([String(id), inUtc(at), who.name, action, lead?.id ?? null, JSON.stringify(details)]),
    );
    yield heading + lines.join("");
    heading = "";
  }
}
