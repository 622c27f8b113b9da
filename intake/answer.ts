// An answer of the intake as a plain value, which the server writes on a socket without making a Response of it first.

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** "" for none. */
  body: string;
}

/** What reads a header by its lower-case name: `Headers`, or Node's own headers. */
export interface HeaderValues {
  get(name: string): string | null | undefined;
}

export const responseOf = ({ status, headers, body }: Answer): Response =>
  new Response(body || null, { status, headers });
