/** Sets each of these headers that the answer does not have yet, and returns the answer. */
export function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  return answer;
}
