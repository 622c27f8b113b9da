// Calls the inbox's API (inbox/api.ts) and its sign-in requests (inbox/api-sign-in.ts). What goes wrong is a CallFailed that says why.
import type { InferInput, InferOutput } from "valibot";
import type { CallName, RequestOf, ResponseOf } from "../api.ts";
import type { SignInName, signIn } from "../api-sign-in.ts";
import { answerTimeout, postJson, takeFirstAnswer } from "./first-requests.ts";
import { readClock } from "./page/clock.ts";
import { noteCall } from "./page/connection.ts";

export type Failure =
  | "offline"
  | "database unreachable"
  | "signed out"
  /** A link or a passkey was refused; `detail` says why. */
  | "refused"
  | "locked"
  | "forbidden"
  | "not found"
  | "not accepted"
  /** A reference that several leads have, or a name that is taken. */
  | "conflict"
  | "bug";

export class CallFailed extends Error {
  override name = "CallFailed";
  readonly why: Failure;
  /** The server's word for it, such as "invitation used"; empty when it has none. */
  readonly detail: string;
  constructor(why: Failure, detail = "") {
    super(detail || why);
    this.why = why;
    this.detail = detail;
  }
}

/** @throws CallFailed, or the reason of `signal` where that aborts */
export const callApi = <Name extends CallName>(
  name: Name,
  request: RequestOf<Name>,
  signal?: AbortSignal,
): Promise<ResponseOf<Name>> => post(`/api/${name}`, request, signal);

/** @throws CallFailed; `refused` with one of `signInErrors` as its detail */
export const callSignIn = <Name extends SignInName>(
  name: Name,
  request: InferInput<(typeof signIn)[Name]["request"]>,
): Promise<InferOutput<(typeof signIn)[Name]["response"]>> => post(`/${name}`, request);

async function post<Body>(path: string, request: unknown, signal?: AbortSignal): Promise<Body> {
  const late = AbortSignal.timeout(answerTimeout);
  const body = JSON.stringify(request);
  const first = takeFirstAnswer(path, body);
  // The first requests are sent as the page begins to load.
  const [begunAt, begunOn] = first ? [0, performance.timeOrigin] : [performance.now(), Date.now()];
  const asked = first ?? postJson(path, body, signal ? AbortSignal.any([signal, late]) : late);
  const [answer, text] = await asked
    .then(async (answer) => [answer, await answer.text()] as const)
    .catch((error) => {
      // The page itself has aborted the call; that says nothing about the network.
      if (signal?.aborted) throw error;
      return offline(begunAt);
    });
  if (!isOurs(answer, text)) return offline(begunAt);
  // `performance.now()` stands still while a machine sleeps; `Date.now()` may be set.
  // An answer of 500 or more may be a proxy's, with the proxy's clock.
  if (answer.status < 500)
    readClock(answer.headers.get("date"), Math.max(performance.now() - begunAt, Date.now() - begunOn));
  const detail = answer.ok ? "" : errorIn(text);
  const failure = failureOf(answer.status, detail);
  noteCall(failure === "database unreachable" ? "database unreachable" : "connected", begunAt);
  if (failure) throw new CallFailed(failure, detail);
  return JSON.parse(text) as Body;
}

function offline(begunAt: number): never {
  noteCall("offline", begunAt);
  throw new CallFailed("offline");
}

/**
 * False for what a proxy in front answers in the server's place, such as its own sign-in, or that it knows no such address while the server
 * starts again. The server's answers are JSON, and empty where a session is missing or locked. A status of
 * 500 or more passes, whoever sent it, because it says by itself what is wrong.
 */
const isOurs = ({ status, headers }: Response, text: string): boolean =>
  status >= 500 ||
  headers.get("content-type")?.startsWith("application/json") === true ||
  ([401, 423].includes(status) && text === "");

function failureOf(status: number, detail: string): Failure | undefined {
  if (status === 200) return undefined;
  const failures: Record<number, Failure> = {
    // A 401 with a word refuses a link or a passkey. Only one without says that the session is over.
    401: detail === "" ? "signed out" : "refused",
    403: "forbidden",
    404: "not found",
    409: "conflict",
    423: "locked",
    // A proxy in front answers with one of these when it cannot reach the server.
    502: "database unreachable",
    503: "database unreachable",
    504: "database unreachable",
  };
  return failures[status] ?? (status < 500 ? "not accepted" : "bug");
}

function errorIn(text: string): string {
  try {
    return String(JSON.parse(text).error ?? "");
  } catch {
    return "";
  }
}
