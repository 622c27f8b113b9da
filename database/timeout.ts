// A deadline for an answer that may never come.

/** No answer came in time. Whether the statement was carried out is not known. */
export class QueryTimeout extends Error {
  override name = "QueryTimeout";
}

/** The result, if it comes within `milliseconds`. @throws QueryTimeout if it does not. */
export async function withTimeout<Result>(
  milliseconds: number,
  result: PromiseLike<Result>,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new QueryTimeout()), milliseconds);
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
