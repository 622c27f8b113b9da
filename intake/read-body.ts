// Reads a request's body up to a limit, so that a long one costs no memory.

/** The bytes, or undefined when there are more than `limit`. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const declared = request.headers.get("content-length");
  // Node holds a sender to the length it declared, and to read it whole is cheaper than to open a stream.
  if (declared !== null && !request.headers.has("transfer-encoding"))
    return Number(declared) <= limit ? new Uint8Array(await request.arrayBuffer()) : undefined;
  // Not `for await`: to leave that loop early would close the connection before the answer.
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > limit) return undefined;
    chunks.push(value);
  }
  return joined(chunks);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
