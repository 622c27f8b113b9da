// An answer to an insert or to what counts a page load, as a plain value. For most requests web/hot-routes.ts writes it on the socket as it
// is, because to make a Response costs more; for the others it becomes one.

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
