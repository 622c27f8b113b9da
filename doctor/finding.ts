// What the doctor says of one thing that it examined, and what it examines.

import type { Sql } from "../database/connect.ts";
import { type Answer, type NoAnswer, summaryOf } from "./ask.ts";

export type Finding =
  | { is: "pass"; says: string }
  | {
      is: "fail";
      says: string;
      /** What to do or type. */
      fix: string;
    }
  | { is: "not examined"; says: string };

export const pass = (says: string): Finding => ({ is: "pass", says });
export const fail = (says: string, fix: string): Finding => ({ is: "fail", says, fix });
export const notExamined = (says: string): Finding => ({ is: "not examined", says });

/** Whether an answer tells nothing of what was asked: a time-out, a rate limit and a failure may come before that is looked at. */
export const tellsNothing = ({ status }: Answer | NoAnswer): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500;

/** The finding for an answer that tells nothing. `what` is a clause, such as "the form works". */
export const notKnown = (what: string, answer: Answer | NoAnswer): Finding =>
  fail(
    `Whether ${what} is not known (${summaryOf(answer)}).`,
    "Run the doctor again. If it says so again, see the backend's own log.",
  );

/** What is examined. Addresses have no slash at their end. */
export interface Deployment {
  /** Where the data path and submit-lead are: a Supabase project, or our own server. */
  url: string;
  /** The anonymous key that the pages present. */
  key: string;
  /** Where the pages are; `undefined` when it is a project and the address of its site is not known. */
  site: string | undefined;
  /** Where the team's inbox is; `undefined` when it is not known or has no address of its own. */
  inbox?: string | undefined;
}

/** What lets the doctor look inside, and erase its test lead again. */
export interface Inside {
  sql?: Sql | undefined;
  secretKey?: string | undefined;
}

/** Whether the backend is a Supabase project, by its address. */
export const isHosted = ({ url }: Pick<Deployment, "url">): boolean =>
  /\.supabase\.(co|in|red)$/.test(new URL(url).hostname);
