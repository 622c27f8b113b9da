// Call 1: `POST /rest/v1/leads` stores one lead and answers 201 when it is on disk. (Specification 7, Contract 3)
import { isDatabaseTrouble } from "../database/trouble.ts";
import { logBug } from "../log/bug.ts";
import { codeOf, type Log } from "../log/log.ts";
import type { Answer, HeaderValues } from "./answer.ts";
import { refusalOfKey } from "./key.ts";
import type { Limit } from "./limit.ts";
import { type Insert, readInsert } from "./read-insert.ts";
import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";
import { type DeviceOf, requestHeadersOf } from "./request-headers.ts";
import { type Store, StoreBusy } from "./store.ts";

export interface InsertDependencies {
  anonKey: string;
  store: Store;
  /** Counts a try of this address; returns undefined while the address may send. */
  tooMany: Limit;
  /** Names the kind of device, which the lead keeps; given where page loads are counted by device. */
  deviceOf?: DeviceOf | undefined;
  log: Log;
}

export interface InsertRequest {
  headers: HeaderValues;
  query: URLSearchParams;
  /** Who sent it, as far as the proxies in front are trusted. */
  address: string;
  /** The body, or undefined when it is longer than any lead. */
  body: Uint8Array | undefined;
}

/** Makes the handler. */
export function makeInsertLead({ anonKey, store, tooMany, deviceOf, log }: InsertDependencies) {
  return async ({ headers, query, address, body }: InsertRequest): Promise<Answer> => {
    const wrongKey = refusalOfKey(headers, query, anonKey);
    if (wrongKey) return refusals.answerOf(wrongKey);
    const over = tooMany(address);
    if (over) return refusals.answerOf(refusals.tooManyTries(over.seconds));
    if (body === undefined) return refusals.answerOf(refusals.tooLarge);
    const read = readInsert(query, headers, body);
    if ("refusal" in read) return refusals.answerOf(read.refusal);
    try {
      await store(read.lead, requestHeadersOf(headers, address, { deviceOf }));
    } catch (error) {
      return refusals.answerOf(refusalOfFailure(error, log));
    }
    return { status: 201, headers: headersOfSuccess(read), body: "" };
  };
}

/**
 * What to answer when storing failed. An error that the table's trigger raises is answered with its own sentence, as PostgREST does;
 * it carries no table name, while PostgreSQL's own errors do. Any other failure is ours: the database's trouble, or a bug.
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
  // 42501: an operator takes the right to insert away while the database is moved.
  if (code !== "42501" && !isDatabaseTrouble(error) && !(error instanceof StoreBusy)) logBug(log, error);
  return refusals.databaseUnreachable(`The database could not store the lead (${code}).`);
}

function headersOfSuccess({ preferencesApplied, contentRange }: Insert): Record<string, string> {
  const applied = preferencesApplied.join(", ");
  return {
    "content-range": contentRange,
    "content-length": "0",
    "cache-control": "no-store",
    ...(applied && { "preference-applied": applied }),
  };
}
