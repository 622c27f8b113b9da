// The errors that this package throws for a problem that a person can fix, and how any other error is named.

/** Something that keeps the embedded PostgreSQL from running; the message is for the person at the terminal. */
export class EmbeddedPostgresError extends Error {
  override name = "EmbeddedPostgresError";
}

/** Another process has the data folder: a server that runs or starts there, or a command that works on its data. */
export class FolderInUse extends EmbeddedPostgresError {}

/** The code of a system error, or the class of another one: what may be told of it without quoting a path or a value. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string" && error.code)
    return error.code;
  return error instanceof Error ? error.name : typeof error;
}
