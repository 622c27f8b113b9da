// What a request tells about the permission its lead gives: from which page, which address, which browser. It goes to
// the table under the names PostgREST gives to the same headers, so that one trigger serves both ways in.

/** Headers that the permission keeps something of, lower case as PostgREST has them. */
export interface Evidence {
  referer?: string;
  "user-agent"?: string;
  "x-forwarded-for"?: string;
  "x-trap-filled"?: string;
}

/** Gathers the evidence of a request. `address` is who sent it, as far as the proxies in front are trusted. */
export function evidenceOf(headers: Headers, address: string, trapFilled = false): Evidence {
  const kept = (name: string) => headers.get(name)?.slice(0, 2000);
  const referer = kept("referer");
  const browser = kept("user-agent");
  return {
    ...(referer && { referer }),
    ...(browser && { "user-agent": browser }),
    "x-forwarded-for": address,
    ...(trapFilled && { "x-trap-filled": "yes" }),
  };
}
