// Call 1: `POST /rest/v1/leads` stores one lead and answers 201 when it is on disk. (Specification 7, CONTRACT 3)
import type { Context } from "hono";
import { codeOf, type Log } from "../log/log.ts";
import { type Insert, readInsert } from "./read-insert.ts";
import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";
import { requestHeadersOf } from "./request-headers.ts";
import type { Store } from "./store.ts";

/** Makes the handler. `addressOf` says who sent a request. */
export function insertLead(store: Store, addressOf: (context: Context) => string, log: Log) {
  return async (context: Context): Promise<Response> => {
    const request = context.req.raw;
    const body = new Uint8Array(await request.arrayBuffer());
    const read = readInsert(new URL(request.url), request.headers, body);
    if ("refusal" in read) return refusals.refuse(read.refusal);
    try {
      await store(read.lead, requestHeadersOf(request.headers, addressOf(context)));
    } catch (error) {
      return refusals.refuse(refusalOfFailure(error, log));
    }
    return new Response(null, { status: 201, headers: headersOfSuccess(read) });
  };
}

/**
 * What to answer when storing failed. The sentences that the table's trigger raises pass, as PostgREST would pass them;
 * they name no table, PostgreSQL's own messages do. Any other failure is ours.
 */
export function refusalOfFailure(error: unknown, log: Log): Refusal {
  const code = codeOf(error);
  const raised = error as {
    message: string;
    table_name?: string;
    column_name?: string;
    constraint_name?: string;
  };
  if ((code === "23502" || code === "23514") && raised.table_name === undefined) {
    const { message, column_name: field, constraint_name: check } = raised;
    log("insert-refused", { code, field, check });
    return refusals.badValue(code, message, `Refused by the table: ${check ?? field}.`);
  }
  if (code === "PT403") {
    log("insert-refused", { code });
    return refusals.foreignPage(raised.message);
  }
  log("insert-failed", { code });
  return refusals.databaseAway(`The database could not store the lead (${code}).`);
}

function headersOfSuccess(insert: Pick<Insert, "preferencesApplied" | "contentRange">): Headers {
  const headers = new Headers({
    "content-range": insert.contentRange,
    "content-length": "0",
    "cache-control": "no-store",
  });
  const applied = insert.preferencesApplied.join(", ");
  if (applied) headers.set("preference-applied", applied);
  return headers;
}
