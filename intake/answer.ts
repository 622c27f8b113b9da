// An answer of the intake as a plain value, which the server writes on a socket without making a Response of it first.

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** "" for none. */
  body: string;
}

/** Reads a header by its lower-case name: a `Headers` object, or a wrapper around the headers of a Node request. */
export interface HeaderValues {
  get(name: string): string | null | undefined;
}

export const responseOf = ({ status, headers, body }: Answer): Response =>
  new Response(body || null, { status, headers });
