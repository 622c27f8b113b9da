// The error catalogue: everything the intake may answer instead of "stored". Codes, statuses and the four fields are
// PostgREST's; where a visitor can cause or see it, the message is a sentence for the red banner. (Contract 0 and 3)
import { type Answer, responseOf } from "./answer.ts";

/** A refused request. `details` and `hint` are for engineers and never hold a lead's values. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  details?: string;
  hint?: string;
  /** Seconds until trying again makes sense. */
  retryAfter?: number;
}

const refusal =
  (status: number, code: string) =>
  (message: string, more: Pick<Refusal, "details" | "hint" | "retryAfter"> = {}): Refusal => ({
    status,
    code,
    message,
    ...more,
  });

export const noKey = refusal(401, "PGRST302")("No API key found in request", {
  hint: "Send the anonymous key in the `apikey` header.",
});
export const wrongKey = refusal(401, "PGRST301")(
  "We could not take your answers this way. Please press the button once more.",
  { details: "Invalid API key", hint: "The `apikey` header must be this server's ANON_KEY." },
);
export const wrongToken = refusal(401, "PGRST301")(
  "We could not take your answers this way. Please press the button once more.",
  { details: "The bearer token is not the anonymous key", hint: "Send ANON_KEY, or no token at all." },
);

export const noRight = refusal(401, "42501")("permission denied for table leads", {
  hint: "The anonymous key may add a lead and nothing else: no reading, changing, upserting or returning.",
});

export const noSuchTable = (table: string) =>
  refusal(404, "PGRST205")(`Could not find the table 'public.${shown(table)}' in the schema cache`);
export const noSuchPath = refusal(404, "PGRST125")("Invalid path specified in request URL");
export const noSuchFunction = refusal(404, "NOT_FOUND")("Requested function was not found");
export const noSuchMethod = (method: string) =>
  refusal(405, "PGRST117")(`Unsupported HTTP method: ${shown(method)}`);
export const noSuchColumn = (column: string) =>
  refusal(400, "PGRST204")(`Could not find the '${column}' column of 'leads' in the schema cache`);
export const noSuchSchema = (schema: string) =>
  refusal(406, "PGRST106")(`Invalid schema: ${schema}`, {
    hint: "Only the following schemas are exposed: public",
  });
export const noSuchMediaType = (accept: string) =>
  refusal(406, "PGRST107")(`None of these media types are available: ${accept}`);
export const noFilter = (value: string) =>
  refusal(400, "PGRST100")(`"failed to parse filter (${value})" (line 1, column 1)`);
export const noColumns = refusal(
  400,
  "PGRST100",
)('"failed to parse columns parameter ()" (line 1, column 1)');
export const noPreference = (preferences: string[]) =>
  refusal(400, "PGRST122")("Invalid preferences given with handling=strict", {
    details: `Invalid preferences: ${preferences.join(", ")}`,
  });

export const wrongType = (type: string, hint?: string) =>
  refusal(400, "PGRST102")(`Content-Type not acceptable: ${shown(type)}`, hint === undefined ? {} : { hint });
export const notJson = refusal(400, "PGRST102")("Empty or invalid json");
export const notJsonForColumns = refusal(400, "22P02")("invalid input syntax for type json", {
  details: "The body is not JSON.",
});
export const notObjects = refusal(400, "PGRST102")("All object keys must match");
export const notARecordset = refusal(
  400,
  "22023",
)("argument of json_to_recordset must be an array of objects");
export const notOneLead = refusal(400, "PGRST102")("Send one lead: a JSON object, or an array of one.", {
  hint: "A 201 here always means that one lead is stored.",
});

/** The most that a body may hold, in bytes: more than any lead that a person types. */
export const maxBytes = 16 * 1024;
export const tooLarge = refusal(413, "PGRST102")(
  "What you typed is too long for this form. Please shorten it and try again.",
  { details: "The request's body is larger than 16 kB." },
);

/** What a server says to bytes that are no request, one too slow, and one with absurd headers. */
export const notARequest = refusal(400, "PGRST100")(
  "We could not read what your browser sent. Please reload the page and try again.",
  { details: "Not a valid HTTP request." },
);
export const tooSlow = refusal(408, "PGRST003")(
  "Your answers took too long to reach us. Please check your internet connection and try again.",
  { details: "The request was not complete in time." },
);
export const headersTooLarge = refusal(431, "PGRST100")(
  "We could not read what your browser sent. Please reload the page and try again.",
  { details: "The request's headers are larger than 16 kB." },
);

export const tooManyTries = (seconds: number) =>
  refusal(429, "PT429")(
    "Many forms were sent from your internet connection just now. Please wait a minute and try again.",
    { retryAfter: seconds },
  );

/** A value the table would refuse, or that is not of its type. Where the table's trigger has a sentence for it, it is that one. */
export const badValue = (code: "23502" | "22P02" | "22P05" | "23514", message: string, details: string) =>
  refusal(400, code)(message, { details });

/** The form was sent from a page that the list of allowed origins does not name. The sentence is the table's own. */
export const foreignPage = (message: string) =>
  refusal(403, "PT403")(message, { details: "The Origin of the request is not among ALLOWED_ORIGINS." });

/**
 * The lead could not be stored: the database is unreachable, full, too slow or being moved, or there is a bug. PostgREST answers the same
 * when it cannot reach the database.
 */
export const databaseUnreachable = (details: string) =>
  refusal(503, "PGRST001")(
    "We could not save your answers just now. They are still here: please try again in a minute.",
    { details, retryAfter: 5 },
  );

export const broken = refusal(
  500,
  "XX000",
)("Something went wrong on our side. Your answers are still here: please try again in a minute.");

/** What a program sent, repeated to it: short, and on one line. */
export const shown = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 60);

/** The answer that tells a program of a refusal, as PostgREST words it. All four fields are always there. */
export function answerOf({ status, code, message, details, hint, retryAfter }: Refusal): Answer {
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "proxy-status": `PostgREST; error=${code}`,
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
    body: JSON.stringify({ code, message, details: details ?? null, hint: hint ?? null }),
  };
}

/** Answers a refusal with a Response. */
export const refuse = (refusal: Refusal): Response => responseOf(answerOf(refusal));
