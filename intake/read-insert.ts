// Reads an insert as PostgREST would: its address, its preferences, its body, into one lead or a refusal. It is pure, so
// that the whole wire contract can be tested without a server. What is wrong is refused in the order in which PostgREST looks at it.
import { fields, type Lead, type Problem, parseLead } from "../lead/lead.ts";
import type { HeaderValues } from "./answer.ts";
import { readItems } from "./header-values.ts";
import { readPreferences } from "./read-preferences.ts";
import type { Refusal } from "./refusals.ts";
import * as refusals from "./refusals.ts";

/** One lead to insert, and the preferences that are honoured, as `Preference-Applied` and `Content-Range` tell. */
export interface Insert {
  lead: Lead;
  preferencesApplied: string[];
  contentRange: string;
}

export type OrRefusal<Thing> = { refusal: Refusal } | Thing;

/** Columns of the table that no request may fill. PostgREST knows them; `anon` has no right to them. */
const serverColumns = new Set(["id", "created_at", "request_headers"]);
const fieldNames = new Set<string>(fields.map((field) => field.name));

/** Reads a request to insert. `body` is the raw bytes. */
export function readInsert(
  parameters: URLSearchParams,
  headers: HeaderValues,
  body: Uint8Array,
): OrRefusal<Insert> {
  const wanted = readPreferences(headers.get("prefer"));
  const refusal =
    refuseProfile(headers) ?? refuseAccept(headers) ?? refuseContentType(headers) ?? wanted.refusal;
  if (refusal) return { refusal };
  const query = readQuery(parameters);
  if ("refusal" in query) return query;
  const row = readRow(body, query.columns);
  if ("refusal" in row) return row;
  if (wanted.wantsMoreThanAnInsert) return { refusal: refusals.noRight };
  const columns = query.columns ?? Object.keys(row.values);
  const columnRefusal = refuseColumns(columns);
  if (columnRefusal) return { refusal: columnRefusal };
  const parsed = parseLead(valuesOfColumns(row.values, query.columns, wanted.missingIsDefault));
  if ("problem" in parsed) return { refusal: refusalOf(parsed.problem) };
  return {
    lead: parsed.lead,
    preferencesApplied: wanted.applied,
    contentRange: wanted.wantsCount ? "*/1" : "*/*",
  };
}

/** The refusal for values that are not a lead. Of a missing text it says what the table's own trigger says. */
export function refusalOf({ field, kind }: Problem): Refusal {
  const label = field.name === "zip_code" ? "ZIP code" : field.label.toLowerCase();
  const details = `The field ${field.name} is ${kind}.`;
  switch (kind) {
    case "missing":
      return field.kind === "text"
        ? refusals.badValue("23502", `Please enter your ${label}.`, details)
        : refusals.badValue(
            "23502",
            `null value in column "${field.name}" of relation "leads" violates not-null constraint`,
            details,
          );
    case "not storable":
      return refusals.badValue(
        "22P05",
        `Your ${label} has a character that we cannot keep. Please type it again.`,
        details,
      );
    case "not text":
      return refusals.badValue("22P02", `Please enter your ${label} as text.`, details);
    case "not true or false":
      return refusals.badValue("22P02", `invalid input syntax for type boolean: "${field.name}"`, details);
  }
}

function refuseProfile(headers: HeaderValues): Refusal | undefined {
  const profile = headers.get("content-profile") ?? "public";
  return profile === "public" ? undefined : refusals.noSuchSchema(refusals.shown(profile));
}

const jsonTypes = new Set(
  ["json", "vnd.pgrst.object+json", "vnd.pgrst.array+json"].map((type) => `application/${type}`),
);
const answerTypes = new Set(["*/*", "application/*", "application/geo+json", "text/csv", ...jsonTypes]);

function refuseAccept(headers: HeaderValues): Refusal | undefined {
  const accept = headers.get("accept") || "*/*";
  return readItems(accept).some(({ value }) => answerTypes.has(value.toLowerCase()))
    ? undefined
    : refusals.noSuchMediaType(refusals.shown(accept));
}

function refuseContentType(headers: HeaderValues): Refusal | undefined {
  const given = headers.get("content-type") || "application/json";
  const [type, ...others] = readItems(given);
  const charset = type?.parameters.get("charset") ?? "utf-8";
  const isJson = type !== undefined && others.length === 0 && jsonTypes.has(type.value.toLowerCase());
  return isJson && /^utf-?8$/i.test(charset) ? undefined : refusals.wrongType(given);
}

// Every parameter but `columns` and these is a filter, which an insert cannot have. The first four shape the rows of an answer, and an insert is
// answered with none; `on_conflict` is for upserts, and `apikey` is the key.
const ignoredParameters = new Set(["select", "order", "limit", "offset", "on_conflict", "apikey"]);

function readQuery(parameters: URLSearchParams): OrRefusal<{ columns: string[] | undefined }> {
  for (const [name, value] of parameters) {
    if (name !== "columns" && !ignoredParameters.has(name))
      return { refusal: refusals.noFilter(refusals.shown(value)) };
  }
  const columns = parameters.get("columns");
  if (columns === null) return { columns: undefined };
  if (columns === "") return { refusal: refusals.noColumns };
  return { columns: columns.split(",").map((column) => column.trim().replace(/^"(.*)"$/, "$1")) };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readRow(body: Uint8Array, columns?: string[]): OrRefusal<{ values: Record<string, unknown> }> {
  let json: unknown;
  try {
    json = JSON.parse(utf8.decode(body));
  } catch {
    return { refusal: columns ? refusals.notJsonForColumns : refusals.notJson };
  }
  const [row, ...others] = Array.isArray(json) ? json : [json];
  if (others.length > 0 || row === undefined) return { refusal: refusals.notOneLead };
  const isObject = typeof row === "object" && row !== null && !Array.isArray(row);
  if (isObject) return { values: row as Record<string, unknown> };
  if (!Array.isArray(json)) return { refusal: refusals.notOneLead };
  return { refusal: columns ? refusals.notARecordset : refusals.notObjects };
}

function refuseColumns(columns: string[]): Refusal | undefined {
  const unknown = columns.find((column) => !fieldNames.has(column) && !serverColumns.has(column));
  if (unknown !== undefined) return refusals.noSuchColumn(refusals.shown(unknown));
  return columns.some((column) => serverColumns.has(column)) ? refusals.noRight : undefined;
}

// With `columns`, PostgREST takes just those, and one that is absent is null, or its default with `missing=default`.
function valuesOfColumns(
  values: Record<string, unknown>,
  columns: string[] | undefined,
  missingIsDefault: boolean,
) {
  if (!columns) return values;
  const absent = missingIsDefault ? undefined : null;
  return Object.fromEntries(
    columns.map((column) => [column, Object.hasOwn(values, column) ? values[column] : absent]),
  );
}
