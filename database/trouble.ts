// Distinguishes trouble of the database, which may pass, from a refusal of a statement, which a retry does not change: a wrong value,
// or a bug of this program. Only trouble is an outage; a bug that was taken for one would be retried for ever.
import postgres from "postgres";
import { codeOf } from "../log/log.ts";
import { NoWritableServer } from "./several-servers.ts";
import { QueryTimeout } from "./timeout.ts";

/** Whether an error says that the database, or the network to it, cannot do its work now. Takes anything thrown. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (error instanceof postgres.PostgresError)
    return troubles.has(error.code) || troubles.has(error.code.slice(0, 2));
  if (error instanceof QueryTimeout || error instanceof NoWritableServer) return true;
  // The operating system's errors, TLS errors and postgres.js's own carry a code, and so do errors of a wrong argument. A bug's TypeError has
  // none.
  return error instanceof Error && "code" in error && typeof error.code === "string" && !isCallerError(error);
}

/**
 * SQLSTATEs and classes of them (PostgreSQL's manual, appendix A): 08 connection, 25006 a server that takes no writes,
 * 25P03 and 25P04 a transaction that took too long, 26 a prepared statement that a pooler lost, 28 login, 3D name of the
 * database, 40 rollback, 53 resources, 55 what is in use or not ready, 57 an operator's intervention or a statement timeout,
 * 58 the operating system, XX an internal error of the server.
 */
const troubles = new Set("08 25006 25P03 25P04 26 28 3D 40 53 55 57 58 XX".split(" "));

const ofStatements = new Set("57014 55P03 53100 53200 40P01 58030 XX000 XX001 XX002".split(" "));

/**
 * Whether perhaps one statement alone failed and the database answers others: it took too long, waited too long for a lock, was
 * cancelled, found no memory or disk, or met a deadlock or damaged data.
 */
export const isOfTheStatement = (error: unknown): boolean =>
  error instanceof QueryTimeout || (error instanceof postgres.PostgresError && ofStatements.has(error.code));

/** Whether the database takes no writes, as a standby: SQLSTATE read_only_sql_transaction. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006";

/** Whether the database's disk is full: SQLSTATE disk_full. A query that only reads can fail so too, because it sorts in files. */
export const isOutOfRoom = (error: unknown): boolean => codeOf(error) === "53100";

/** Codes of errors that a caller makes: an argument that Node or postgres.js does not take. */
const isCallerError = (error: Error): boolean =>
  /^(ERR_(INVALID|OUT_OF_RANGE|MISSING|ASSERTION|UNKNOWN|METHOD)|UNDEFINED_VALUE$|NOT_TAGGED_CALL$|UNSAFE_TRANSACTION$|MAX_PARAMETERS_EXCEEDED$)/.test(
    codeOf(error),
  );
